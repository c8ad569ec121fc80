/** The memories of a slice that come before an item and are not committed yet. The item sees them as if they were stored. */
import type { Slot } from '../../../core/entity.js'
import type { UserScope } from '../../../core/scope.js'
import type { FactsToRecognise, KnownMemory, Recognised } from '../../../storage/ports/memory-reads.js'
import { asKnown, type Decided } from '../decide.js'
import type { Drafted } from '../draft.js'
import type { JudgedMemory } from '../judge-candidates.js'
import type { PreparedMemory } from '../prepared-memory.js'

export class Ahead {
  readonly #memories: KnownMemory[] = []
  readonly #ids = new Set<string>()

  /** All memories of an item, as new ones. */
  add(scope: UserScope, memories: readonly PreparedMemory[], stored: Pick<Drafted, 'input' | 'now'>): void {
    for (const memory of memories) {
      const known = asKnown(memory, scope, stored)
      this.#memories.push({ ...known, slots: storedSlots(memory.slots) })
      this.#ids.add(memory.id)
    }
  }

  get size(): number {
    return this.#memories.length
  }

  /** In the order in which they were added. */
  at(index: number): KnownMemory | undefined {
    return this.#memories[index]
  }

  /** Like `Storage.recognise`, whose result is `stored`. */
  recognised(stored: Recognised, { now, project, contentKeys, slots }: FactsToRecognise): Recognised {
    const [keys, names] = [new Set(contentKeys), new Set(slots)]
    const current = this.#memories.filter((known) => isCurrent(known, project, now))
    return {
      revision: stored.revision,
      sameContent: [...stored.sameContent, ...current.filter(({ contentKey }) => keys.has(contentKey))],
      sameSlot: [...stored.sameSlot, ...current.filter((known) => known.slots.some(({ slot }) => names.has(slot)))],
    }
  }

  /** Like `Storage.recent`, whose result is `stored`. */
  recent(
    stored: readonly JudgedMemory[],
    { project = null, now, limit }: { readonly project: string | null | undefined; now: number; limit: number },
  ): JudgedMemory[] {
    const own = this.#memories.filter((known) => isCurrent(known, project, now)).map(({ memory }) => memory)
    return [...stored, ...own].sort(newestFirst).slice(0, limit)
  }

  /** Whether the decisions about an item change or repeat one of these memories. */
  isConcerned({ decisions }: Decided): boolean {
    return decisions.some((decision) => {
      if (decision.kind === 'noop') return this.#ids.has(decision.memoryId)
      if (decision.kind === 'noop-same-batch') return false
      const named = [...decision.conflicts, ...decision.endings].map(({ memoryId }) => memoryId)
      return [...named, ...(decision.kind === 'update' ? decision.supersedes : [])].some((id) => this.#ids.has(id))
    })
  }
}

function isCurrent({ memory }: KnownMemory, project: string | null, now: number): boolean {
  return memory.project === project && (memory.expiresAt === null || memory.expiresAt > now)
}

function newestFirst(one: JudgedMemory, two: JudgedMemory): number {
  return two.createdAt - one.createdAt || (one.id < two.id ? 1 : -1)
}

/** As the storage returns them. */
function storedSlots(slots: readonly Slot[]): Slot[] {
  const stored = slots.filter(({ implied }) => !implied).map(({ slot, value }) => ({ slot, value }))
  const byName = new Map(stored.map((each) => [JSON.stringify([each.slot, each.value]), each]))
  return [...byName].sort(([one], [two]) => (one < two ? -1 : 1)).map(([, each]) => each)
}
