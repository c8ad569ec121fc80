/** The first part of a store, before anything is written: the guard reads the text, its memories, and the turns before it. */
import type { UserScope } from '../../core/scope.js'
import { MemoryTrust, type Trust } from '../../guard/memory-trust.js'
import { type Divided, divide } from '../../ingest/divide.js'
import { turnBreak } from '../../storage/ports/memory-writes.js'
import type { Deps } from '../deps.js'
import { earlierTurns } from './conversation.js'
import { screen } from './screen.js'
import { countingRejections } from './screen-texts.js'
import type { StoreInput } from './store-input.js'

export interface Reading {
  readonly input: StoreInput
  readonly divided: Divided
  /** When the text was said, for memories that have no time. */
  readonly saidAt: number
  readonly now: number
  readonly trust: MemoryTrust
  /** The lowest trust of the text and of all its memories. */
  readonly overall: Trust
}

/** @throws ServiceError where the guard rejects the text or a memory made from it. */
export async function readText(deps: Deps, scope: UserScope, input: StoreInput): Promise<Reading> {
  const screened = screen(deps, scope, input)
  const now = deps.clock.now()
  const saidAt = input.createdAt ?? now
  const earlier = await earlierTurns(deps, scope, input, now)
  const { remembersAssistant = false } = input
  const divided = divide(input.text, saidAt, deps.settings.steps, { earlier, remembersAssistant })
  const { segments } = divided
  const before = { segments, turnBreak, earlier: earlier.map(({ text }) => text) }
  const trust = new MemoryTrust(deps.guard, deps.settings.trust, screened, before)
  const memories = divided.memories.flatMap((memory) => [memory, ...memory.parts])
  countingRejections(deps, () => trust.reject(memories))
  return { input, divided, saidAt, now, trust, overall: trust.overall(memories) }
}
