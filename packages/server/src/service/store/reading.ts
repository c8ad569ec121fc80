/** The first part of a store, before anything is written: the guard reads the text, its memories, and the turns before it. */
import type { UserScope } from '../../core/scope.js'
import { MemoryTrust, type MemoryWords, type Trust } from '../../guard/memory-trust.js'
import type { Divided } from '../../ingest/divide.js'
import type { Guard, Verdict } from '../../models/models.js'
import { turnBreak } from '../../storage/ports/memory-writes.js'
import type { Deps } from '../deps.js'
import type { Turns } from '../texts/fair-lane.js'
import { inSlices } from '../texts/text-lanes.js'
import { lengthOfSubmitted } from '../texts/text-work.js'
import { earlierTurns, type LastTurns } from './conversation.js'
import { screen } from './screen.js'
import { countingRejections } from './screen-texts.js'
import type { StoreInput } from './store-input.js'

export interface Reading {
  readonly input: StoreInput
  readonly divided: Divided
  /** When the text was said, for memories that have no time. */
  readonly saidAt: number
  readonly now: number
  /** The trust of each memory, in order. */
  trustOf(place: Turns, memories: readonly MemoryWords[]): Promise<Trust[]>
  /** The lowest trust of the text and of all its memories. */
  readonly overall: Trust
}

/** @throws ServiceError where the guard rejects the text or a memory made from it. */
export async function readText(
  deps: Deps,
  place: Turns,
  scope: UserScope,
  input: StoreInput,
  lastTurns?: LastTurns,
): Promise<Reading> {
  const screened = await screen(deps, place, scope, input)
  const now = deps.clock.now()
  const saidAt = input.createdAt ?? now
  const earlier = await earlierTurns(deps, scope, input, now, lastTurns)
  const { remembersAssistant = false } = input
  const circumstances = { earlier, remembersAssistant }
  const divided = await place.turn(lengthOfSubmitted(input.text), () =>
    deps.texts.divide({ text: input.text, now: saidAt, steps: deps.settings.steps, circumstances }),
  )
  const { segments } = divided
  const before = { segments, turnBreak, earlier: earlier.map(({ text }) => text) }
  const known = new Map<string, Verdict>()
  const judged = <Result>(turns: Turns, judge: (trust: MemoryTrust) => Result) =>
    withVerdicts(deps, turns, known, (guard) => judge(new MemoryTrust(guard, deps.settings.trust, screened, before)))
  const memories = divided.memories.flatMap((memory) => [memory, ...memory.parts])
  const overall = await countingRejections(deps, () =>
    judged(place, (trust) => {
      trust.reject(memories)
      return trust.overall(memories)
    }),
  )
  const trustOf: Reading['trustOf'] = (turns, some) => judged(turns, (trust) => some.map((memory) => trust.of(memory)))
  return { input, divided, saidAt, now, trustOf, overall }
}

const harmless: Verdict = { trustScore: 1, findings: [] }

/** The guard works in other threads, so `judge` is repeated with the verdicts that it missed until it misses none. */
async function withVerdicts<Result>(
  deps: Deps,
  place: Turns,
  known: Map<string, Verdict>,
  judge: (guard: Guard) => Result,
): Promise<Result> {
  for (;;) {
    const missing = new Set<string>()
    const inspect = (text: string): Verdict => {
      const verdict = known.get(text)
      if (verdict === undefined) missing.add(text)
      return verdict ?? harmless
    }
    const result = judge({ inspect })
    if (missing.size === 0) return result
    const texts = [...missing]
    const verdicts = await inSlices(place, texts, (text) => text, deps.texts.inspect)
    for (const [index, text] of texts.entries()) known.set(text, verdicts[index] ?? harmless)
  }
}
