/** Retires memories that another one repeats in other words, and chatter that earlier versions stored. */
import type { Actor } from '../core/actor.js'
import { msPerDay } from '../core/clock.js'
import type { ContradictionReason, RetiringRule } from '../core/contradiction.js'
import { contentKey, type Memory } from '../core/memory.js'
import { timed } from '../core/meter.js'
import { type Scope, userScope } from '../core/scope.js'
import { explainReason } from '../facts/explain-contradiction.js'
import {
  type Chosen,
  chooseRepetitions,
  isOldChatter,
  isSettled,
  type JudgedPair,
  mayRepeat,
  nothingChosen,
} from '../ingest/consolidate.js'
import type { HydratedVersion } from '../storage/ports/index-feed.js'
import type { KnownMemory, ListCursor } from '../storage/ports/memory-reads.js'
import type { Deps } from './deps.js'

const sliceMemories = 50
/** Nearest memories that a memory is compared with. */
const mostNearest = 3
/** Below this, two memories rarely say the same. */
const leastCosine = 0.53
/** Of one request: it is answered within seconds. The scheduled pass has no limit. */
const mostExamined = 300
/** Of the texts in one answer. */
const mostCharacters = 1_000_000

export interface Proposal {
  readonly rule: RetiringRule
  readonly memory: Memory
  /** The memory that says the same; null: nothing does. */
  readonly by: Memory | null
  /** Once it is carried out. */
  readonly contradictionId: string | null
}

export interface Consolidation {
  readonly examined: number
  readonly hasMore: boolean
  readonly proposals: readonly Proposal[]
}

/** The scope's newest memories. */
export async function consolidate(deps: Deps, actor: Actor, scope: Scope, dryRun: boolean): Promise<Consolidation> {
  const proposals: Proposal[] = []
  const chosen = nothingChosen()
  let examined = 0
  for await (const { memories, isLast } of consolidationSlices(deps, scope, 0)) {
    proposals.push(...(await consolidateSlice(deps, actor, memories, chosen, dryRun)))
    examined += memories.length
    if (examined >= mostExamined || lengthOf(proposals) > mostCharacters)
      return { examined, hasMore: !isLast, proposals }
  }
  return { examined, hasMore: false, proposals }
}

function lengthOf(proposals: readonly Proposal[]): number {
  return proposals.reduce((sum, { memory, by }) => sum + memory.content.length + (by?.content.length ?? 0), 0)
}

/** Memories that are old enough, newest first, down to those created at `after`. */
export async function* consolidationSlices(
  deps: Deps,
  scope: Scope,
  after: number,
): AsyncGenerator<{ memories: readonly Memory[]; isLast: boolean }> {
  await deps.accesses.settle()
  let cursor: ListCursor | null = { at: deps.clock.now() - msPerDay + 1, id: '' }
  while (cursor !== null) {
    const page = { now: deps.clock.now(), limit: sliceMemories, cursor }
    const { items, next } = await deps.storage.list(scope, page)
    const isLast = next === null || next.at < after
    cursor = isLast ? null : next
    if (items.length > 0) yield { memories: items, isLast }
  }
}

/** Adds to `chosen`, which all slices of a pass share. */
export async function consolidateSlice(
  deps: Deps,
  actor: Actor,
  memories: readonly Memory[],
  chosen: Chosen,
  dryRun: boolean,
): Promise<Proposal[]> {
  const proposals: Proposal[] = []
  for (const group of byUserAndProject(memories)) {
    const proposed = await propose(deps, group, chosen)
    proposals.push(...(dryRun ? proposed : await carryOut(deps, actor, proposed)))
  }
  return proposals
}

function byUserAndProject(memories: readonly Memory[]): Memory[][] {
  const groups = new Map<string, Memory[]>()
  for (const memory of memories) {
    const key = JSON.stringify([memory.userId, memory.project])
    const group = groups.get(key)
    if (group) group.push(memory)
    else groups.set(key, [memory])
  }
  return [...groups.values()]
}

/** Memories of one user and project. */
async function propose(deps: Deps, group: readonly Memory[], chosen: Chosen): Promise<Proposal[]> {
  const now = deps.clock.now()
  const settled = group.filter((memory) => isSettled(memory, now) && !chosen.retired.has(memory.id))
  const [first] = settled
  if (!first) return []
  const scope = userScope(first.userId)
  const near = await neighbours(deps, settled, now)
  const contents = [...settled, ...[...near.values()].flat()].map(({ content }) => content)
  const { sameContent } = await deps.storage.recognise(scope, {
    ...{ now, project: first.project, slots: [] },
    contentKeys: contents.map(contentKey),
  })
  const known = new Map(sameContent.map((each) => [each.memory.id, each]))
  const pairs = await deps.storage.knownPairs(scope, [...known.keys()])
  const wasRetired = (id: string) => pairs.some(({ oldId, retires }) => retires && oldId === id)
  const chatter = settled.flatMap(({ id }): Proposal[] => {
    const memory = known.get(id)
    if (!memory || chosen.kept.has(id) || wasRetired(id) || !isOldChatter(memory)) return []
    chosen.retired.add(id)
    return [{ rule: 'chatter', memory: memory.memory, by: null, contradictionId: null }]
  })
  const judged = await judge(deps, candidates(near, known, now))
  const repetitions = chooseRepetitions(judged, pairs, chosen)
  return [
    ...chatter,
    ...repetitions.map(
      ({ retired, kept }): Proposal => ({ rule: 'repeated', memory: retired, by: kept, contradictionId: null }),
    ),
  ]
}

