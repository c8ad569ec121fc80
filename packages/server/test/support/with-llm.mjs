/** Runs the end-to-end suite with a language model that works and one that fails in every way, or with those named: good, slow, broken. */
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
const kinds = process.argv.slice(2)

for (const kind of kinds.length > 0 ? kinds : ['good', 'broken']) {
  console.log(`\nwith a language model that is ${kind}:`)
  const env = { ...process.env, KEEPSAKE_TEST_LLM: kind }
  const { status } = spawnSync(process.execPath, [vitest, 'run', 'packages/server/test'], { env, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
