/**
 * `npm run test:filters -- --filters 100000 --seed 7 --engine sqlite`: compares more random filters with the reference than `npm test`
 * does. The same seed gives the same filters. Without `--engine`, both engines.
 */
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'

const engines = {
  sqlite: ['packages/server/src/storage/sqlite/sqlite-storage.test.ts'],
  postgres: [
    '--config',
    'packages/server/test/services/vitest.config.ts',
    'packages/server/test/services/postgres-storage.services.test.ts',
  ],
}
const { values } = parseArgs({
  options: {
    filters: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '20260302' },
    engine: { type: 'string' },
  },
})
const chosen = values.engine === undefined ? Object.keys(engines) : [values.engine]
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
for (const engine of chosen) {
  const files = Object.hasOwn(engines, engine) ? engines[engine] : undefined
  if (!files) throw new Error(`unknown engine ${engine}`)
  const { status } = spawnSync(process.execPath, [vitest, 'run', ...files, '-t', 'random filters'], {
    env: { ...process.env, KEEPSAKE_TEST_FILTERS: values.filters, KEEPSAKE_TEST_SEED: values.seed },
    stdio: 'inherit',
  })
  if (status !== 0) process.exit(status ?? 1)
}
