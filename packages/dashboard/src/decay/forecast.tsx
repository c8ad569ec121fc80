import type { GetMemoryDecayAnswer, Keepsake } from '@keepsake/client'
import { useMemo } from 'preact/hooks'
import { Loaded } from '../components/loaded.tsx'
import { TableFrame } from '../components/table-frame.tsx'
import { client } from '../connection.ts'
import { useLoad } from '../load.ts'
import { addressOf } from '../route.ts'
import { revision } from '../state.ts'
import { Chart } from './chart.tsx'
import { triedHalfLife } from './what-if.tsx'

const days = [...Array.from({ length: 31 }, (_, day) => day), ...Array.from({ length: 47 }, (_, week) => 37 + 7 * week)]
const told = [0, 7, 30, 90, 365]

interface Both {
  readonly content: string
  readonly now: GetMemoryDecayAnswer
  readonly tried: GetMemoryDecayAnswer | undefined
}

async function readBoth(
  reader: Keepsake,
  id: string,
  halfLifeDays: number | undefined,
  signal: AbortSignal,
): Promise<Both> {
  const forecastDays = [...new Set([...days, ...told])].sort((a, b) => a - b)
  const [memory, now, tried] = await Promise.all([
    reader.get(id, { signal }),
    reader.decay.get(id, { forecastDays, signal }),
    halfLifeDays === undefined ? undefined : reader.decay.get(id, { forecastDays, halfLifeDays, signal }),
  ])
  return { content: memory.content, now, tried }
}

/** How one memory fades if it is not used. */
export function Forecast({ id }: { readonly id: string }) {
  const load = useLoad(
    (ended) => readBoth(client.value, id, triedHalfLife.value, ended),
    [client.value, id, triedHalfLife.value, revision.value],
  )
  return (
    <section class="card" aria-labelledby="forecast-title">
      <h2 id="forecast-title">One memory, if it is not used</h2>
      <Loaded load={load} what="Reading its forecast">
        {(both) => <Curve both={both} id={id} />}
      </Loaded>
    </section>
  )
}

function Curve({ both: { content, now, tried }, id }: { readonly both: Both; readonly id: string }) {
  const chart = useMemo(
    () => ({
      x: now.forecast.map((point) => point.days),
      lines: [
        { name: 'Now', values: now.forecast.map(({ decayScore }) => decayScore), colour: '--series-1' as const },
        ...(tried === undefined
          ? []
          : [
              {
                name: 'Trial',
                values: tried.forecast.map(({ decayScore }) => decayScore),
                colour: '--series-2' as const,
                dashed: true,
              },
            ]),
      ],
    }),
    [now, tried],
  )
  const scoreOn = (answer: GetMemoryDecayAnswer | undefined, day: number) =>
    answer?.forecast.find((point) => point.days === day)?.decayScore.toFixed(2) ?? ''
  return (
    <>
      <p class="words">
        <a class="memory-link" href={addressOf('memories', id)}>
          {content}
        </a>
      </p>
      <Chart
        label="Its score over the coming year; some of the numbers are in the table below"
        kind="lines"
        most={1}
        xText={(value) => `${value} d`}
        yText={(value) => value.toFixed(1)}
        {...chart}
      />
      <TableFrame label="Its score over time">
        <table>
          <caption class="visually-hidden">Its score over time</caption>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col" class="number">
                {now.halfLifeDays} days, current
              </th>
              {tried !== undefined && (
                <th scope="col" class="number">
                  {tried.halfLifeDays} days, trial
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {told.map((day) => (
              <tr key={day}>
                <th scope="row">{day === 0 ? 'Now' : `In ${day} days`}</th>
                <td class="number">{scoreOn(now, day)}</td>
                {tried !== undefined && <td class="number">{scoreOn(tried, day)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
    </>
  )
}
