/** `npm start`: builds what changed, then serves from this very process, so that signals reach the service. */
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
const project = fileURLToPath(new URL('.', import.meta.url))
const { status } = spawnSync(process.execPath, [compiler, '-p', project], { stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)
await import('./build-assets.mjs')
// In a process of its own: the bundler's memory goes with it. Without its page the service is still of use.
const page = fileURLToPath(new URL('../dashboard/build.mjs', import.meta.url))
if (spawnSync(process.execPath, [page], { stdio: 'inherit' }).status !== 0) {
  console.error('The dashboard could not be built; the service starts without it.')
}
const { main } = await import('./dist/main.js')
await main()
