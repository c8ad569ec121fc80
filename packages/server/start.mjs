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
const { main } = await import('./dist/main.js')
await main()
