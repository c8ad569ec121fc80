/** `npm start`: builds what has changed, then serves from the same process, so that signals reach the service. */
import { spawnSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** `args` are those of `main` in src/main.ts. */
export async function start(args) {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
  const project = fileURLToPath(new URL('.', import.meta.url))
  const { status } = spawnSync(process.execPath, [compiler, '-p', project], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
  await import('./build-assets.mjs')
  // In a separate process, which frees the bundler's memory. The service also works without the dashboard.
  const page = fileURLToPath(new URL('../dashboard/build.mjs', import.meta.url))
  if (spawnSync(process.execPath, [page], { stdio: 'inherit' }).status !== 0) {
    console.error('The dashboard could not be built; the service starts without it.')
  }
  const { main } = await import('./dist/main.js')
  await main(args)
}

const [, typed = '', ...args] = process.argv
if (realpathSync(typed) === fileURLToPath(import.meta.url)) await start(args)
