/**
 * Bundles the compiled service and its dependencies: one file for the program and one per thread, in `dist/bundle`. `bundled.ts`
 * loads them. Native packages, and packages that few services need, stay outside. Does nothing if nothing changed.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ascii, patient } from './bundle-modules.mjs'

const built = fileURLToPath(new URL('./dist/', import.meta.url))
const target = join(built, 'bundle')
const manifestPath = join(target, 'manifest.json')
const lockfile = fileURLToPath(new URL('../../package-lock.json', import.meta.url))
const outside = ['@photostructure/sqlite', '@redis/client', 'bcrypt', 'onnxruntime-node', 'postgres']

/** The URL of a module before it was bundled. */
const urlOf = `const urlOf = (path) => require('node:url').pathToFileURL(require('node:path').join(__dirname, path)).href`

const sha256 = (content) => createHash('sha256').update(content).digest('hex')
const build = sha256(readFileSync(join(built, '.tsbuildinfo')))
/** What else decides about the result. */
const programs = ['./bundle.mjs', './bundle-modules.mjs'].map((name) => fileURLToPath(new URL(name, import.meta.url)))
const inputs = sha256([process.version, ...[lockfile, ...programs].map((path) => readFileSync(path, 'utf8'))].join(''))

if (!isCurrent()) await bundle()

function isCurrent() {
  if (!existsSync(manifestPath)) return false
  const manifest = JSON.parse(readFileSync(manifestPath, 'utf8'))
  return manifest.build === build && manifest.inputs === inputs
}

async function bundle() {
  // Loaded on demand: most runs only compare digests.
  const { build: run, transform } = await import('esbuild')
  const threads = readdirSync(built, { recursive: true })
    .filter((path) => path.endsWith('-worker.js') && !/^(?:bundle|storage.contract)\b|kept-worker/.test(path))
    .map((path) => join(built, path))
  const entries = [join(built, 'boot', 'program.js'), ...threads]
  const { outputFiles } = await run({
    entryPoints: Object.fromEntries(entries.map((path) => [basename(path, '.js'), path])),
    outdir: target,
    write: false,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20.12',
    // Threads select operations by the names of functions.
    keepNames: true,
    // The licences are in the packages, which are installed too.
    legalComments: 'none',
    external: outside,
    define: { isInBundle: 'true' },
    plugins: [{ name: 'own modules', setup: (builder) => ownModules(builder, transform) }],
    banner: { js: urlOf },
  })
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target)
  const files = {}
  for (const { path, text } of outputFiles) {
    const name = basename(path, '.js')
    const contents = ascii(text)
    files[name] = `${name}-${sha256(contents).slice(0, 16)}.cjs`
    writeFileSync(join(target, files[name]), contents)
    if (name === 'program') continue
    // The module itself runs if the bundle has become older than the sources.
    const module = relative(
      target,
      entries.find((entry) => basename(entry, '.js') === name),
    ).replaceAll('\\', '/')
    const loader = `import { loadBundled } from '../boot/bundled.js'

if (loadBundled('${name}') === undefined) await import('${module}')
`
    writeFileSync(join(target, `${name}.js`), loader)
  }
  // Last, so that an interrupted build runs again.
  writeFileSync(manifestPath, `${JSON.stringify({ build, inputs, files }, null, 2)}\n`)
}

/** Modules find files and threads relative to themselves, as before. */
function ownModules(builder, transform) {
  builder.onLoad({ filter: /[\\/]server[\\/]dist[\\/].*\.js$/ }, async ({ path }) => {
    const own = relative(built, path).replaceAll('\\', '/')
    const url = `urlOf(${JSON.stringify(relative(target, path).replaceAll('\\', '/'))})`
    const source = readFileSync(path, 'utf8').replaceAll('import.meta.url', url)
    return { contents: isPatient(own) ? await patient(source, transform) : source, loader: 'js' }
  })
}

/**
 * Whether a module waits with what it imports. Those that compute do not: they call each other often, and nothing needs them before the
 * first request.
 */
function isPatient(path) {
  return /^(?:boot|http|mcp|service|models)\//.test(path) && !path.endsWith('-worker.js')
}
