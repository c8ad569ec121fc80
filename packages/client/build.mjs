/** Builds the package as it is published: as ES modules in `dist`, as CommonJS in `dist/cjs`, and with the licence beside them. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
for (const project of ['tsconfig.json', 'tsconfig.cjs.json']) {
  const { status } = spawnSync(process.execPath, [compiler, '-p', here(project)], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
// Overrides the "type" of the package for this folder.
writeFileSync(here('dist/cjs/package.json'), `${JSON.stringify({ type: 'commonjs' })}\n`)
copyFileSync(here('../../LICENSE'), here('LICENSE'))
