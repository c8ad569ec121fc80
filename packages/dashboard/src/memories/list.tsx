import { signal } from '@preact/signals'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Check } from '../components/field.tsx'
import { Empty, Waiting } from '../components/loaded.tsx'
import { Problem } from '../components/problem.tsx'
import { client } from '../connection.ts'
import { counted } from '../counted.ts'
import { fieldValue } from '../form.ts'
import { isLive, useChanges } from '../live.ts'
import { addressOf } from '../route.ts'
import { announce, asOf, project, revision, userId } from '../state.ts'
import { DeleteMemories } from './delete.tsx'
import { isNewestFirst, newestFirst, type Order, ordered } from './order.ts'
import { RowReader, type Rows } from './row-reader.ts'
import { MemoryTable } from './table.tsx'

/** Kept while another page is open. */
const text = signal('')
const includeExpired = signal(false)
const onlyFlagged = signal(false)
const order = signal<Order>(newestFirst)

/** Sorting reads at most this many memories: the newest ones. */
const mostSorted = 10_000

export function MemoryList({ open }: { readonly open: string | undefined }) {
  function submit(event: SubmitEvent) {
    event.preventDefault()
    text.value = fieldValue(event, 'q')
  }
  return (
    <section class="memory-list" aria-labelledby="memories-title">
      <search>
        <form class="filters" onSubmit={submit}>
          <label class="visually-hidden" for="memories-filter">
            Only memories with this text
          </label>
          <input
            id="memories-filter"
            name="q"
            type="search"
            class="input small"
            maxLength={256}
            placeholder="Only memories with this text"
            defaultValue={text.value}
          />
          <button type="submit" class="button small">
            Filter
          </button>
          <Check
            label="Expired too"
            checked={includeExpired.value}
            change={(checked) => (includeExpired.value = checked)}
          />
          <Check
            label="Only flagged, to review"
            checked={onlyFlagged.value}
            change={(checked) => (onlyFlagged.value = checked)}
          />
        </form>
      </search>
      <List open={open} />
    </section>
  )
}

/** One reader per query. It is stopped when the query changes, so that a late response never replaces a newer one. */
function useRows(): RowReader {
  const query = {
    ...(text.value === '' ? {} : { q: text.value }),
    ...(includeExpired.value ? { includeExpired: true } : {}),
    ...(onlyFlagged.value ? { flagged: true } : {}),
    ...(asOf.value === undefined ? {} : { asOf: asOf.value }),
  }
  const asking = client.value
  const inputs = [asking, text.value, includeExpired.value, onlyFlagged.value, asOf.value]
  const reader = useMemo(() => new RowReader((page) => asking.listPage({ ...query, ...page })), inputs)
  useEffect(() => {
    reader.need(0)
    return () => reader.stop()
  }, [reader])
  const seen = useRef(revision.value)
  useEffect(() => {
    if (seen.current !== revision.value) reader.reload()
    seen.current = revision.value
  }, [reader, revision.value])
  // A long list costs many requests, so it is read again less often.
  const restMs = () => 500 + 4 * (reader.rows.value?.memories.length ?? 0)
  useChanges(asking, asOf.value === undefined, () => reader.reload(), restMs)
  return reader
}

function List({ open }: { readonly open: string | undefined }) {
  const reader = useRows()
  const last = useRef<Rows | undefined>(undefined)
  const current = reader.rows.value
  useEffect(() => {
    if (current !== undefined) announce(countText(current.total))
  }, [current?.total])
  if (current !== undefined) last.current = current
  const rows = current ?? last.current
  const problem = reader.problem.value
  if (rows === undefined || (problem !== undefined && current === undefined)) {
    return problem === undefined ? (
      <Waiting what="Reading memories" />
    ) : (
      <Problem error={problem} again={() => reader.need(0)} />
    )
  }
  return (
    <>
      {problem !== undefined && <Problem error={problem} again={() => reader.reload()} />}
      <div class={current === undefined ? 'stale' : 'fresh'} aria-busy={current === undefined}>
        {rows.total === 0 ? <NoMemories /> : <Found reader={reader} rows={rows} open={open} />}
      </div>
    </>
  )
}

interface FoundProps {
  readonly reader: RowReader
  readonly rows: Rows
  readonly open: string | undefined
}

function Found({ reader, rows, open }: FoundProps) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [erasing, setErasing] = useState<readonly string[]>()
  const isSorted = !isNewestFirst(order.value)
  const memories = useMemo(() => ordered(rows.memories, order.value), [rows, order.value])
  // What others deleted is not selected any more.
  const ids = useMemo(() => rows.memories.map(({ id }) => id).filter((id) => selected.has(id)), [rows, selected])
  const need = useMemo(() => (count: number) => reader.need(isSorted ? mostSorted : count), [reader, isSorted])
  const select = (touched: readonly string[], isSelected: boolean) => {
    const next = new Set(selected)
    for (const id of touched) isSelected ? next.add(id) : next.delete(id)
    setSelected(next)
  }
  const { total } = rows
  return (
    <>
      <div class="row list-head">
        <h2 id="memories-title">
          {countText(total)}, {orderText(order.value)}
          {isSorted && total > rows.memories.length && ` among the newest ${rows.memories.length}`}
        </h2>
        {isLive.value && (
          <span class="tag good" title="Changes by others appear by themselves">
            live
          </span>
        )}
        {ids.length > 0 && (
          <span class="row">
            <span class="number">{ids.length} selected</span>
            <button type="button" class="button small danger" onClick={() => setErasing(ids)}>
              Delete selected…
            </button>
            <button type="button" class="button small" onClick={() => setSelected(new Set())}>
              Clear
            </button>
          </span>
        )}
      </div>
      <MemoryTable
        memories={memories}
        total={isSorted ? Math.min(total, Math.max(memories.length, 1)) : total}
        order={order.value}
        setOrder={(next) => (order.value = next)}
        need={need}
        selected={selected}
        select={select}
        open={open}
        erase={(id) => setErasing([id])}
      />
      {erasing !== undefined && (
        <DeleteMemories ids={erasing} close={() => setErasing(undefined)} done={() => select(erasing, false)} />
      )}
    </>
  )
}

function countText(total: number): string {
  return counted(total, 'memory', 'memories')
}

const orderNames = {
  content: 'by text',
  project: 'by project',
  createdAt: 'oldest first',
  accessCount: 'by use',
  decayScore: 'by freshness',
} as const

function orderText(shown: Order): string {
  return isNewestFirst(shown) ? 'newest first' : orderNames[shown.column]
}

function NoMemories() {
  if (onlyFlagged.value) {
    return (
      <Empty title="Nothing to review">
        <p>Text that content protection doubts appears here. It is not recalled until somebody releases it.</p>
      </Empty>
    )
  }
  if (text.value !== '' || project.value !== undefined) {
    return (
      <Empty title="No matching memories">
        <p>{project.value === undefined ? 'Try another text.' : `Only the project “${project.value}” is shown.`}</p>
      </Empty>
    )
  }
  if (userId.value !== undefined && asOf.value === undefined) {
    return (
      <Empty title={`There are no memories of “${userId.value}”`}>
        <p>
          Is the name spelled as your application spells it? If so, what it stores appears here. The{' '}
          <a href={addressOf('')}>start page</a> shows how to begin.
        </p>
      </Empty>
    )
  }
  return (
    <Empty title="There are no memories yet">
      <p>
        What your application stores appears here. The <a href={addressOf('')}>start page</a> shows how to begin.
      </p>
    </Empty>
  )
}
