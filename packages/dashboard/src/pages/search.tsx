import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Field } from '../components/field.tsx'
import { Loaded } from '../components/loaded.tsx'
import { client } from '../connection.ts'
import { counted } from '../counted.ts'
import { fieldValue, isChecked, numberValue } from '../form.ts'
import { useLoad } from '../load.ts'
import type { Asked } from '../search/asked.ts'
import { Context } from '../search/context.tsx'
import { Results } from '../search/results.tsx'
import { WhyNot } from '../search/why-not.tsx'
import { asOf } from '../state.ts'

/** Kept in memory while other pages are open, and never in the address. */
const asked = signal<Asked | undefined>(undefined)

const samples = [
  'Where do I live?',
  'What do I like?',
  'Who is in my family?',
  'What am I allergic to?',
  'What is planned?',
]
/** The last sample question that was clicked. A new form shows it. */
const sampled = signal<string | undefined>(undefined)

function askSample(query: string): void {
  sampled.value = query
  asked.value = {
    query,
    limit: undefined,
    threshold: undefined,
    maxTokens: undefined,
    enableHybrid: true,
    enableRerank: false,
    includeHistory: false,
    includeFlagged: false,
  }
}

export default function SearchPage() {
  const current = asked.value
  return (
    <>
      <SearchForm key={sampled.value} />
      {current === undefined ? (
        <>
          <p class="quiet">
            Ask as you would ask a person. Like every recall, a search counts as a use of the memories it finds.
          </p>
          <ul class="samples" aria-label="Sample questions">
            {samples.map((query) => (
              <li key={query}>
                <button type="button" class="button small" onClick={() => askSample(query)}>
                  {query}
                </button>
              </li>
            ))}
          </ul>
        </>
      ) : (
        <Answer asked={current} />
      )}
    </>
  )
}

function SearchForm() {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const before = asked.value
  function submit(event: SubmitEvent) {
    event.preventDefault()
    const query = fieldValue(event, 'query')
    if (query === '') return
    asked.value = {
      query,
      limit: numberValue(event, 'limit'),
      threshold: numberValue(event, 'threshold'),
      maxTokens: numberValue(event, 'maxTokens'),
      enableHybrid: isChecked(event, 'hybrid'),
      enableRerank: isChecked(event, 'rerank'),
      includeHistory: isChecked(event, 'history'),
      includeFlagged: isChecked(event, 'flagged'),
    }
  }
  return (
    <search>
      <form class="card" onSubmit={submit}>
        <Field label="What do you want to know?">
          {(ids) => (
            <div class="search-line">
              <input
                {...ids}
                ref={field}
                name="query"
                class="input"
                maxLength={10_000}
                autocomplete="off"
                defaultValue={before?.query ?? ''}
                placeholder="Where does my brother live?"
                required
              />
              <button type="submit" class="button primary">
                Search
              </button>
            </div>
          )}
        </Field>
        <details>
          <summary>Options</summary>
          <div class="columns options">
            <Field label="Limit" hint="Number of memories, 1 to 100">
              {(ids) => <input {...ids} name="limit" type="number" class="input" min={1} max={100} defaultValue="10" />}
            </Field>
            <Field label="Threshold" hint="Minimum score, 0 to 1">
              {(ids) => (
                <input
                  {...ids}
                  name="threshold"
                  type="number"
                  class="input"
                  min={0}
                  max={1}
                  step="any"
                  defaultValue="0"
                />
              )}
            </Field>
            <Field label="Context" hint="Tokens, 1 to 128,000">
              {(ids) => (
                <input
                  {...ids}
                  name="maxTokens"
                  type="number"
                  class="input"
                  min={1}
                  max={128_000}
                  defaultValue="4000"
                />
              )}
            </Field>
          </div>
          <p class="row options">
            <Option name="hybrid" label="Also search by words and entities" checked />
            <Option name="rerank" label="Rerank (slower)" />
            <Option name="history" label="Include superseded memories" />
            <Option name="flagged" label="Include flagged memories" />
          </p>
        </details>
      </form>
    </search>
  )
}

function Option({
  name,
  label,
  checked = false,
}: {
  readonly name: string
  readonly label: string
  readonly checked?: boolean
}) {
  return (
    <label class="check">
      <input type="checkbox" name={name} defaultChecked={checked} />
      {label}
    </label>
  )
}

function Answer({ asked }: { readonly asked: Asked }) {
  const { query, ...options } = asked
  const load = useLoad(
    (ended) => client.value.recall(query, { ...options, explain: true, asOf: asOf.value, signal: ended }),
    [asked, client.value, asOf.value],
    ({ memories }) => `${counted(memories.length, 'memory', 'memories')} found`,
  )
  return (
    <>
      <Loaded load={load} what="Searching">
        {(answer) => (
          <>
            <Results answer={answer} />
            <Context answer={answer} />
          </>
        )}
      </Loaded>
      <WhyNot asked={asked} />
    </>
  )
}