type Near = Pick<Memory, 'id' | 'content'>

/** By id of the memory. */
async function neighbours(deps: Deps, memories: readonly Memory[], now: number): Promise<Map<string, Near[]>> {
  const scope = userScope(memories[0]?.userId ?? '')
  const versions = await deps.storage.versionsOf(
    scope,
    memories.map(({ id }) => id),
  )
  const rows = versions.filter(({ validTo }) => validTo === null).map(({ row }) => row)
  const near = new Map<string, Near[]>()
  const hydrated = await deps.storage.hydrate(scope, rows, { vectors: true })
  const { searchedIn } = await deps.indexes.refresh(scope)
  const find = async ({ row, memory, vector, modelId }: HydratedVersion) => {
    if (!vector || modelId !== deps.embedder.modelId) return undefined
    const { hits } = await deps.indexes.search(scope, {
      ...{ vector, text: null, includeHistory: false, includeFlagged: false },
      moment: { kind: 'now', now },
      limit: mostNearest + 1,
    })
    return { row, memory, hits }
  }
  // For a user who is too large for memory, searches that wait together share a pass over the stored index. Others go one by one, so
  // that the index answers other users in between.
  const searches = searchedIn === 'storage' ? await Promise.all(hydrated.map(find)) : []
  if (searchedIn === 'memory') for (const version of hydrated) searches.push(await find(version))
  for (const search of searches) {
    if (!search) continue
    const { row, memory, hits } = search
    const close = hits.filter((hit) => hit.row !== row && (hit.cosine ?? 0) >= leastCosine).map((hit) => hit.row)
    const found = close.length === 0 ? [] : await deps.storage.hydrate(scope, close, { vectors: false })
    near.set(
      memory.id,
      found.flatMap((each) => (each.memory.project === memory.project ? [each.memory] : [])),
    )
  }
  return near
}

/** Each pair once. */
function candidates(
  near: ReadonlyMap<string, readonly Near[]>,
  known: ReadonlyMap<string, KnownMemory>,
  now: number,
): (readonly [Memory, Memory])[] {
  const pairs = new Map<string, readonly [Memory, Memory]>()
  for (const [id, others] of near)
    for (const { id: otherId } of others) {
      const [a, b] = [id, otherId].sort().map((each) => known.get(each))
      if (a && b && isSettled(a.memory, now) && isSettled(b.memory, now) && mayRepeat(a, b))
        pairs.set(`${a.memory.id} ${b.memory.id}`, [a.memory, b.memory])
    }
  return [...pairs.values()]
}

async function judge(deps: Deps, pairs: readonly (readonly [Memory, Memory])[]): Promise<JudgedPair[]> {
  if (pairs.length === 0) return []
  const asked = pairs.flatMap(([{ content: one }, { content: other }]) => [
    { old: one, fresh: other, follows: false },
    { old: other, fresh: one, follows: false },
  ])
  const judgements = await timed(deps.meter, 'judge', () => deps.judge.judge(asked))
  const same = (at: number) => judgements[at]?.chances.same ?? 0
  return pairs.map(([a, b], at) => ({ a, b, same: [same(2 * at), same(2 * at + 1)] }))
}

/** Returns the proposals that were carried out: a memory may have changed since it was read. */
async function carryOut(deps: Deps, actor: Actor, proposals: readonly Proposal[]): Promise<Proposal[]> {
  const done: Proposal[] = []
  for (const proposal of proposals) {
    const { rule, memory, by } = proposal
    const id = deps.ids.next('con')
    const reason: ContradictionReason & { rule: RetiringRule } = { slot: '', oldValue: '', newValue: '', rule }
    // Under the user's lock, so that no store decides about the same memories.
    const isDone = await deps.userLocks.run(memory.userId, () =>
      timed(deps.meter, 'commit', () =>
        deps.storage.retire(userScope(memory.userId), {
          ...{ id, memory, by, reason },
          why: explainReason(reason),
          now: deps.clock.now(),
        }),
      ),
    )
    if (!isDone) continue
    done.push({ ...proposal, contradictionId: id })
    const { userId: user_id } = memory
    deps.audit.record(
      actor,
      { event: 'memory.retire', user_id, key_id: actor.keyId, memory_ids: [memory.id] },
      'success',
    )
  }
  return done
}
