import type { Explanation } from '@keepsake/client'
import { Bar, scoreText } from '../components/bar.tsx'
import { TableFrame } from '../components/table-frame.tsx'

type Part = keyof Explanation

/** In the order in which recall evaluates them. */
const parts: readonly { readonly part: Part; readonly name: string; readonly meaning: string }[] = [
  { part: 'semantic', name: 'Meaning', meaning: 'How close its meaning is to the query' },
  { part: 'keyword', name: 'Words', meaning: 'Rare words it shares with the query' },
  { part: 'graph', name: 'Entities', meaning: 'Mentions a person or thing that the query names' },
  { part: 'speaker', name: 'Speaker', meaning: 'Said by someone the query is about' },
  { part: 'subject', name: 'Subject', meaning: 'About the person the query is about' },
  { part: 'time', name: 'Time', meaning: 'From the time the query asks about' },
  { part: 'reply', name: 'Reply', meaning: 'Answers a similar question' },
  { part: 'statement', name: 'Statement', meaning: 'States something instead of asking' },
  { part: 'rerank', name: 'Rerank', meaning: 'Score of the reranker' },
  { part: 'decay', name: 'Freshness', meaning: 'New or often used; old memories lose a little' },
  { part: 'trust', name: 'Trust', meaning: 'How much content protection trusts it' },
]

/** The score of each signal for a memory, with the rank it would have by that signal alone. */
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
                <td class="number">{signal === null ? 'not used' : scoreText(signal.score)}</td>
                <td class="number">{signal?.rank ?? '–'}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </TableFrame>
  )
}
