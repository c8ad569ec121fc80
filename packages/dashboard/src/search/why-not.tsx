/** "Why was this memory not returned?": name one by its id, or find it by its words, and see what kept it out. */
import type { Memory, RecallMemoriesAnswer, UnreturnedMemory } from '@keepsake/client'
import { useEffect, useState } from 'preact/hooks'
import { scoreText } from '../components/bar.tsx'
import { Field } from '../components/field.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Moment } from '../components/moment.tsx'
import { client } from '../connection.ts'
import { fieldValue } from '../form.ts'
import { useLoad } from '../load.ts'
import { addressOf } from '../route.ts'
import { asOf } from '../state.ts'
import type { Asked } from './asked.ts'
import { Parts } from './parts.tsx'

const reasons: Readonly<Record<UnreturnedMemory['reason'], string>> = {
  below_threshold: 'Its score is below the threshold that you set.',
  beyond_limit: 'Others scored higher, and only so many were asked for.',
  not_a_candidate: 'Others were nearer by meaning and by words, so it was not looked at closely.',
  expired: 'It has expired.',
  superseded: 'A newer memory replaced it: it is history. The options can include what was superseded.',
  created_later: 'It was not there yet at the moment that you look at.',
  flagged: 'Content protection flagged it. The options can include what was flagged.',
  other_project: 'It belongs to another project than the one that is shown.',
  filtered: 'A filter left it out.',
  failed_checksum: 'Its content does not fit its checksum: it was changed outside of the service.',
  not_found: 'This user has no memory with this id: it was never there, is deleted, or is somebody else’s.',
}

const idShape = /^mem_[0-9a-z]+$/
const offered = 8

export function WhyNot({ asked }: { readonly asked: Asked }) {
  const [named, setNamed] = useState('')
  const [id, setId] = useState<string>()
  // Another question begins anew.
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
        <Field label="Its id, or some of its words">
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

/** Of all projects, and what has expired too: they may be the reason. */
function Choices({ text, chosen, choose }: ChoicesProps) {
  const load = useLoad(
    (ended) => client.value.listPage({ q: text, limit: offered, includeExpired: true, project: null, signal: ended }),
    [client.value, text],
    ({ total }) => `${total} memories have these words`,
  )
  return (
    <Loaded load={load} what="Finding it">
      {({ memories, total }) =>
        memories.length === 0 ? (
          <p class="quiet">No memory has these words. What was replaced is found by its id.</p>
        ) : (
          <>
            <ul class="stack tight">
              {memories.map((memory) => (
                <Choice key={memory.id} memory={memory} isChosen={memory.id === chosen} choose={choose} />
              ))}
            </ul>
            {total > memories.length && (
              <p class="small quiet">And {total - memories.length} more: say more of its words.</p>
            )}
          </>
        )
      }
    </Loaded>
  )
}

interface ChoiceProps {
  readonly memory: Memory
  readonly isChosen: boolean
  readonly choose: (id: string) => void
}

function Choice({ memory, isChosen, choose }: ChoiceProps) {
  return (
    <li>
      <button type="button" class="button choose" aria-pressed={isChosen} onClick={() => choose(memory.id)}>
        <span class="words">{memory.content}</span>
        <span class="small quiet">
          <Moment at={memory.createdAt} />
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
    <Loaded load={load} what="Asking why">
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
                {missing.rank !== undefined && `, which is place ${missing.rank}`}
                {lastScore(answer)}.
              </p>
            )}
            {missing?.explain !== undefined && (
              <Parts explanation={missing.explain} caption="Parts of the score of the memory that is missing" />
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
  return missing === undefined ? 'The service does not say.' : reasons[missing.reason]
}

function lastScore({ memories }: RecallMemoriesAnswer): string {
  const last = memories.at(-1)
  return last === undefined ? '' : `; the last that was returned has ${scoreText(last.score)}`
}
