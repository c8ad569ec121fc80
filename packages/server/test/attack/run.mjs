/**
 * `npm run test:isolation -- --operations 100000 --seed 7 --alone 20` and `npm run test:fuzz -- --requests 100000 --seed 7`:
 * run the attack suites of `npm test` with other numbers. The same seed gives the same operations.
 */
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'

const suites = {
  isolation: {
    // The second file attacks through the client and the command line.
    files: ['packages/server/test/access/isolation.test.ts', 'packages/cli/test/isolation.test.ts'],
    options: { operations: '20000', alone: '5' },
  },
  fuzz: { files: ['packages/server/test/access/fuzz.test.ts'], options: { requests: '10000' } },
}
const [name = '', ...rest] = process.argv.slice(2)
const suite = Object.hasOwn(suites, name) ? suites[name] : undefined
if (!suite) throw new Error(`unknown attack suite ${name}`)

const defaults = { ...suite.options, seed: '20260302' }
const { values } = parseArgs({
  args: rest,
  options: Object.fromEntries(
    Object.entries(defaults).map(([option, value]) => [option, { type: 'string', default: value }]),
  ),
})
const settings = Object.entries(values).map(([option, value]) => [`KEEPSAKE_TEST_${option.toUpperCase()}`, value])
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
const { status } = spawnSync(process.execPath, [vitest, 'run', ...suite.files], {
  env: { ...process.env, ...Object.fromEntries(settings) },
  stdio: 'inherit',
})
process.exit(status ?? 1)
