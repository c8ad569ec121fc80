import type { UserScope } from '../../core/scope.js'
import type { Committed } from '../../storage/ports/memory-writes.js'
import type { Decided, FreshDecision } from './decide.js'
import type { Drafted } from './draft.js'
import type { PreparedMemory } from './prepared-memory.js'
import { completed, defaultSource, type Outline, type Stored, type StoredMemory } from './stored.js'

/** The part of the response that is known before the commit, because the commit may have to keep it. */
export function outlineOf(scope: UserScope, { drafted, decisions, known }: Decided): Outline {
  const memories: StoredMemory[] = []
  for (const [index, decision] of decisions.entries()) {
    const memory = drafted.memories[index]
    if (!memory) continue
    if (decision.kind === 'noop') {
      const existing = known.get(decision.memoryId)?.memory
      if (existing) memories.push({ ...existing, action: 'NOOP', supersedes: [] })
    } else if (decision.kind !== 'noop-same-batch') memories.push(presentFresh(scope, drafted, memory, decision))
  }
  const entities = drafted.memories.flatMap(({ tagged }) => tagged.entities.map(({ type, key }) => `${type}|${key}`))
  return {
    memories,
    entitiesExtracted: new Set(entities).size,
    degraded: drafted.degraded,
    redacted: drafted.input.redacted ?? [],
  }
}

/** The response: the outline plus the canonical names of entities, which only the commit knows. */
export function present(outline: Outline, { fresh }: Decided, committed: Committed): Stored {
  const names = new Map(fresh.map(({ memory }, index) => [memory.id, committed.entityNames[index]]))
  return completed(
    outline,
    committed.relationshipsCreated,
    outline.memories.map(({ id }) => names.get(id)),
  )
}

function presentFresh(
  scope: UserScope,
  { input }: Drafted,
  memory: PreparedMemory,
  decision: FreshDecision,
): StoredMemory {
  return {
    id: memory.id,
    action: decision.kind === 'update' ? 'UPDATE' : 'ADD',
    content: memory.content,
    entities: [],
    project: scope.project ?? null,
    createdAt: memory.createdAt,
    expiresAt: memory.expiresAt,
    trustScore: memory.trustScore,
    flagged: memory.flagged,
    checksum: memory.checksum,
    source: input.source ?? defaultSource,
    supersedes: decision.kind === 'update' ? decision.supersedes : [],
  }
}
