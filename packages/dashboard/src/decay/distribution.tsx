import type { GetDecayReportAnswer } from '@keepsake/client'
import { useMemo } from 'preact/hooks'
import { TableFrame } from '../components/table-frame.tsx'
import { counted } from '../counted.ts'
import { Chart } from './chart.tsx'

interface DistributionProps {
  readonly now: GetDecayReportAnswer
  /** The report with the trial half-life, if there is one. */
  readonly tried: GetDecayReportAnswer | undefined
}

const range = ({ from, to }: { from: number; to: number }) => `${from.toFixed(1)} to ${to.toFixed(1)}`

export function Distribution({ now, tried }: DistributionProps) {
  const chart = useMemo(
    () => ({
      x: now.distribution.map(({ from, to }) => (from + to) / 2),
      lines: [
        { name: 'Now', values: now.distribution.map(({ count }) => count), colour: '--series-1' as const },
        ...(tried === undefined
          ? []
          : [
              {
                name: 'Trial',
                values: tried.distribution.map(({ count }) => count),
                colour: '--series-2' as const,
                dashed: true,
              },
            ]),
      ],
    }),
    [now, tried],
  )
  return (
    <section class="card" aria-labelledby="distribution-title">
      <h2 id="distribution-title">How fresh memories are</h2>
      <ul class="row small">
        <li class="key-1">half-life {now.halfLifeDays} days, current</li>
        {tried !== undefined && <li class="key-2">half-life {tried.halfLifeDays} days, trial (outlined)</li>}
      </ul>
      <Chart
        label={`Scores of ${counted(now.totalMemories, 'memory', 'memories')}; the numbers are in the table below`}
        kind="bars"
        xText={(value) => value.toFixed(1)}
        yText={(value) => (Number.isInteger(value) ? String(value) : '')}
        {...chart}
      />
      <TableFrame label="Groups of memories by score">
        <table class="dense">
          <caption class="visually-hidden">Groups of memories by score</caption>
          <thead>
            <tr>
              <th scope="col">Score</th>
              <th scope="col" class="number">
                Now
              </th>
              {tried !== undefined && (
                <th scope="col" class="number">
                  Trial
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            <Row name="Fresh, above 0.7" now={now.healthy} tried={tried?.healthy} />
            <Row name="Fading, 0.3 to 0.7" now={now.decaying} tried={tried?.decaying} />
            <Row name="Faint, below 0.3" now={now.expired} tried={tried?.expired} />
          </tbody>
        </table>
      </TableFrame>
      <details>
        <summary class="small">In steps of 0.1</summary>
        <table>
          <caption class="visually-hidden">Number of memories by score</caption>
          <tbody>
            {now.distribution.map((bin, index) => (
              <Row key={bin.from} name={range(bin)} now={bin.count} tried={tried?.distribution[index]?.count} />
            ))}
          </tbody>
        </table>
      </details>
      <p class="small quiet">
        Faint memories are still found: freshness changes a score by at most 10 per cent, and deletes nothing.
      </p>
    </section>
  )
}

function Row({
  name,
  now,
  tried,
}: {
  readonly name: string
  readonly now: number
  readonly tried: number | undefined
}) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class="number">{now}</td>
      {tried !== undefined && <td class="number">{tried}</td>}
    </tr>
  )
}
