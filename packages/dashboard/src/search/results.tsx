import type { RecalledMemory, RecallMemoriesAnswer } from '@keepsake/client'
import { Bar, scoreText } from '../components/bar.tsx'
import { Empty } from '../components/loaded.tsx'
import { Moment } from '../components/moment.tsx'
import { Content } from '../memories/content.tsx'
import { addressOf } from '../route.ts'
import { Parts } from './parts.tsx'
import { strengthOf } from './strength.ts'

export function Results({ answer }: { readonly answer: RecallMemoriesAnswer }) {
  const { memories, degraded } = answer
  return (
    <section class="stack" aria-labelledby="results-title">
      <h2 id="results-title">
        {memories.length === 1 ? 'One memory' : `${memories.length} memories`}, most relevant first
      </h2>
      {degraded !== undefined && (
        <p class="tag warm">Results without {degraded.join(' and ')}: that part of the service does not respond</p>
      )}
      {memories.length === 0 ? (
        <Empty title="Nothing was found">
          <p>Try other words, a lower threshold, or all projects.</p>
        </Empty>
      ) : (
        <ol class="results">
          {memories.map((memory, index) => (
            <Result key={memory.id} memory={memory} place={index + 1} />
          ))}
        </ol>
      )}
    </section>
  )
}

/** A number alone says little: 0.35 may be a right answer. */
function Strength({ score }: { readonly score: number }) {
  const number = scoreText(score)
  return (
    <strong class={strengthOf(score)} title={`Score ${number}: roughly the probability that it answers the question`}>
      {strengthOf(score)}
      <span class="visually-hidden">, score {number}</span>
    </strong>
  )
}

function Result({ memory, place }: { readonly memory: RecalledMemory; readonly place: number }) {
  const { id, content, outdated, score, createdAt, project, explain, flagged, supersededAt, trustScore } = memory
  return (
    <li class="result">
      <div class="result-score">
        <span>
          <span class="small quiet number">{place}.</span> <Strength score={score} />
        </span>
        <Bar share={score} />
      </div>
      <div class="stack tight">
        <div class="result-line">
          <p class="words" dir="auto">
            <Content content={content} outdated={outdated} />
          </p>
          <p class="row small quiet">
            <Moment at={createdAt} />
            {project !== null && <span class="tag">{project}</span>}
            {flagged === true && <span class="tag bad">flagged</span>}
            {supersededAt !== undefined && supersededAt !== null && <span class="tag warm">superseded</span>}
            {outdated !== undefined && <span class="tag warm">partly outdated</span>}
            {trustScore < 0.8 && <span class="tag warm">trust {trustScore.toFixed(2)}</span>}
            <a href={addressOf('memories', id)}>
              Open<span class="visually-hidden"> memory {place}</span>
            </a>
          </p>
        </div>
        {explain !== undefined && (
          <details>
            <summary class="small">
              Why this score<span class="visually-hidden"> of memory {place}</span>
            </summary>
            <Parts explanation={explain} caption={`Parts of the score of memory ${place}`} />
          </details>
        )}
      </div>
    </li>
  )
}
