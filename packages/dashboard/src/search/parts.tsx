import type { Explanation } from '@keepsake/client'
import { Bar, scoreText } from '../components/bar.tsx'
import { TableFrame } from '../components/table-frame.tsx'

type Part = keyof Explanation

/** In the order in which recall looks at them. */
const parts: readonly { readonly part: Part; readonly name: string; readonly meaning: string }[] = [
  { part: 'semantic', name: 'Meaning', meaning: 'How near its meaning is to the query’s' },
  { part: 'keyword', name: 'Words', meaning: 'Rare words that both have' },
  { part: 'graph', name: 'Entities', meaning: 'About somebody or something that the query names' },
  { part: 'speaker', name: 'Speaker', meaning: 'Said by those whom the query is about' },
  { part: 'time', name: 'Time', meaning: 'Of the time that the query speaks of' },
  { part: 'reply', name: 'Reply', meaning: 'Answers somebody who asked much the same' },
  { part: 'statement', name: 'Statement', meaning: 'Tells something, rather than asks' },
  { part: 'rerank', name: 'Second look', meaning: 'What the reranker makes of it' },
  { part: 'decay', name: 'Freshness', meaning: 'Young or often used; an old one loses a little' },
  { part: 'trust', name: 'Trust', meaning: 'How far content protection trusts it' },
]

/** What each signal says of a memory, with the place that it alone would have given it. */
export function Parts({ explanation, caption }: { readonly explanation: Explanation; readonly caption: string }) {
  return (
    <TableFrame label={caption}>
      <table class="parts">
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Part</th>
            <th scope="col">
              <span class="visually-hidden">As a bar</span>
            </th>
            <th scope="col" class="number">
              Score
            </th>
            <th scope="col" class="number">
              Rank
            </th>
          </tr>
        </thead>
        <tbody>
          {parts.map(({ part, name, meaning }) => {
            const signal = explanation[part]
            return (
              <tr key={part} class={signal === null ? 'quiet' : ''}>
                <th scope="row">
                  {name}
                  <span class="part-meaning">{meaning}</span>
                </th>
                <td class="part-bar">
                  <Bar share={signal?.score ?? 0} />
                </td>
                <td class="number">{signal === null ? 'not asked' : scoreText(signal.score)}</td>
                <td class="number">{signal?.rank ?? '–'}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </TableFrame>
  )
}
