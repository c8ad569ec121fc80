/** "Why was a memory not returned?": enter its id or some of its words, and see the reason. */

import type { Keepsake, RecallMemoriesAnswer, UnreturnedMemory } from '@keepsake/client'
import { useEffect, useState } from 'preact/hooks'
import { scoreText } from '../components/bar.tsx'
import { Field } from '../components/field.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Moment } from '../components/moment.tsx'
import { visible } from '../components/visible.ts'
import { client } from '../connection.ts'
import { counted } from '../counted.ts'
import { fieldValue } from '../form.ts'
import { useLoad } from '../load.ts'
import { addressOf } from '../route.ts'
import { asOf } from '../state.ts'
import type { Asked } from './asked.ts'
import { Parts } from './parts.tsx'

const reasons: Readonly<Record<UnreturnedMemory['reason'], string>> = {
  below_threshold: 'Its score is below the threshold that you set.',
  beyond_limit: 'Others scored higher, and the limit was reached.',
  not_a_candidate: 'Others were closer in meaning and words, so it was not considered.',
  expired: 'It has expired.',
  superseded: 'A newer memory replaced it. The options can include superseded memories.',
  created_later: 'It did not exist yet at the time shown.',
  flagged: 'Content protection flagged it. The options can include flagged memories.',
  other_project: 'It belongs to a project other than the one shown.',
  filtered: 'A filter excluded it.',
  failed_checksum: 'Its content does not match its checksum: it was changed outside the service.',
  not_found: 'This user has no memory with this id: it never existed, was deleted, or belongs to someone else.',
}

const idShape = /^mem_[0-9a-z]+$/
const offered = 8

export function WhyNot({ asked }: { readonly asked: Asked }) {
  const [named, setNamed] = useState('')
  const [id, setId] = useState<string>()
  // Reset for a new query.
  useEffect(() => {
    setId(undefined)
    setNamed('')
  }, [asked])
  function submit(event: SubmitEvent) {
    event.preventDefault()
    const text = fieldValue(event, 'missing')
    setNamed(text)
    setId(idShape.test(text) ? text : undefined)
  }
  return (
    <section class="card" aria-labelledby="why-not-title">
      <h2 id="why-not-title">Why was a memory not returned?</h2>
      <form onSubmit={submit}>
        <Field label="Its id, or some of its words" hint="Expired and replaced memories are found too.">
          {(ids) => (
            <div class="search-line">
              <input {...ids} name="missing" class="input" maxLength={256} autocomplete="off" required />
              <button type="submit" class="button">
                Find it
              </button>
            </div>
          )}
        </Field>
      </form>
      {named !== '' && !idShape.test(named) && <Choices text={named} chosen={id} choose={setId} />}
      {id !== undefined && <Reason key={id} asked={asked} id={id} />}
    </section>
  )
}

interface ChoicesProps {
  readonly text: string
  readonly chosen: string | undefined
  readonly choose: (id: string) => void
}

interface Named {
  readonly id: string
  readonly content: string
  readonly createdAt: string
  /** Kept as history only. */
  readonly isReplaced: boolean
}

interface Found {
  readonly memories: readonly Named[]
  readonly total: number
}

/** The most that one recall returns. */
const mostReplaced = 100

/** Searches all projects, expired memories and history, because each of them may be the reason. */
async function findNamed(reader: Keepsake, text: string, signal: AbortSignal): Promise<Found> {
  const everywhere = { project: null, signal }
  const [listed, recalled] = await Promise.all([
    reader.listPage({ ...everywhere, q: text, limit: offered, includeExpired: true }),
    // Lists have no replaced memories, so they are recalled. With `asOf`, that does not count as a use.
    reader.recall(text, {
      ...everywhere,
      includeHistory: true,
      includeFlagged: true,
      asOf: new Date(),
      limit: mostReplaced,
    }),
  ])
  const words = text.toLowerCase().split(/\s+/)
  const current = listed.memories.map(({ id, content, createdAt }) => ({ id, content, createdAt, isReplaced: false }))
  const known = new Set(current.map(({ id }) => id))
  const replaced = recalled.memories.filter(
    ({ id, content, supersededAt }) =>
      typeof supersededAt === 'string' && !known.has(id) && words.every((word) => content.toLowerCase().includes(word)),
  )
  const shown = replaced
    .slice(0, offered)
    .map(({ id, content, createdAt }) => ({ id, content, createdAt, isReplaced: true }))
  return { memories: [...current, ...shown], total: listed.total + replaced.length }
}

