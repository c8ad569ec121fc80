/** The shapes that callers see: snake_case names, and times as text. */
import type { z } from 'zod'
import { isoTimestamp } from '../core/clock.js'
import { type DecaySettings, decayOf } from '../core/decay.js'
import { isExpired, type KeyLimits } from '../core/key-access.js'
import { matchOf } from '../core/match.js'
import type { Memory, MemoryVersion } from '../core/memory.js'
import { type OutdatedPart, partsOf } from '../core/outdated.js'
import { isSpaceId } from '../core/space.js'
import type { RecalledMemory, UnreturnedMemory } from '../service/recall/recall.js'
import type { StoredMemory } from '../service/store/stored.js'
import type { Contradiction, ContradictionSide } from '../storage/ports/contradictions.js'
import type { Entity, Relationship } from '../storage/ports/entities.js'
import type { EntityMerge } from '../storage/ports/entity-merges.js'
import type { Grant } from '../storage/ports/grant-store.js'
import type { ApiKey } from '../storage/ports/key-store.js'
import type { Provenance } from '../storage/ports/memory-reads.js'
import type { contradiction, contradictionSide } from './schemas/contradiction.js'
import type { entity, relationship } from './schemas/entity.js'
import type { grant } from './schemas/grant.js'
import type { apiKey } from './schemas/key.js'
import type {
  memory,
  memoryVersion,
  outdatedPart,
  provenance,
  recalledMemory,
  storedMemory,
  unreturnedMemory,
} from './schemas/memory.js'
import type { merge } from './schemas/merge.js'

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTimestamp(ms)
}

/** Only if something is outdated. */
function outdatedView(
  content: string,
  outdated: readonly OutdatedPart[] = [],
): { outdated?: z.infer<typeof outdatedPart>[] } {
  if (outdated.length === 0) return {}
  return {
    outdated: partsOf(content, outdated).map(({ text, start, end, since, by }) => ({
      ...{ text, start, end },
      since: isoTimestamp(since),
      by,
    })),
  }
}

export function memoryView(item: Memory, decay: DecaySettings, now: number): z.infer<typeof memory> {
  return {
    id: item.id,
    user_id: item.userId,
    content: item.content,
    action: item.supersedes.length === 0 ? 'ADD' : 'UPDATE',
    score: null,
    project: item.project,
    metadata: { ...item.metadata },
    checksum: item.checksum,
    trust_score: item.trustScore,
    source: item.source,
    entities: [...item.entities],
    created_at: isoTimestamp(item.createdAt),
    updated_at: isoTimestamp(item.updatedAt),
    expires_at: isoOrNull(item.expiresAt),
    last_accessed: isoOrNull(item.lastAccessed),
    access_count: item.accessCount,
    decay_score: decayOf(item, decay, now).decayScore,
    flagged: item.flagged,
    superseded_at: isoOrNull(item.supersededAt),
    superseded_by: item.supersededBy,
    ...(item.supersedes.length === 0 ? {} : { supersedes: [...item.supersedes] }),
    ...outdatedView(item.content, item.outdated),
  }
}

export function storedMemoryView(item: StoredMemory): z.infer<typeof storedMemory> {
  return {
    id: item.id,
    content: item.content,
    action: item.action,
    entities: [...item.entities],
    project: item.project,
    created_at: isoTimestamp(item.createdAt),
    expires_at: isoOrNull(item.expiresAt),
    trust_score: item.trustScore,
    checksum: item.checksum,
    source: item.source,
    ...(item.flagged ? { flagged: true } : {}),
    ...(item.supersedes.length === 0 ? {} : { supersedes: [...item.supersedes] }),
    ...outdatedView(item.content, item.outdated),
  }
}

export interface RecallExtras {
  readonly history: boolean
  readonly flagged: boolean
  readonly explain: boolean
  readonly spaces: boolean
}

export function recalledMemoryView(item: RecalledMemory, extras: RecallExtras): z.infer<typeof recalledMemory> {
  const { memory: recalled, score, parts } = item
  return {
    id: recalled.id,
    content: recalled.content,
    score,
    match: matchOf(score),
    ...(extras.spaces ? { space: isSpaceId(recalled.userId) ? recalled.userId : null } : {}),
    created_at: isoTimestamp(recalled.createdAt),
    project: recalled.project,
    metadata: { ...recalled.metadata },
    source: recalled.source,
    trust_score: recalled.trustScore,
    expires_at: isoOrNull(recalled.expiresAt),
    ...(extras.history ? { superseded_at: isoOrNull(recalled.supersededAt) } : {}),
    ...(extras.flagged ? { flagged: recalled.flagged } : {}),
    ...outdatedView(recalled.content, recalled.outdated),
    ...(extras.explain ? { explain: parts } : {}),
  }
}

