import type { Memory } from '@keepsake/client'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useAction } from '../action.ts'
import { Icon } from '../components/icon.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Moment } from '../components/moment.tsx'
import { OfNow } from '../components/of-now.tsx'
import { Problem } from '../components/problem.tsx'
import { client } from '../connection.ts'
import { useLoad } from '../load.ts'
import { addressOf } from '../route.ts'
import { changed, notify, revision } from '../state.ts'
import { Checksum } from './checksum.tsx'
import { Content } from './content.tsx'
import { MemoryDecay } from './decay.tsx'
import { DeleteMemories } from './delete.tsx'
import { EditMemory } from './edit.tsx'
import { History } from './history.tsx'
import { MemoryTags } from './memory-tags.tsx'

export function MemoryDetail({ id }: { readonly id: string }) {
  const load = useLoad((ended) => client.value.get(id, { signal: ended }), [client.value, id, revision.value])
  return (
    <section class="detail" aria-label="Detail">
      <p class="row apart">
        <a href={addressOf('memories')}>← All memories</a>
        <a class="button plain tiny" href={addressOf('memories')} aria-label="Close">
          <Icon name="close" />
        </a>
      </p>
      <OfNow what="This is the memory as it is now, regardless of the time slider; its versions show what it said earlier." />
      <Loaded load={load} what="Reading the memory">
        {(memory) => <Shown memory={memory} />}
      </Loaded>
    </section>
  )
}

function Shown({ memory }: { readonly memory: Memory }) {
  const [mode, setMode] = useState<'read' | 'edit' | 'delete'>('read')
  return (
    <>
      <article class="card" aria-label="The memory">
        {mode === 'edit' ? (
          <EditMemory memory={memory} done={() => setMode('read')} />
        ) : (
          <>
            <p class="words memory-text" dir="auto">
              <Content content={memory.content} outdated={memory.outdated} />
            </p>
            <p class="row small">
              <MemoryTags memory={memory} />
              {memory.entities.map((name) => (
                <span key={name} class="tag">
                  {name}
                </span>
              ))}
            </p>
            {memory.flagged && <Flagged id={memory.id} />}
            <p class="row">
              <button type="button" class="button" onClick={() => setMode('edit')}>
                Edit
              </button>
              <button type="button" class="button danger" onClick={() => setMode('delete')}>
                Delete…
              </button>
            </p>
          </>
        )}
      </article>
      {mode === 'delete' && <DeleteMemories ids={[memory.id]} close={() => setMode('read')} />}
      <div class="columns">
        <Facts memory={memory} />
        <MemoryDecay id={memory.id} />
      </div>
      <History id={memory.id} />
    </>
  )
}

/** Deleting is possible like for every memory. */
function Flagged({ id }: { readonly id: string }) {
  const action = useAction()
  function release() {
    action.run(async () => {
      await client.value.release(id)
      notify('The memory is released')
      changed()
    })
  }
  return (
    <>
      <p class="row small">
        Content protection doubts this text, so it is not recalled. If it is harmless, release it; otherwise delete it.
      </p>
      {action.problem !== undefined && <Problem error={action.problem} />}
      <p class="row">
        <button type="button" class="button primary" disabled={action.busy} onClick={release}>
          Release
        </button>
      </p>
    </>
  )
}

function Facts({ memory }: { readonly memory: Memory }) {
  const { metadata, supersededBy, supersedes, outdated } = memory
  return (
    <section class="card" aria-labelledby="facts-title">
      <h2 id="facts-title">Details</h2>
      <dl class="facts">
        <Fact name="Id">
          <code>{memory.id}</code>
        </Fact>
        <Fact name="User">{memory.userId}</Fact>
        <Fact name="Project">{memory.project ?? 'none'}</Fact>
        <Fact name="Source">{memory.source}</Fact>
        <Fact name="Created">
          <Moment at={memory.createdAt} time />
        </Fact>
        <Fact name="Changed">
          <Moment at={memory.updatedAt} time />
        </Fact>
        <Fact name="Expires">{memory.expiresAt === null ? 'never' : <Moment at={memory.expiresAt} time />}</Fact>
        <Fact name="Used">
          {memory.accessCount === 0 ? 'never' : `${memory.accessCount} times, last `}
          {memory.lastAccessed !== null && <Moment at={memory.lastAccessed} time />}
        </Fact>
        <Fact name="Trust">
          {memory.trustScore.toFixed(2)} {memory.flagged ? '(flagged: excluded from recall)' : ''}
        </Fact>
        <Fact name="Checksum">
          <Checksum content={memory.content} checksum={memory.checksum} />
        </Fact>
        {supersededBy !== null && (
          <Fact name="Replaced by">
            <a href={addressOf('memories', supersededBy)}>{supersededBy}</a>
          </Fact>
        )}
        {supersedes?.map((id) => (
          <Fact key={id} name="Replaces">
            <a href={addressOf('memories', id)}>{id}</a>
          </Fact>
        ))}
        {outdated?.map(({ start, text, since, by }) => (
          <Fact key={start} name="Outdated">
            “{text}” since <Moment at={since} />
            {by !== null && (
              <>
                {' '}
                by <a href={addressOf('memories', by)}>{by}</a>
              </>
            )}
          </Fact>
        ))}
        <Fact name="Metadata">
          {Object.keys(metadata).length === 0 ? 'none' : <pre class="words">{JSON.stringify(metadata, null, 2)}</pre>}
        </Fact>
      </dl>
    </section>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
