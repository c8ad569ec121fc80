import type { Memory, MemoryChanges } from '@keepsake/client'
import { ValidationError } from '@keepsake/client'
import { useAction } from '../action.ts'
import { Field } from '../components/field.tsx'
import { Problem } from '../components/problem.tsx'
import { client } from '../connection.ts'
import { fieldValue } from '../form.ts'
import { changed, notify } from '../state.ts'

/** Sends only changed fields, so that an unchanged text is not processed, embedded and versioned again. */
export function EditMemory({ memory, done }: { readonly memory: Memory; readonly done: () => void }) {
  const action = useAction()
  function submit(event: SubmitEvent) {
    event.preventDefault()
    const written = {
      content: fieldValue(event, 'content'),
      metadata: fieldValue(event, 'metadata'),
      ttl: fieldValue(event, 'ttl'),
      project: fieldValue(event, 'project'),
    }
    action.run(async () => {
      const changes = changesOf(memory, written)
      if (Object.keys(changes).length > 0) {
        await client.value.update(memory.id, changes, { userId: memory.userId })
        notify('The memory is saved')
        changed()
      }
      done()
    })
  }
  return (
    <form class="stack" onSubmit={submit}>
      <Field label="Content">
        {(ids) => (
          <textarea
            {...ids}
            name="content"
            class="input"
            dir="auto"
            required
            maxLength={50_000}
            defaultValue={memory.content}
          />
        )}
      </Field>
      <div class="columns">
        <Field label="Project" hint="Empty: none">
          {(ids) => <input {...ids} name="project" class="input" maxLength={128} defaultValue={memory.project ?? ''} />}
        </Field>
        <Field label="Expires after" hint="Counted from now: 24h, 7d, 4w, 6m, 1y or permanent. Empty: unchanged">
          {(ids) => (
            <input
              {...ids}
              name="ttl"
              class="input"
              pattern="[1-9][0-9]*(min|mo|[hdwmy])|permanent"
              title="A number followed by h, d, w, m or y, or permanent"
            />
          )}
        </Field>
      </div>
      <Field label="Metadata" hint="A JSON object; it replaces the current one">
        {(ids) => (
          <textarea
            {...ids}
            name="metadata"
            class="input mono"
            spellcheck={false}
            defaultValue={JSON.stringify(memory.metadata, null, 2)}
          />
        )}
      </Field>
      {action.problem !== undefined && <Problem error={action.problem} />}
      <p class="row">
        <button type="submit" class="button primary" disabled={action.busy}>
          {action.busy ? 'Saving…' : 'Save'}
        </button>
        <button type="button" class="button" onClick={done}>
          Cancel
        </button>
      </p>
    </form>
  )
}

interface Written {
  readonly content: string
  readonly metadata: string
  readonly ttl: string
  readonly project: string
}

function changesOf(memory: Memory, { content, metadata, ttl, project }: Written): MemoryChanges {
  const newProject = project === '' ? null : project
  const newMetadata = readMetadata(metadata)
  return {
    ...(content === memory.content ? {} : { content }),
    ...(JSON.stringify(newMetadata) === JSON.stringify(memory.metadata) ? {} : { metadata: newMetadata }),
    ...(ttl === '' ? {} : { ttl }),
    ...(newProject === memory.project ? {} : { project: newProject }),
  }
}

function readMetadata(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text === '' ? '{}' : text)
  } catch (error) {
    throw new ValidationError('The metadata is not JSON', { cause: error })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ValidationError('The metadata must be a JSON object')
  }
  return { ...value }
}