export function unreturnedMemoryView({ id, reason, scored }: UnreturnedMemory): z.infer<typeof unreturnedMemory> {
  if (!scored) return { id, reason }
  return { id, reason, score: scored.score, rank: scored.rank, explain: scored.parts }
}

export function versionView(item: MemoryVersion): z.infer<typeof memoryVersion> {
  return {
    version: item.version,
    content: item.content,
    checksum: item.checksum,
    metadata: { ...item.metadata },
    project: item.project,
    trust_score: item.trustScore,
    valid_from: isoTimestamp(item.validFrom),
    valid_to: isoOrNull(item.validTo),
    expires_at: isoOrNull(item.expiresAt),
    ...outdatedView(item.content, item.outdated),
  }
}

export function provenanceView(item: Provenance): z.infer<typeof provenance> {
  return { document_id: item.documentId, source: item.source, stored_at: isoTimestamp(item.storedAt), text: item.text }
}

export function contradictionView(item: Contradiction): z.infer<typeof contradiction> {
  const { reason, part } = item
  return {
    id: item.id,
    user_id: item.userId,
    project: item.project,
    status: item.status,
    why: item.why,
    reason:
      reason === null
        ? null
        : { slot: reason.slot, old_value: reason.oldValue, new_value: reason.newValue, rule: reason.rule },
    part: part && { ...part, text: item.old.content.slice(part.start, part.end) },
    old: contradictionSideView(item.old),
    new: contradictionSideView(item.new),
    created_at: isoTimestamp(item.createdAt),
    decided_at: isoOrNull(item.decidedAt),
  }
}

function contradictionSideView(item: ContradictionSide): z.infer<typeof contradictionSide> {
  return {
    id: item.id,
    content: item.content,
    created_at: isoTimestamp(item.createdAt),
    expires_at: isoOrNull(item.expiresAt),
    superseded_at: isoOrNull(item.supersededAt),
    superseded_by: item.supersededBy,
  }
}

export function mergeView(item: EntityMerge): z.infer<typeof merge> {
  return {
    id: item.id,
    user_id: item.userId,
    from: { ...item.from },
    into: { ...item.into },
    rule: item.rule,
    why: item.why,
    created_at: isoTimestamp(item.createdAt),
    reverted_at: isoOrNull(item.revertedAt),
    reverted_by: item.revertedBy,
  }
}

export function entityView(item: Entity): z.infer<typeof entity> {
  return {
    id: item.id,
    user_id: item.userId,
    name: item.name,
    type: item.type,
    aliases: [...item.aliases],
    memory_count: item.memoryCount,
    first_seen: isoTimestamp(item.firstSeen),
    last_seen: isoTimestamp(item.lastSeen),
  }
}

export function relationshipView(item: Relationship): z.infer<typeof relationship> {
  return {
    id: item.id,
    source: item.source,
    source_id: item.sourceId,
    target: item.target,
    target_id: item.targetId,
    type: item.type,
    properties: { ...item.properties },
    valid_from: isoTimestamp(item.validFrom),
    valid_to: isoOrNull(item.validTo),
    memory_ids: [...item.memoryIds],
  }
}

export function grantView(item: Grant, now: number): z.infer<typeof grant> {
  return {
    id: item.id,
    user_id: item.userId,
    client_id: item.clientId,
    client_name: item.clientName,
    status: item.revokedAt !== null ? 'revoked' : item.expiresAt > now ? 'active' : 'expired',
    approved_by: item.approvedBy,
    created_at: isoTimestamp(item.createdAt),
    last_used_at: isoOrNull(item.lastUsedAt),
    expires_at: isoTimestamp(item.expiresAt),
    revoked_at: isoOrNull(item.revokedAt),
  }
}

export function apiKeyView(item: ApiKey, now: number): z.infer<typeof apiKey> {
  return {
    id: item.id,
    user_id: item.userId,
    name: item.name,
    preview: item.preview,
    status: item.revokedAt !== null ? 'revoked' : isExpired(item, now) ? 'expired' : 'active',
    created_at: isoTimestamp(item.createdAt),
    last_used_at: isoOrNull(item.lastUsedAt),
    revoked_at: isoOrNull(item.revokedAt),
    ...keyLimitsView(item),
  }
}

export function keyLimitsView({ access, project, expiresAt, userPrefix }: KeyLimits) {
  const kind = userPrefix === null ? ('user' as const) : ('application' as const)
  // An application key for every user has the empty prefix.
  return { access, project, expires_at: isoOrNull(expiresAt), kind, user_prefix: userPrefix || null }
}
