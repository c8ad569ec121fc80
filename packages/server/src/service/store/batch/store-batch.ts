/**
 * Many texts in one request. Items are stored in slices: what each of them yields is the same as if it had been stored alone, after the
 * ones before it. A slice reads its texts together and commits them together. Nothing is held back for a slice that fails: its items are
 * tried one by one.
 */
import type { Actor } from '../../../core/actor.js'
import type { ServiceError } from '../../../core/errors.js'
import { AlreadyAnswered } from '../../../storage/ports/answers.js'
import type { Deps } from '../../deps.js'
import { inLane, turnTaker } from '../../texts/text-lanes.js'
import { auditStore } from '../audited.js'
import { inFlight } from '../keys-in-flight.js'
import { charactersOf, store } from '../store.js'
import { findReplay, type StoredOnce, storeOnce } from '../store-once.js'
import { commitRun, judgeItems } from './commit-run.js'
import { type BatchItem, type PreparedItem, prepareSlice } from './prepare-slice.js'
import { Rendezvous } from './rendezvous.js'
import { forSlice } from './slice-models.js'

export type { BatchItem } from './prepare-slice.js'

export type Outcome = { readonly stored: StoredOnce } | { readonly error: unknown }

export interface BatchOptions {
  /** Called before each slice. An error ends the batch: it is the outcome of the items that are left. */
  readonly reasonToEnd?: () => ServiceError | undefined
}

/** A slice takes a second or two. */
const mostItems = 32
const mostCharacters = 20_000

/** One outcome per item, in order. Never rejects because of an item. */
export async function storeBatch(
  deps: Deps,
  actor: Actor,
  items: readonly BatchItem[],
  { reasonToEnd = () => undefined }: BatchOptions = {},
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const slice of slicesOf(items)) {
    const error = reasonToEnd()
    outcomes.push(...(error ? slice.map(() => ({ error })) : await storeSlice(deps, actor, slice)))
  }
  return outcomes
}

/** Items of one owner that follow each other, without a key twice: the second use of a key finds the response of the first. */
function slicesOf(items: readonly BatchItem[]): BatchItem[][] {
  const slices: { items: BatchItem[]; characters: number }[] = []
  for (const item of items) {
    const last = slices.at(-1)
    const characters = charactersOf(item.input)
    const fits =
      last !== undefined &&
      last.items.length < mostItems &&
      last.characters + characters <= mostCharacters &&
      last.items[0]?.scope.userId === item.scope.userId &&
      !last.items.some(({ once }) => once !== undefined && once.keyHash === item.once?.keyHash)
    if (fits) {
      last.items.push(item)
      last.characters += characters
    } else slices.push({ items: [item], characters })
  }
  return slices.map((slice) => slice.items)
}

async function storeSlice(deps: Deps, actor: Actor, items: readonly BatchItem[]): Promise<Outcome[]> {
  // A language model reads one text at a time, and each text must be on disk while it does.
  if (deps.languageModel !== undefined) return oneByOne(deps, actor, items)
  const outcomes = new Map<BatchItem, Outcome>()
  const leave: (() => void)[] = []
  try {
    for (const item of items) await admit(deps, actor, item, outcomes, leave)
    const fresh = items.filter((item) => !outcomes.has(item))
    await storeFresh(deps, actor, fresh, (item, outcome) => outcomes.set(item, outcome))
    if (leave.length > 0) await deps.keysInFlight.sweep(deps)
  } finally {
    for (const end of leave) end()
  }
  return items.map((item) => outcomes.get(item) ?? { error: new Error('an item of a batch has no outcome') })
}

async function oneByOne(deps: Deps, actor: Actor, items: readonly BatchItem[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const { scope, input, once } of items) {
    try {
      const stored =
        once === undefined
          ? { ...(await store(deps, actor, scope, input)), isReplayed: false }
          : await storeOnce(deps, actor, scope, input, once)
      outcomes.push({ stored })
    } catch (error) {
      outcomes.push({ error })
    }
  }
  return outcomes
}

