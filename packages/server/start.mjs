/** `npm start`: builds what has changed, then serves from the same process, so that signals reach the service. */
import { existsSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runStep } from './build-progress.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

/** `args` are those of `main` in src/main.ts. */
export async function start(args) {
  if (!existsSync(here('./dist/main.js'))) {
    process.stderr.write('First start: Keepsake is built from its source. This takes up to a minute, and only once.\n')
  }
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
  const compiled = await runStep('Compiling the service', [compiler, '-p', here('.')])
  if (compiled !== 0) process.exit(compiled)
  if ((await runStep('Bundling the service', [here('./bundle.mjs')])) !== 0) {
    console.error('The service could not be bundled; it starts without the bundle, which takes a second longer.')
  }
  await import('./build-assets.mjs')
  // In a separate process, which frees the bundler's memory. The service also works without the dashboard.
  if ((await runStep('Building the dashboard', [here('../dashboard/build.mjs')])) !== 0) {
    console.error('The dashboard could not be built; the service starts without it.')
  }
  const { main } = await import('./dist/main.js')
  await main(args)
}

const [, typed = '', ...args] = process.argv
if (realpathSync(typed) === fileURLToPath(import.meta.url)) await start(args)
