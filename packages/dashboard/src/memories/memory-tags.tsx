import type { Memory } from '@keepsake/client'
import { Moment } from '../components/moment.tsx'

/** The project of a memory, and everything unusual about it. */
export function MemoryTags({ memory }: { readonly memory: Memory }) {
  const { project, expired, expiresAt } = memory
  return (
    <>
      {project !== null && <span class="tag">{project}</span>}
      <MemoryStates memory={memory} />
      {expiresAt !== null && expired !== true && (
        <span class="tag warm">
          expires <Moment at={expiresAt} />
        </span>
      )}
    </>
  )
}

export function MemoryStates({ memory }: { readonly memory: Memory }) {
  const { flagged, expired, supersededAt, trustScore, outdated } = memory
  return (
    <>
      {flagged && <span class="tag bad">flagged</span>}
      {expired === true && <span class="tag bad">expired</span>}
      {supersededAt !== null && <span class="tag warm">superseded</span>}
      {outdated !== undefined && <span class="tag warm">partly outdated</span>}
      {trustScore < 0.8 && <span class="tag warm">trust {trustScore.toFixed(2)}</span>}
    </>
  )
}