/** An item whose key is in use, or was used before, has its outcome already. */
async function admit(
  deps: Deps,
  actor: Actor,
  item: BatchItem,
  outcomes: Map<BatchItem, Outcome>,
  leave: (() => void)[],
): Promise<void> {
  const { scope, once } = item
  if (once === undefined) return
  try {
    leave.push(deps.keysInFlight.enter(scope.userId, once))
    const replayed = await findReplay(deps, actor, scope, once)
    if (replayed) outcomes.set(item, { stored: replayed })
  } catch (error) {
    outcomes.set(item, { error })
  }
}

type Settle = (item: BatchItem, outcome: Outcome) => void

async function storeFresh(deps: Deps, actor: Actor, items: readonly BatchItem[], settle: Settle): Promise<void> {
  const [first] = items
  if (!first) return
  const settled = (item: BatchItem, outcome: Outcome) => {
    // A response that is repeated has its own lines.
    if (!('stored' in outcome)) auditStore(deps, actor, item.scope, outcome)
    else if (!outcome.stored.isReplayed) auditStore(deps, actor, item.scope, outcome.stored)
    settle(item, outcome)
  }
  const characters = items.reduce((sum, { input }) => sum + charactersOf(input), 0)
  let rest: readonly BatchItem[] = items
  try {
    const taker = turnTaker(actor, first.scope.userId)
    await inLane(deps.textLanes.enterBulk(taker, characters), async (place) => {
      const together = new Rendezvous()
      // It remembers what the models said, so reading an item again costs little.
      const own = forSlice(deps, place, together)
      while (rest.length > 0) rest = await storeSome({ deps, own, together, actor }, rest, settled)
    })
  } catch (error) {
    for (const item of rest) settled(item, { error })
  }
}

interface Slice {
  readonly deps: Deps
  /** The dependencies of the slice. */
  readonly own: Deps
  readonly together: Rendezvous
  readonly actor: Actor
}

/** Returns the items that have to be read again, because one before them was not stored. */
async function storeSome(slice: Slice, items: readonly BatchItem[], settled: Settle): Promise<readonly BatchItem[]> {
  const { deps, own, together } = slice
  const { prepared, failed } = await prepareSlice(own, together, items)
  for (const { index, error } of failed) settled(itemAt(items, index), { error })
  let [rest, most]: [readonly PreparedItem[], number] = [prepared, prepared.length]
  while (rest.length > 0) {
    const judged = await judgeItems(own, together, rest)
    try {
      const stored = await commitRun(deps, rest, judged, most)
      for (const [index, one] of stored.entries()) {
        const item = rest[index]
        if (item) settled(itemAt(items, item.index), { stored: { ...one, isReplayed: false } })
      }
      rest = rest.slice(stored.length)
    } catch (error) {
      const left = rest.map(({ index }) => itemAt(items, index))
      const fresh = error instanceof AlreadyAnswered ? await withoutReplayed(slice, left, settled) : left
      if (fresh.length < left.length) return fresh
      const [first, ...others] = left
      if (first && most <= 1) {
        settled(first, { error: error instanceof AlreadyAnswered ? inFlight() : error })
        return others
      }
      most = 1
    }
  }
  return []
}

/** Another instance may have stored items with the same keys in the meantime. Returns the others. */
async function withoutReplayed(
  { deps, actor }: Slice,
  items: readonly BatchItem[],
  settled: Settle,
): Promise<BatchItem[]> {
  const fresh: BatchItem[] = []
  for (const item of items) {
    const { scope, once } = item
    try {
      const replayed = once && (await findReplay(deps, actor, scope, once))
      if (replayed) settled(item, { stored: replayed })
      else fresh.push(item)
    } catch (error) {
      settled(item, { error })
    }
  }
  return fresh
}

function itemAt(items: readonly BatchItem[], index: number): BatchItem {
  const item = items[index]
  if (!item) throw new Error('an item of a slice is missing')
  return item
}
