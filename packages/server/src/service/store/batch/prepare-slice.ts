/** The first half of a slice: every text is read, in the order of the batch, and prepared together with the others. */
import { continued, type KeptTurn } from '../../../core/conversation.js'
import type { Once } from '../../../core/once.js'
import type { UserScope } from '../../../core/scope.js'
import type { Deps } from '../../deps.js'
import { hideSecrets } from '../../secrets/hide-secrets.js'
import { atOnce } from '../../texts/text-lanes.js'
import { conversationOf, type LastTurns, turnsToKeep } from '../conversation.js'
import { prepare } from '../draft.js'
import type { PreparedMemory } from '../prepared-memory.js'
import { type Reading, readText } from '../reading.js'
import type { StoreInput } from '../store-input.js'
import type { Rendezvous } from './rendezvous.js'

export interface BatchItem {
  readonly scope: UserScope
  readonly input: StoreInput
  /** Its idempotency key. */
  readonly once: Once | undefined
}

/** An item whose memories are known. It can be judged, decided and committed. */
export interface PreparedItem extends BatchItem {
  /** In the slice. */
  readonly index: number
  readonly reading: Reading
  readonly memories: readonly PreparedMemory[]
}

export interface Failed {
  readonly index: number
  readonly error: unknown
}

/** `deps`: those of the slice. */
export async function prepareSlice(
  deps: Deps,
  together: Rendezvous,
  items: readonly BatchItem[],
): Promise<{ readonly prepared: readonly PreparedItem[]; readonly failed: readonly Failed[] }> {
  const conversations = new Conversations(deps)
  const readings = await Promise.allSettled(
    items.map(async ({ scope, input: given }) => {
      // In an asynchronous function, so that a refusal concerns this item only.
      const input = hideSecrets(deps, scope, given)
      return conversations.follow(scope, input, (lastTurns) => readText(deps, atOnce, scope, input, lastTurns))
    }),
  )
  const read = readings.map((result) => (result.status === 'fulfilled' ? result.value : undefined))
  const memories = await together.all(
    items.map(({ scope }, index) => async () => {
      const reading = read[index]
      return reading ? prepare(deps, atOnce, scope, reading, null) : []
    }),
  )
  const prepared: PreparedItem[] = []
  const failed: Failed[] = []
  for (const [index, item] of items.entries()) {
    const [reading, made] = [readings[index], memories[index]]
    if (reading?.status !== 'fulfilled') failed.push({ index, error: reading?.reason })
    else if (made?.status !== 'fulfilled') failed.push({ index, error: made?.reason })
    else {
      // Ids are given in the order of the items: they were prepared in any order.
      const inOrder = made.value.map((memory) => ({ ...memory, id: deps.ids.next('mem') }))
      prepared.push({ ...item, input: reading.value.input, index, reading: reading.value, memories: inOrder })
    }
  }
  return { prepared, failed }
}

/** The last turns of conversations, with those of earlier items of the slice. */
class Conversations {
  /** By project and name. Undefined: as they are stored. */
  readonly #last = new Map<string, Promise<readonly KeptTurn[] | undefined>>()

  constructor(private readonly deps: Deps) {}

  /** Reads an item, and remembers its turns for the next one. Call it in the order of the items. */
  follow(scope: UserScope, input: StoreInput, read: (lastTurns: LastTurns) => Promise<Reading>): Promise<Reading> {
    const { deps } = this
    const name = JSON.stringify([scope.project ?? null, conversationOf(input)])
    const before = this.#last.get(name) ?? Promise.resolve(undefined)
    let kept: readonly KeptTurn[] | undefined
    const reading = read(async (...asked) => {
      kept = (await before) ?? (await deps.storage.lastTurns(...asked))
      return kept
    })
    const after = reading.then(
      ({ overall, divided, now }) => {
        const { turns } = turnsToKeep(deps, scope, input, overall, divided)
        return continued(kept ?? [], turns, now)
      },
      // An item that is not stored leaves no turns.
      () => before,
    )
    this.#last.set(name, after)
    return reading
  }
}
