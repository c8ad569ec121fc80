import type { Memory } from '@keepsake/client'
import { Moment } from '../components/moment.tsx'
import { addressOf } from '../route.ts'
import { Content } from './content.tsx'

/** A memory in a list: its text and key facts. */
export function MemoryCard({ memory }: { readonly memory: Memory }) {
  return (
    <li class="card memory">
      <a class="words memory-link" href={addressOf('memories', memory.id)}>
        <Content content={memory.content} outdated={memory.outdated} />
      </a>
      <p class="row small quiet">
        <Moment at={memory.createdAt} />
        <MemoryTags memory={memory} />
        <span class="number">decay {memory.decayScore.toFixed(2)}</span>
      </p>
    </li>
  )
}

export function MemoryTags({ memory }: { readonly memory: Memory }) {
  const { project, flagged, expired, expiresAt, supersededAt, trustScore, outdated } = memory
  return (
    <>
      {project !== null && <span class="tag">{project}</span>}
      {flagged && <span class="tag bad">flagged</span>}
      {expired === true && <span class="tag bad">expired</span>}
      {supersededAt !== null && <span class="tag warm">superseded</span>}
      {outdated !== undefined && <span class="tag warm">partly outdated</span>}
      {expiresAt !== null && expired !== true && (
        <span class="tag warm">
          expires <Moment at={expiresAt} />
        </span>
      )}
      {trustScore < 0.8 && <span class="tag warm">trust {trustScore.toFixed(2)}</span>}
    </>
  )
}