function Choices({ text, chosen, choose }: ChoicesProps) {
  const load = useLoad(
    (ended) => findNamed(client.value, text, ended),
    [client.value, text],
    ({ total }) => `${counted(total, 'memory', 'memories')} with these words`,
  )
  return (
    <Loaded load={load} what="Finding it">
      {({ memories, total }) =>
        memories.length === 0 ? (
          <p class="quiet">No memory contains these words, and none did that was replaced.</p>
        ) : (
          <>
            <ul class="stack tight">
              {memories.map((memory) => (
                <Choice key={memory.id} memory={memory} isChosen={memory.id === chosen} choose={choose} />
              ))}
            </ul>
            {total > memories.length && <p class="small quiet">And {total - memories.length} more: add more words.</p>}
          </>
        )
      }
    </Loaded>
  )
}

interface ChoiceProps {
  readonly memory: Named
  readonly isChosen: boolean
  readonly choose: (id: string) => void
}

function Choice({ memory, isChosen, choose }: ChoiceProps) {
  return (
    <li>
      <button type="button" class="button choose" aria-pressed={isChosen} onClick={() => choose(memory.id)}>
        <span class="words" dir="auto">
          {visible(memory.content)}
        </span>
        <span class="small quiet">
          {memory.isReplaced && <span class="tag warm">replaced</span>} <Moment at={memory.createdAt} />
        </span>
      </button>
    </li>
  )
}

function Reason({ asked, id }: { readonly asked: Asked; readonly id: string }) {
  const { query, ...options } = asked
  const load = useLoad(
    (ended) =>
      client.value.recall(query, {
        ...options,
        explain: true,
        explainMemoryIds: [id],
        asOf: asOf.value,
        signal: ended,
      }),
    [asked, client.value, asOf.value, id],
    (answer) => verdict(answer, id),
  )
  return (
    <Loaded load={load} what="Finding the reason">
      {(answer) => {
        const missing = answer.notReturned?.find((each) => each.id === id)
        return (
          <div class="stack tight">
            <p>
              <strong>{verdict(answer, id)}</strong>{' '}
              {missing?.reason !== 'not_found' && <a href={addressOf('memories', id)}>Open it</a>}
            </p>
            {missing?.score !== undefined && (
              <p>
                {missing.reason === 'not_a_candidate' ? 'It would have scored' : 'It scored'}{' '}
                <strong class="number">{scoreText(missing.score)}</strong>
                {missing.rank !== undefined && `, rank ${missing.rank}`}
                {lastScore(answer)}.
              </p>
            )}
            {missing?.explain !== undefined && (
              <Parts explanation={missing.explain} caption="Parts of the score of the missing memory" />
            )}
          </div>
        )
      }}
    </Loaded>
  )
}

function verdict(answer: RecallMemoriesAnswer, id: string): string {
  const place = answer.memories.findIndex((memory) => memory.id === id)
  if (place >= 0) return `It was returned: it is No. ${place + 1}.`
  const missing = answer.notReturned?.find((each) => each.id === id)
  return missing === undefined ? 'The service gave no reason.' : reasons[missing.reason]
}

function lastScore({ memories }: RecallMemoriesAnswer): string {
  const last = memories.at(-1)
  return last === undefined ? '' : `; the last memory returned scored ${scoreText(last.score)}`
}
