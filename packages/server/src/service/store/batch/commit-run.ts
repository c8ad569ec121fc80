/**
 * The second half of a slice. Items are judged together, as if each one before them only added memories. They are decided one after
 * another, and committed in one transaction up to the first item that does more than that: it changes or repeats something, so the
 * items after it are judged again.
 */
import { userScope } from '../../../core/scope.js'
import type { AheadStep } from '../../../retrieval/index/search.js'
import type { Deps } from '../../deps.js'
import { commitAll, type Ready } from '../commit.js'
import { type Decided, decideOn, factsIn, recognise } from '../decide.js'
import { draftOf } from '../draft.js'
import { inTurn } from '../in-turn.js'
import {
  type Found,
  type JudgedMemory,
  mostRecent,
  nearRows,
  queryFor,
  type Surroundings,
} from '../judge-candidates.js'
import { type Judged, judgeAmong } from '../judge-changes.js'
import { outlineOf, present } from '../present.js'
import type { Stored } from '../stored.js'
import { Ahead } from './ahead.js'
import type { PreparedItem } from './prepare-slice.js'
import type { Rendezvous } from './rendezvous.js'

/** One judgement per item. `deps`: those of the slice. */
export async function judgeItems(
  deps: Deps,
  together: Rendezvous,
  items: readonly PreparedItem[],
): Promise<readonly Judged[]> {
  const surroundings = new SliceSurroundings(deps, items)
  const judged = await together.all(
    items.map(
      ({ memories }, index) =>
        () =>
          judgeAmong(deps, memories, () => surroundings.of(index)),
    ),
  )
  return judged.map((result) => {
    // Without the judge, changes are found by rules only, so nothing can fail but the code.
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}

/**
 * Commits the first items, at most `most`, and returns their responses: at least one. @throws if they cannot be committed; then nothing
 * is written.
 */
export function commitRun(
  deps: Deps,
  items: readonly PreparedItem[],
  judged: readonly Judged[],
  most: number,
): Promise<readonly Stored[]> {
  const [first] = items
  if (!first) return Promise.resolve([])
  return inTurn(deps, first.scope, async () => {
    const run = await decideRun(deps, items.slice(0, most), judged)
    const committed = await commitAll(deps, run)
    return run.map(({ outline, decided }, index) => {
      const one = committed[index]
      if (!one) throw new Error('a commit has fewer results than stores')
      return present(outline, decided, one)
    })
  })
}

async function decideRun(deps: Deps, items: readonly PreparedItem[], judged: readonly Judged[]): Promise<Ready[]> {
  const drafts = items.map(({ scope, reading }, index) =>
    draftOf(deps, scope, reading, judged[index] ?? { drafts: [], opinions: [] }),
  )
  const recognised = await Promise.all(
    items.map(({ scope }, index) => {
      const drafted = drafts[index]
      return drafted && recognise(deps, scope, drafted)
    }),
  )
  const ahead = new Ahead()
  const run: Ready[] = []
  for (const [index, { scope, memories, once }] of items.entries()) {
    const [drafted, stored] = [drafts[index], recognised[index]]
    if (!drafted || !stored) break
    const decided = decideOn(scope, drafted, ahead.recognised(stored, factsIn(scope, drafted)))
    const isLate = decided.revision !== (run[0]?.decided.revision ?? decided.revision)
    if (run.length > 0 && (isLate || ahead.isConcerned(decided))) break
    run.push({ scope, decided, outline: outlineOf(scope, decided), options: { once } })
    if (!onlyAdds(decided, memories)) break
    ahead.add(scope, drafted.memories, drafted)
  }
  return run
}

/** Every memory is added as it was when the items after it were judged, and nothing else changes. */
function onlyAdds({ drafted, decisions }: Decided, prepared: PreparedItem['memories']): boolean {
  const isAdded = decisions.every(
    (decision) => decision.kind === 'add' && decision.conflicts.length === 0 && decision.endings.length === 0,
  )
  // A memory that replaces another, or may do so, has another vector.
  return isAdded && drafted.memories.every(({ vector }, index) => vector === prepared[index]?.vector)
}

/** What each item finds: memories that are stored, and those of the items before it. */
class SliceSurroundings {
  readonly #steps: readonly (() => AheadStep)[]
  #found: Promise<readonly Surroundings[]> | undefined

  constructor(
    private readonly deps: Deps,
    private readonly items: readonly PreparedItem[],
  ) {
    this.#steps = items.map((item) => () => stepOf(item))
  }

  /** The first call looks for all of them. */
  async of(index: number): Promise<Surroundings> {
    this.#found ??= this.#findAll()
    const found = (await this.#found)[index]
    if (!found) throw new Error('a search has fewer results than items')
    return found
  }

  async #findAll(): Promise<Surroundings[]> {
    const { deps, items } = this
    const [first] = items
    if (!first) return []
    const owner = userScope(first.scope.userId)
    const [hits, recent] = await Promise.all([
      deps.indexes.searchAhead(
        owner,
        this.#steps.map((step) => step()),
      ),
      this.#recent(),
    ])
    const near = hits.map((queries) => queries.map(nearRows))
    const rows = new Set(near.flat().flatMap((found) => [...found.keys()].filter((row) => row >= 0)))
    const versions = rows.size === 0 ? [] : await deps.storage.hydrate(owner, [...rows], { vectors: false })
    const memoryOf = new Map(versions.map(({ row, memory }) => [row, memory]))
    const ahead = new Ahead()
    return items.map(({ scope, memories, reading: { input, now } }, index) => {
      const project = scope.project ?? null
      const nearest = (near[index] ?? []).flatMap((found, draft) =>
        [...found].flatMap(([row, cosine]): Found[] => {
          const memory = row < 0 ? ahead.at(-row - 1)?.memory : memoryOf.get(row)
          return memory && memory.project === project ? [{ draft, memory, cosine, follows: false }] : []
        }),
      )
      const latest = ahead.recent(recent.get(project) ?? [], { project, now, limit: mostRecent })
      ahead.add(scope, memories, { input, now })
      return { nearest, recent: latest }
    })
  }

  /** The latest stored memories, by project. */
  async #recent(): Promise<Map<string | null, readonly JudgedMemory[]>> {
    const scopes = new Map(this.items.map(({ scope, reading }) => [scope.project ?? null, { scope, reading }]))
    const found = [...scopes].map(async ([project, { scope, reading }]) => {
      return [project, await this.deps.storage.recent(scope, { now: reading.now, limit: mostRecent })] as const
    })
    return new Map(await Promise.all(found))
  }
}

function stepOf({ scope, memories, reading: { now } }: PreparedItem): AheadStep {
  return {
    project: scope.project,
    queries: memories.map((memory) => queryFor(memory, now)),
    added: memories.map(({ content, createdAt, expiresAt, flagged, vector }) => ({
      content,
      project: scope.project ?? null,
      validFrom: createdAt,
      expiresAt,
      flagged,
      vector,
    })),
  }
}
