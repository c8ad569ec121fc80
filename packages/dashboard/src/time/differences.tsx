import type { Memory } from '@keepsake/client'
import type { ComponentChildren } from 'preact'
import { Empty } from '../components/loaded.tsx'
import { Moment } from '../components/moment.tsx'
import { visible } from '../components/visible.ts'
import { ChangedWords } from '../memories/changed-words.tsx'
import { Content } from '../memories/content.tsx'
import { outdatedWords } from '../memories/outdated-words.ts'
import { addressOf } from '../route.ts'
import type { Comparison } from './compare.ts'

export function Differences({ comparison }: { readonly comparison: Comparison }) {
  const { added, changed, superseded, expired, since } = comparison
  const none = added.length + changed.length + superseded.length + expired.length === 0
  return (
    <>
      {since !== undefined && (
        <p class="tag warm">
          There are many memories: only those created after <Moment at={since} time /> were compared.
        </p>
      )}
      {none && <Empty title="No differences" />}
      <Group name="Added" items={added.map((memory) => ({ id: memory.id, shown: <Words memory={memory} /> }))} />
      <Group
        name="Changed"
        items={changed.map(({ before, after }) => ({
          id: after.id,
          shown: (
            <>
              <BeforeAfter before={before} after={after} />
              <Details memory={after} />
            </>
          ),
        }))}
      />
      <Group
        name="Superseded"
        items={superseded.map(({ memory, by }) => ({
          id: memory.id,
          shown: (
            <>
              <Words memory={memory} />
              {by !== undefined && (
                <p class="small">
                  by{' '}
                  <a dir="auto" href={addressOf('memories', by.id)}>
                    {visible(by.content)}
                  </a>
                </p>
              )}
            </>
          ),
        }))}
      />
      <Group name="Expired" items={expired.map((memory) => ({ id: memory.id, shown: <Words memory={memory} /> }))} />
    </>
  )
}

interface Item {
  readonly id: string
  readonly shown: ComponentChildren
}

function Group({ name, items }: { readonly name: string; readonly items: readonly Item[] }) {
  if (items.length === 0) return null
  return (
    <section class="stack tight" aria-label={name}>
      <h3>
        {name} <span class="quiet number">{items.length}</span>
      </h3>
      <ul class="stack tight">
        {items.map(({ id, shown }) => (
          <li key={id} class="card memory">
            {shown}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Words({ memory }: { readonly memory: Memory }) {
  return (
    <>
      <a class="words memory-link" dir="auto" href={addressOf('memories', memory.id)}>
        <Content content={memory.content} outdated={memory.outdated} />
      </a>
      <Details memory={memory} />
    </>
  )
}

function Details({ memory }: { readonly memory: Memory }) {
  return (
    <p class="row small quiet">
      <Moment at={memory.createdAt} />
      {memory.project !== null && <span class="tag">{memory.project}</span>}
      {memory.expiresAt !== null && (
        <span>
          {Date.parse(memory.expiresAt) <= Date.now() ? 'expired' : 'expires'} <Moment at={memory.expiresAt} time />
        </span>
      )}
    </p>
  )
}

function BeforeAfter({ before, after }: { readonly before: Memory; readonly after: Memory }) {
  const others = [
    ['Project', before.project ?? 'none', after.project ?? 'none'],
    ['Expires', before.expiresAt ?? 'never', after.expiresAt ?? 'never'],
    ['Metadata', JSON.stringify(before.metadata), JSON.stringify(after.metadata)],
    ['Outdated', outdatedWords(before), outdatedWords(after)],
  ].filter(([, old, now]) => old !== now)
  return (
    <>
      <ChangedWords before={before.content} after={after.content} />
      {others.map(([name, old, now]) => (
        <p key={name} class="small words">
          {name}: {old} → {now}
        </p>
      ))}
      <p class="small">
        <a href={addressOf('memories', after.id)}>Open the memory and its history</a>
      </p>
    </>
  )
}
