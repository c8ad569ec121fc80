import type { GetDecayReportAnswer, Keepsake } from '@keepsake/client'
import { Empty, Loaded } from '../components/loaded.tsx'
import { Moment } from '../components/moment.tsx'
import { OfNow } from '../components/of-now.tsx'
import { Problem } from '../components/problem.tsx'
import { TableFrame } from '../components/table-frame.tsx'
import { visible } from '../components/visible.ts'
import { client } from '../connection.ts'
import { counted } from '../counted.ts'
import { Distribution } from '../decay/distribution.tsx'
import { Forecast } from '../decay/forecast.tsx'
import { Outlook } from '../decay/outlook.tsx'
import { triedHalfLife, WhatIf } from '../decay/what-if.tsx'
import { useLoad } from '../load.ts'
import { addressOf, route } from '../route.ts'
import { revision } from '../state.ts'
import '../styles/decay.css'

/** How many of the faintest memories are listed. */
const faintest = 10
const forecastDays = [7, 30, 90]

export default function DecayPage() {
  const load = useLoad(
    (ended) => readReports(client.value, triedHalfLife.value, ended),
    [client.value, triedHalfLife.value, revision.value],
    ({ now }) => counted(now.totalMemories, 'memory', 'memories'),
  )
  const { id } = route.value
  return (
    <>
      <OfNow what="Freshness is shown as of now, regardless of the time slider." />
      <Loaded load={load} what="Reading how memories fade">
        {({ now, tried }) =>
          now.totalMemories === 0 ? (
            <Empty title="There is nothing to fade yet" />
          ) : (
            <>
              <div class="columns wide">
                <Outlook report={tried ?? now} isTrial={tried !== undefined} />
                <WhatIf inForce={now.halfLifeDays} />
              </div>
              <div class="columns wide">
                <Distribution now={now} tried={tried} />
                {id === undefined ? <Faintest report={now} /> : <Forecast id={id} />}
              </div>
              {id !== undefined && <Faintest report={now} />}
            </>
          )
        }
      </Loaded>
      <NextToExpire />
    </>
  )
}

interface Reports {
  readonly now: GetDecayReportAnswer
  readonly tried: GetDecayReportAnswer | undefined
}

async function readReports(reader: Keepsake, halfLifeDays: number | undefined, signal: AbortSignal): Promise<Reports> {
  const query = { limit: faintest, signal }
  const [now, tried] = await Promise.all([
    reader.decay.report(query),
    halfLifeDays === undefined ? undefined : reader.decay.report({ ...query, halfLifeDays }),
  ])
  return { now, tried }
}

/** Read one by one: the report has no forecast. */
async function forecasts(reader: Keepsake, ids: readonly string[], signal: AbortSignal) {
  const read = await Promise.all(ids.map((id) => reader.decay.get(id, { forecastDays, signal })))
  return new Map(read.map(({ id, forecast }) => [id, forecast]))
}

function Faintest({ report: { memories } }: { readonly report: GetDecayReportAnswer }) {
  const ids = memories.map(({ id }) => id)
  const load = useLoad((ended) => forecasts(client.value, ids, ended), [client.value, ids.join()])
  const { current } = load
  const known = current.state === 'done' ? current.value : undefined
  const scoreIn = (id: string, days: number) =>
    known
      ?.get(id)
      ?.find((point) => point.days === days)
      ?.decayScore.toFixed(2) ?? '…'
  return (
    <section class="card" aria-labelledby="faintest-title">
      <h2 id="faintest-title">The faintest memories, with their forecast</h2>
      <TableFrame label="Forecast">
        <table class="dense" aria-busy={current.state === 'loading'}>
          <thead>
            <tr>
              <th scope="col">Memory</th>
              <th scope="col" class="number">
                Now
              </th>
              {forecastDays.map((days) => (
                <th key={days} scope="col" class="number">
                  {days} d
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {memories.map(({ id, content, decayScore }) => (
              <tr key={id}>
                <td>
                  <a class="words memory-link" dir="auto" href={addressOf('decay', id)}>
                    {visible(content)}
                  </a>
                </td>
                <td class="number">{decayScore.toFixed(2)}</td>
                {forecastDays.map((days) => (
                  <td key={days} class="number">
                    {scoreIn(id, days)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
      {current.state === 'failed' && <Problem error={current.error} again={load.again} />}
    </section>
  )
}

function NextToExpire() {
  const load = useLoad(
    (ended) => client.value.listPage({ sort: 'expires_at', limit: 10, signal: ended }),
    [client.value, revision.value],
  )
  return (
    <section class="card" aria-labelledby="expires-title">
      <h2 id="expires-title">What expires next</h2>
      <Loaded load={load} what="Reading what expires">
        {({ memories, total }) =>
          total === 0 ? (
            <p class="quiet">No memory expires. Store one with a TTL, such as 7d, to see it here.</p>
          ) : (
            <>
              <ul class="stack tight">
                {memories.map(({ id, content, expiresAt }) => (
                  <li key={id} class="row apart">
                    <a class="words memory-link" dir="auto" href={addressOf('memories', id)}>
                      {visible(content)}
                    </a>
                    {expiresAt !== null && (
                      <span class="small">
                        <Moment at={expiresAt} time /> ({timeLeft(expiresAt)})
                      </span>
                    )}
                  </li>
                ))}
              </ul>
              {total > memories.length && (
                <p class="small quiet">
                  The first {memories.length} of {total}.
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </section>
  )
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const
const relative = new Intl.RelativeTimeFormat('en-GB')

function timeLeft(at: string): string {
  const ms = Date.parse(at) - Date.now()
  for (const [unit, size] of units) if (Math.abs(ms) >= size) return relative.format(Math.round(ms / size), unit)
  return 'in a moment'
}
