import type { ListPageOptions, Memory } from '@keepsake/client'
import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { useAction } from '../action.ts'
import { Check, Field } from '../components/field.tsx'
import { Empty, Loaded } from '../components/loaded.tsx'
import { Problem } from '../components/problem.tsx'
import { client } from '../connection.ts'
import { fieldValue } from '../form.ts'
import { useLoad } from '../load.ts'
import { addressOf } from '../route.ts'
import { announce, asOf, project, revision, userId } from '../state.ts'
import { MemoryCard } from './memory-card.tsx'

const pageSize = 50
/** Kept while a single memory is open. */
const text = signal('')
const includeExpired = signal(false)
const onlyFlagged = signal(false)

export function MemoryList() {
  function submit(event: SubmitEvent) {
    event.preventDefault()
    text.value = fieldValue(event, 'q')
  }
  return (
    <>
      <search>
        <form class="card" onSubmit={submit}>
          <Field label="Only memories with this text">
            {(ids) => (
              <div class="search-line">
                <input {...ids} name="q" type="search" class="input" maxLength={500} defaultValue={text.value} />
                <button type="submit" class="button">
                  Filter
                </button>
              </div>
            )}
          </Field>
          <Check
            label="Include expired memories"
            checked={includeExpired.value}
            change={(checked) => (includeExpired.value = checked)}
          />
          <Check
            label="Only flagged memories, to review"
            checked={onlyFlagged.value}
            change={(checked) => (onlyFlagged.value = checked)}
          />
        </form>
      </search>
      <Pages />
    </>
  )
}

function Pages() {
  const query = {
    limit: pageSize,
    ...(text.value === '' ? {} : { q: text.value }),
    ...(includeExpired.value ? { includeExpired: true } : {}),
    ...(onlyFlagged.value ? { flagged: true } : {}),
    ...(asOf.value === undefined ? {} : { asOf: asOf.value }),
  }
  const load = useLoad(
    (ended) => client.value.listPage({ ...query, signal: ended }),
    [client.value, text.value, includeExpired.value, onlyFlagged.value, asOf.value, revision.value],
    ({ total }) => (total === 1 ? '1 memory' : `${total} memories`),
  )
  return (
    <Loaded load={load} what="Reading memories">
      {({ memories, total, nextCursor }) =>
        total === 0 ? (
          <NoMemories />
        ) : (
          <More key={memories[0]?.id} first={memories} total={total} cursor={nextCursor} query={query} />
        )
      }
    </Loaded>
  )
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

interface MoreProps {
  readonly first: readonly Memory[]
  readonly total: number
  readonly cursor: string | null
  readonly query: ListPageOptions
}

/** Appends further pages below the first. */
function More({ first, total, cursor, query }: MoreProps) {
  const [shown, setShown] = useState({ memories: first, cursor })
  const action = useAction()
  useEffect(() => setShown({ memories: first, cursor }), [first, cursor])
  function showMore(after: string) {
    action.run(async () => {
      const page = await client.value.listPage({ ...query, cursor: after })
      setShown({ memories: [...shown.memories, ...page.memories], cursor: page.nextCursor })
      announce(`${page.memories.length} more`)
    })
  }
  const after = shown.cursor
  return (
    <section class="stack" aria-labelledby="memories-title">
      <h2 id="memories-title">
        {shown.memories.length < total ? `${shown.memories.length} of ${total}` : total}{' '}
        {total === 1 ? 'memory' : 'memories'}, newest first
      </h2>
      <ul class="stack tight">
        {shown.memories.map((memory) => (
          <MemoryCard key={memory.id} memory={memory} />
        ))}
      </ul>
      {action.problem !== undefined && <Problem error={action.problem} />}
      {after !== null && (
        <button type="button" class="button" disabled={action.busy} onClick={() => showMore(after)}>
          {action.busy ? 'Reading…' : 'Show more'}
        </button>
      )}
    </section>
  )
}
