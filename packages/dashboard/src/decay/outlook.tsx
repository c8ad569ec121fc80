import type { GetDecayReportAnswer } from '@keepsake/client'
import { TableFrame } from '../components/table-frame.tsx'

interface OutlookProps {
  /** Of the trial half-life, if there is one. */
  readonly report: GetDecayReportAnswer
  readonly isTrial: boolean
}

const groups = [
  { key: 'healthy', name: 'Fresh' },
  { key: 'decaying', name: 'Fading' },
  { key: 'expired', name: 'Faint' },
] as const

/** How many memories will be fresh, fading and faint if nothing is used until then. */
export function Outlook({ report, isTrial }: OutlookProps) {
  const { healthy, decaying, expired, totalMemories, halfLifeDays } = report
  const moments = [{ days: 0, healthy, decaying, expired }, ...report.forecast]
  return (
    <section class="card" aria-labelledby="outlook-title">
      <h2 id="outlook-title">Forecast, if nothing is used</h2>
      <TableFrame label="Forecast of all memories">
        <table class="dense outlook">
          <caption>
            {totalMemories === 1 ? 'The memory' : `All ${totalMemories} memories`} with a half-life of {halfLifeDays}{' '}
            days{isTrial ? ', on trial' : ''}
          </caption>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">
                <span class="visually-hidden">As a bar</span>
              </th>
              {groups.map(({ key, name }) => (
                <th key={key} scope="col" class="number">
                  <span class={`share-key ${key}`} aria-hidden="true" />
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {moments.map((moment) => (
              <tr key={moment.days}>
                <th scope="row">{moment.days === 0 ? 'Now' : `In ${moment.days} days`}</th>
                <td class="share-cell">
                  <span class="shares" aria-hidden="true">
                    {groups.map(({ key }) => (
                      <span
                        key={key}
                        class={`share ${key}`}
                        style={{ width: `${(100 * moment[key]) / Math.max(1, totalMemories)}%` }}
                      />
                    ))}
                  </span>
                </td>
                {groups.map(({ key }) => (
                  <td key={key} class="number">
                    {moment[key]}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
    </section>
  )
}
