/**
 * `npm run test:services`: the tests against a real PostgreSQL and a real Redis. With `--citus`, those of them that are about the
 * storage run on a cluster of one coordinator and two workers. All other arguments go to vitest.
 */
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const own = (name) => fileURLToPath(new URL(name, import.meta.url))
const options = process.argv.slice(2)
const isOnCitus = options.includes('--citus')
const noSource = 3

if (isOnCitus) {
  const { status } = spawnSync(process.execPath, [own('provision-citus.mjs')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status === noSource) {
    console.log('Citus: skipped')
    process.exit(0)
  }
  if (status !== 0) process.exit(status ?? 1)
}
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
const chosen = options.filter((option) => option !== '--citus')
const { status } = spawnSync(process.execPath, [vitest, 'run', '--config', own('vitest.config.ts'), ...chosen], {
  env: { ...process.env, ...(isOnCitus ? { KEEPSAKE_TEST_CITUS: '1' } : {}) },
  stdio: 'inherit',
})
process.exit(status ?? 1)
