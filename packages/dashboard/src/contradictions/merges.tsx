import type { Entity, EntityMerge } from '@keepsake/client'
import { signal } from '@preact/signals'
import { useAction } from '../action.ts'
import { Field } from '../components/field.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Moment } from '../components/moment.tsx'
import { Problem } from '../components/problem.tsx'
import { client } from '../connection.ts'
import { fieldValue } from '../form.ts'
import { useLoad } from '../load.ts'
import { changed, notify, revision } from '../state.ts'

const listed = 100
const name = signal('')
const selected = signal<string | undefined>(undefined)

/** Names that were merged into one entity, with the reason and a way to undo it. */
export function Merges() {
  return (
    <section class="card" aria-labelledby="merges-title">
      <h2 id="merges-title">Merged names</h2>
      <p>
        “Anna” and “Anna Fischer” may be the same person. See which names were merged, undo a merge, or merge names
        yourself.
      </p>
      <form
        class="search-line"
        onSubmit={(event) => {
          event.preventDefault()
          name.value = fieldValue(event, 'name')
          selected.value = undefined
        }}
      >
        <label class="visually-hidden" for="merge-name">
          Name of an entity
        </label>
        <input
          id="merge-name"
          name="name"
          class="input"
          placeholder="A name"
          maxLength={200}
          defaultValue={name.value}
        />
        <button type="submit" class="button">
          Find
        </button>
      </form>
      <Entities />
    </section>
  )
}

function Entities() {
  const load = useLoad(
    (ended) =>
      client.value.entities.listPage({
        limit: listed,
        ...(name.value === '' ? {} : { q: name.value }),
        signal: ended,
      }),
    [client.value, name.value, revision.value],
  )
  return (
    <Loaded load={load} what="Reading entities">
      {({ entities, total }) => (
        <>
          {entities.length === 0 && <p class="quiet">No entity has this name.</p>}
          {total > entities.length && (
            <p class="small quiet">
              The {entities.length} most recent of {total}: search by name for the others.
            </p>
          )}
          <Field label="Entity">
            {(ids) => (
              <select
                {...ids}
                class="input"
                value={selected.value ?? ''}
                onChange={(event) => {
                  selected.value = event.currentTarget.value === '' ? undefined : event.currentTarget.value
                }}
              >
                <option value="">Choose one</option>
                {entities.map((entity) => (
                  <option key={entity.id} value={entity.id}>
                    {entity.name} ({entity.type.toLowerCase()}
                    {entity.aliases.length > 0 ? `, also ${entity.aliases.join(', ')}` : ''})
                  </option>
                ))}
              </select>
            )}
          </Field>
          {selected.value !== undefined && <MergesOf key={selected.value} id={selected.value} entities={entities} />}
        </>
      )}
    </Loaded>
  )
}

function MergesOf({ id, entities }: { readonly id: string; readonly entities: readonly Entity[] }) {
  const load = useLoad(
    (ended) => client.value.entities.merges(id, { signal: ended }),
    [client.value, id, revision.value],
  )
  return (
    <Loaded load={load} what="Reading merges">
      {({ entity, merges }) => (
        <>
          {merges.length === 0 && <p class="quiet">No other name was merged into {entity.name}.</p>}
          <ul class="stack tight">
            {merges.map((merge) => (
              <Merge key={merge.id} merge={merge} />
            ))}
          </ul>
          <MergeInto
            entity={entity}
            others={entities.filter((other) => other.id !== id && other.type === entity.type)}
          />
        </>
      )}
    </Loaded>
  )
}

function Merge({ merge }: { readonly merge: EntityMerge }) {
  const action = useAction()
  function revert() {
    action.run(async () => {
      await client.value.entities.revertMerge(merge.id)
      notify(`${merge.from.name} is a separate entity again`)
      changed()
    })
  }
  return (
    <li class="row apart">
      <span>
        <strong>{merge.from.name}</strong> is <strong>{merge.into.name}</strong>: {merge.why}{' '}
        <span class="small quiet">
          <Moment at={merge.createdAt} />
          {merge.revertedAt !== null && ', undone'}
        </span>
      </span>
      {merge.revertedAt === null && (
        <button type="button" class="button small" disabled={action.busy} onClick={revert}>
          Undo
          <span class="visually-hidden">
            {' '}
            merging {merge.from.name} into {merge.into.name}
          </span>
        </button>
      )}
      {action.problem !== undefined && <Problem error={action.problem} />}
    </li>
  )
}

function MergeInto({ entity, others }: { readonly entity: Entity; readonly others: readonly Entity[] }) {
  const action = useAction()
  if (others.length === 0) return null
  function submit(event: SubmitEvent) {
    event.preventDefault()
    const into = fieldValue(event, 'into')
    if (into === '') return
    action.run(async () => {
      const { merge } = await client.value.entities.merge(entity.id, into)
      notify(`${merge.from.name} was merged into ${merge.into.name}`)
      selected.value = merge.into.id
      changed()
    })
  }
  return (
    <form class="stack tight" onSubmit={submit}>
      <Field label={`Merge ${entity.name} into`}>
        {(ids) => (
          <div class="search-line">
            <select {...ids} name="into" class="input" required>
              <option value="">Choose one</option>
              {others.map(({ id, name: other }) => (
                <option key={id} value={id}>
                  {other}
                </option>
              ))}
            </select>
            <button type="submit" class="button" disabled={action.busy}>
              Merge
            </button>
          </div>
        )}
      </Field>
      {action.problem !== undefined && <Problem error={action.problem} />}
    </form>
  )
}
