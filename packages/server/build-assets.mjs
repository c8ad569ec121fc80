/**
 * Copies the assets of the documentation pages from the installed packages into `dist/public`, so that the service serves them
 * itself and no page requests anything from another host.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)
const target = fileURLToPath(new URL('./dist/public/', import.meta.url))
const swagger = dirname(require.resolve('swagger-ui-dist/package.json'))
const redoc = dirname(require.resolve('redoc/package.json'))

/** ReDoc shows a logo from a CDN in its menu; an empty image replaces it. */
const redocLogo = 'https://cdn.redoc.ly/redoc/logo-mini.svg'

function withoutLogo(script) {
  if (!script.includes(redocLogo))
    throw new Error(`redoc no longer contains ${redocLogo}: find out where its logo comes from now`)
  return script.replaceAll(redocLogo, 'data:,')
}

/** Source maps are not served, but browsers would request them. */
function withoutSourceMap(script) {
  return script.replace(/\n?(?:\/\/|\/\*)# sourceMappingURL=\S+(?: \*\/)?\s*$/, '\n')
}

const files = [
  { from: join(swagger, 'swagger-ui-bundle.js'), name: 'swagger-ui-bundle.js', change: withoutSourceMap },
  { from: join(swagger, 'swagger-ui.css'), name: 'swagger-ui.css', change: withoutSourceMap },
  {
    from: join(redoc, 'bundles', 'redoc.standalone.js'),
    name: 'redoc.standalone.js',
    change: (script) => withoutLogo(withoutSourceMap(script)),
  },
]

await mkdir(target, { recursive: true })
for (const { from, name, change } of files) {
  await writeFile(join(target, name), change(await readFile(from, 'utf8')))
}
