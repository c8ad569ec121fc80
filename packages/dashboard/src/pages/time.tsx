import type { Keepsake, Memory } from '@keepsake/client'
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Field } from '../components/field.tsx'
import { Loaded } from '../components/loaded.tsx'
import { client } from '../connection.ts'
import { fieldValue } from '../form.ts'
import { useLoad } from '../load.ts'
import { addressOf } from '../route.ts'
import { revision } from '../state.ts'
import { type Comparison, compare, type MomentList } from '../time/compare.ts'
import { dayOf, endOfDay, isoDay, readDay } from '../time/days.ts'
import { Differences } from '../time/differences.tsx'
import { sliderOn } from '../time/range.ts'

interface Days {
  readonly from: number
  readonly to: number
}

/** Kept while other pages are open. Set only on request, because a comparison reads all memories twice. */
const compared = signal<Days | undefined>(undefined)

function lastMonth(): Days {
  const today = dayOf(new Date())
  return { from: today - 30, to: today }
}

export default function TimePage() {
  // Opening this page turns the slider on. It stays on for other pages until it is switched off.
  useEffect(() => {
    sliderOn.value = true
  }, [])
  return (
    <>
      <section class="card" aria-labelledby="slider-title">
        <h2 id="slider-title">Go back</h2>
        <p>
          The slider above sets the time for <a href={addressOf('memories')}>memories</a>,{' '}
          <a href={addressOf('search')}>search</a>, the <a href={addressOf('profile')}>profile</a> and the{' '}
          <a href={addressOf('graph')}>graph</a>: they show what was known at the end of that day, in the words of that
          day. Memories superseded since then are back; deleted ones are not.
        </p>
        <p class="small quiet">
          On the slider <kbd>←</kbd> and <kbd>→</kbd> move by a day, with <kbd>Shift</kbd> by a week, <kbd>Page Up</kbd>{' '}
          and <kbd>Page Down</kbd> by a month.
        </p>
        {!sliderOn.value && (
          <p>
            <button type="button" class="button" onClick={() => (sliderOn.value = true)}>
              Switch the slider on
            </button>
          </p>
        )}
      </section>
      <section class="stack" aria-labelledby="compare-title">
        <h2 id="compare-title">Compare two days</h2>
        <CompareForm />
        {compared.value !== undefined && <Compared days={compared.value} />}
      </section>
    </>
  )
}

function CompareForm() {
  const { from, to } = compared.value ?? lastMonth()
  function submit(event: SubmitEvent) {
    event.preventDefault()
    const [first, second] = [readDay(fieldValue(event, 'from')), readDay(fieldValue(event, 'to'))]
    if (first === undefined || second === undefined) return
    compared.value = { from: Math.min(first, second), to: Math.max(first, second) }
  }
  return (
    <form class="card" onSubmit={submit} key={`${from} ${to}`}>
      <div class="columns">
        <Field label="From the end of">
          {(ids) => <input {...ids} name="from" type="date" class="input" required defaultValue={isoDay(from)} />}
        </Field>
        <Field label="To the end of">
          {(ids) => <input {...ids} name="to" type="date" class="input" required defaultValue={isoDay(to)} />}
        </Field>
      </div>
      <p>
        <button type="submit" class="button primary">
          Compare
        </button>
      </p>
    </form>
  )
}

function Compared({ days: { from, to } }: { readonly days: Days }) {
  const load = useLoad(
    (ended) => readComparison(client.value, from, to, ended),
    [client.value, from, to, revision.value],
    summary,
  )
  return (
    <Loaded load={load} what="Comparing">
      {(comparison) => (
        <>
          <p class="quiet">{summary(comparison)}.</p>
          <Differences comparison={comparison} />
        </>
      )}
    </Loaded>
  )
}

function summary({ added, changed, superseded, expired }: Comparison): string {
  return `${added.length} added, ${changed.length} changed, ${superseded.length} superseded, ${expired.length} expired`
}

async function readComparison(reader: Keepsake, from: number, to: number, ended: AbortSignal): Promise<Comparison> {
  const [before, after] = await Promise.all([listAt(reader, from, ended), listAt(reader, to, ended)])
  return compare(before, after)
}

const pageSize = 500
const mostPages = 4

async function listAt(reader: Keepsake, day: number, signal: AbortSignal): Promise<MomentList> {
  const at = endOfDay(day)
  const memories: Memory[] = []
  let cursor: string | undefined
  for (let page = 0; page < mostPages; page += 1) {
    const { memories: more, nextCursor } = await reader.listPage({ asOf: at, limit: pageSize, cursor, signal })
    memories.push(...more)
    if (nextCursor === null) return { at: at.getTime(), memories, whole: true }
    cursor = nextCursor
  }
  return { at: at.getTime(), memories, whole: false }
}
