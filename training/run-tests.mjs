/** `npm run test:training`: the checks of `training/make.py`, with the system's python3 (or `PYTHON`). They need no GPU and no packages. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const python = process.env.PYTHON ?? 'python3'
if (spawnSync(python, ['--version']).error !== undefined) {
  console.log(`SKIPPED: npm run test:training, because ${python} is missing`)
} else {
  const run = spawnSync(python, [fileURLToPath(new URL('test_make.py', import.meta.url))], { stdio: 'inherit' })
  process.exitCode = run.status ?? 1
}
