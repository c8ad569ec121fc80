import { timed } from '../../core/meter.js'
import { type UserScope, userScope } from '../../core/scope.js'
import { followJudge } from '../../ingest/follow-judge.js'
import { heed } from '../../ingest/llm/reconcile.js'
import { type Decision, outlives, reconcile, whoSlots } from '../../ingest/reconcile.js'
import type { FactsToRecognise, KnownMemory, Recognised } from '../../storage/ports/memory-reads.js'
import type { Sighting } from '../../storage/ports/memory-writes.js'
import type { Deps } from '../deps.js'
import type { Drafted } from './draft.js'
import type { PreparedMemory } from './prepared-memory.js'
import { defaultSource } from './stored.js'

export interface Decided {
  readonly drafted: Drafted
  /** One per draft. */
  readonly decisions: readonly Decision[]
  /** The drafts that become memories. */
  readonly fresh: readonly FreshMemory[]
  /** Known memories that the text repeats. */
  readonly sightings: readonly Sighting[]
  /** The user's memories that the drafts repeat or contradict, by id, with the expiry that the commit gives them. */
  readonly known: ReadonlyMap<string, KnownMemory>
  /** The revision of the user's data that the decisions are based on. */
  readonly revision: number
}

export interface FreshMemory {
  readonly memory: PreparedMemory
  readonly decision: FreshDecision
}

export type FreshDecision = Extract<Decision, { readonly kind: 'add' | 'update' }>

/** Decides what happens to each draft, given the user's current memories. */
export async function decide(deps: Deps, scope: UserScope, drafted: Drafted): Promise<Decided> {
  return decideOn(scope, drafted, await recognise(deps, scope, drafted))
}

export function decideOn(scope: UserScope, drafted: Drafted, recognised: Recognised): Decided {
  const { memories, opinions, advice } = drafted
  const ruled = reconcile(memories, recognised)
  const judged = followJudge(ruled, memories, opinions, withDrafts(recognised, scope, drafted, ruled))
  const decisions = withoutUnstored(heed(judged, memories, advice, recognised), memories)
  const fresh = memories.flatMap((memory, index): FreshMemory[] => {
    const decision = decisions[index]
    return isFresh(decision) ? [{ memory, decision }] : []
  })
  const known = new Map(
    [
      ...recognised.sameContent,
      ...recognised.sameSlot,
      ...fresh.map(({ memory }) => asKnown(memory, scope, drafted)),
    ].map((item) => [item.memory.id, item]),
  )
  const sightings = seenAgain(memories, decisions, known)
  return { drafted, decisions, fresh, sightings, known: prolonged(known, sightings), revision: recognised.revision }
}

/** A draft that is not stored after all cannot be replaced by a later draft. */
function withoutUnstored(decisions: readonly Decision[], drafts: readonly PreparedMemory[]): Decision[] {
  const gone = new Set(drafts.flatMap(({ id }, index) => (isFresh(decisions[index]) ? [] : [id])))
  return decisions.map((decision) => {
    if (!isFresh(decision)) return decision
    const stays = ({ memoryId }: { readonly memoryId: string }) => !gone.has(memoryId)
    const noted = {
      conflicts: decision.conflicts.filter(stays),
      endings: decision.endings.filter(stays),
      doubtful: decision.doubtful,
    }
    if (decision.kind === 'add') return { kind: 'add', ...noted }
    const supersedes = decision.supersedes.filter((memoryId) => stays({ memoryId }))
    if (supersedes.length === 0) return { kind: 'add', ...noted }
    return { kind: 'update', supersedes, reasons: decision.reasons.filter(stays), ...noted }
  })
}

function isFresh(decision: Decision | undefined): decision is FreshDecision {
  return decision?.kind === 'add' || decision?.kind === 'update'
}

/** The drafts of this request are known to its later drafts. */
function withDrafts(
  recognised: Recognised,
  scope: UserScope,
  drafted: Drafted,
  decisions: readonly Decision[],
): Recognised {
  const added = drafted.memories.filter((_, index) => isFresh(decisions[index]))
  return { ...recognised, sameSlot: [...recognised.sameSlot, ...added.map((each) => asKnown(each, scope, drafted))] }
}

export function asKnown(
  memory: PreparedMemory,
  { userId, project }: UserScope,
  { input, now }: Pick<Drafted, 'input' | 'now'>,
): KnownMemory {
  const { id, content, contentKey, checksum, createdAt, expiresAt, slots, trustScore, flagged } = memory
  return {
    contentKey,
    slots,
    memory: {
      id,
      userId,
      project: project ?? null,
      content,
      outdated: [],
      checksum,
      metadata: input.metadata,
      source: input.source ?? defaultSource,
      trustScore,
      flagged,
      version: 1,
      createdAt,
      updatedAt: now,
      expiresAt,
      supersededAt: null,
      supersededBy: null,
      supersedes: [],
      accessCount: 0,
      lastAccessed: null,
      entities: [],
    },
  }
}

/** The user's memories that the drafts may repeat or contradict. */
export function recognise(deps: Deps, scope: UserScope, drafted: Drafted): Promise<Recognised> {
  return timed(deps.meter, 'recognise', () => deps.storage.recognise(userScope(scope.userId), factsIn(scope, drafted)))
}

export function factsIn({ project }: UserScope, { memories, opinions, advice, now }: Drafted): FactsToRecognise {
  return {
    now,
    project: project ?? null,
    contentKeys: [...memories, ...opinions, ...advice].map(({ contentKey }) => contentKey),
    slots: memories.flatMap(({ slots, tagged }) => [...slots.map(({ slot }) => slot), ...whoSlots(tagged.entities)]),
  }
}

/** A repetition that is to be kept longer prolongs the known memory: otherwise it would expire too early. */
function seenAgain(
  memories: readonly PreparedMemory[],
  decisions: readonly Decision[],
  known: ReadonlyMap<string, KnownMemory>,
): Sighting[] {
  const expiries = new Map([...known].map(([id, { memory }]) => [id, memory.expiresAt]))
  return decisions.flatMap((decision, index): Sighting[] => {
    const memory = memories[index]
    if (decision.kind !== 'noop' || !memory) return []
    const { memoryId } = decision
    const { segments, expiresAt } = memory
    const until = expiries.get(memoryId)
    if (until === undefined || outlives(until, expiresAt)) return [{ memoryId, segments }]
    expiries.set(memoryId, expiresAt)
    return [{ memoryId, segments, expiresAt }]
  })
}

function prolonged(known: ReadonlyMap<string, KnownMemory>, sightings: readonly Sighting[]): Map<string, KnownMemory> {
  const result = new Map(known)
  for (const { memoryId, expiresAt } of sightings) {
    const item = result.get(memoryId)
    if (item && expiresAt !== undefined) result.set(memoryId, { ...item, memory: { ...item.memory, expiresAt } })
  }
  return result
}
