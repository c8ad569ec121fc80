import { timed } from '../../core/meter.js'
import { type UserScope, userScope } from '../../core/scope.js'
import { followJudge } from '../../ingest/follow-judge.js'
import { heed } from '../../ingest/llm/reconcile.js'
import { type Decision, outlives, reconcile, whoSlots } from '../../ingest/reconcile.js'
import type { KnownMemory, Recognised } from '../../storage/ports/memory-reads.js'
import type { Sighting } from '../../storage/ports/memory-writes.js'
import type { Deps } from '../deps.js'
import type { Drafted } from './draft.js'
import type { PreparedMemory } from './prepared-memory.js'

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
  const { memories, opinions, advice, screened } = drafted
  const recognised = await recognise(deps, scope, drafted)
  const judged = followJudge(reconcile(memories, recognised, screened), memories, opinions, recognised, screened)
  const decisions = heed(judged, memories, advice, recognised)
  const fresh = memories.flatMap((memory, index): FreshMemory[] => {
    const decision = decisions[index]
    return decision?.kind === 'add' || decision?.kind === 'update' ? [{ memory, decision }] : []
  })
  const known = new Map([...recognised.sameContent, ...recognised.sameSlot].map((item) => [item.memory.id, item]))
  const sightings = seenAgain(memories, decisions, known)
  return { drafted, decisions, fresh, sightings, known: prolonged(known, sightings), revision: recognised.revision }
}

function recognise(deps: Deps, scope: UserScope, { memories, opinions, advice, now }: Drafted): Promise<Recognised> {
  return timed(deps.meter, 'recognise', () =>
    deps.storage.recognise(userScope(scope.userId), {
      now,
      project: scope.project ?? null,
      contentKeys: [...memories, ...opinions, ...advice].map(({ contentKey }) => contentKey),
      slots: memories.flatMap(({ slots, tagged }) => [...slots.map(({ slot }) => slot), ...whoSlots(tagged.entities)]),
    }),
  )
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
