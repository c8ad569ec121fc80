/** `npm run test:fuzz -- --requests 100000 --seed 7` sends more requests, or repeats a run. */
import { expect, it } from 'vitest'
import { fuzz } from '../attack/fuzz-run.js'
import { numberFrom } from '../attack/settings.js'
import { guarded, nameOf } from '../support/samples.js'

const requests = numberFrom('KEEPSAKE_TEST_REQUESTS', 800)
const seed = numberFrom('KEEPSAKE_TEST_SEED', 20260302)
const percent = (part: number, whole: number) => `${Math.round((100 * part) / whole)}%`

it(`answers ${requests} generated requests, half of them broken, as the OpenAPI document says (seed ${seed})`, {
  timeout: 60_000 + requests * 60,
}, async () => {
  const started = performance.now()
  const report = await fuzz({
    seed,
    requests,
    progress: (text) => (requests > 10_000 ? console.log(text) : undefined),
  })
  const seconds = Math.round((performance.now() - started) / 1000)
  const statuses = [...report.byStatus].sort(([left], [right]) => left - right)
  console.log(
    [
      `fuzz, seed ${seed}: ${report.requests} requests in ${report.rounds} rounds, ${seconds} s`,
      `accepted: ${percent(report.accepted, report.requests)} of all, ${percent(report.plainAccepted, report.plain)} of the ${report.plain} that were not broken`,
      `statuses: ${statuses.map(([status, count]) => `${status} ${count}`).join(', ')}`,
      `slowest: ${Math.round(report.slowestMs)} ms, ${report.slowest}`,
    ].join('\n'),
  )
  expect(report.accepted / report.requests).toBeGreaterThan(0.25)
  // A short run does not reach operations that depend on earlier ones.
  if (requests >= 5_000) expect(guarded.map(nameOf).filter((name) => !report.succeeded.has(name))).toEqual([])
})
