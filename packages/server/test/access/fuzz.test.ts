/** `npm run test:fuzz -- --requests 100000 --seed 7` for more requests, or to see one run again. */
import { expect, it } from 'vitest'
import { fuzz } from '../attack/fuzz-run.js'
import { numberFrom } from '../attack/settings.js'
import { guarded, nameOf } from '../support/samples.js'

const requests = numberFrom('KEEPSAKE_TEST_REQUESTS', 800)
const seed = numberFrom('KEEPSAKE_TEST_SEED', 20260302)
const percent = (part: number, whole: number) => `${Math.round((100 * part) / whole)}%`

it(`answers ${requests} requests over the schemas of the document, half of them broken, as the document says (seed ${seed})`, {
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
  expect(report.accepted / report.requests).toBeGreaterThan(0.3)
  // Few requests don't come to all that needs another before it.
  if (requests >= 5_000) expect(guarded.map(nameOf).filter((name) => !report.succeeded.has(name))).toEqual([])
})
