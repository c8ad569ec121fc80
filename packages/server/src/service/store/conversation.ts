/** The turns before a text that was sent alone, and its own turns as context for the next text. */
import { continuing, type KeptTurn, longestPauseMs } from '../../core/conversation.js'
import { timed } from '../../core/meter.js'
import type { UserScope } from '../../core/scope.js'
import { expiryOf } from '../../core/ttl.js'
import type { Trust } from '../../guard/memory-trust.js'
import { isDoubted } from '../../guard/sanitize.js'
import type { Divided } from '../../ingest/divide.js'
import type { ConversationTurns } from '../../storage/ports/conversations.js'
import type { Deps } from '../deps.js'
import type { StoreInput } from './store-input.js'
import { defaultSource } from './stored.js'

/** Reads the last turns of a conversation. A batch knows turns that are not stored yet. */
export type LastTurns = (scope: UserScope, conversation: string, storedAfter: number) => Promise<readonly KeptTurn[]>

export async function earlierTurns(
  deps: Deps,
  scope: UserScope,
  input: StoreInput,
  now: number,
  lastTurns: LastTurns = (...args) => deps.storage.lastTurns(...args),
): Promise<readonly KeptTurn[]> {
  const kept = await timed(deps.meter, 'conversation', () =>
    lastTurns(scope, conversationOf(input), now - longestPauseMs),
  )
  const first = 'messages' in input.text ? input.text.messages[0]?.createdAt : undefined
  return continuing(kept, first ?? input.createdAt ?? now, now)
}

/** Text that the guard doubts is not kept: it must not get into memories made from other texts. */
export function turnsToKeep(
  deps: Deps,
  scope: UserScope,
  input: StoreInput,
  overall: Trust,
  { turns, continues }: Pick<Divided, 'turns' | 'continues'>,
): ConversationTurns {
  const kept = turns.map((turn) => ({ ...turn, expiresAt: expiryOf(input.ttl, turn.at, deps.settings.defaultTtlDays) }))
  const name = conversationOf(input)
  return { project: scope.project ?? null, name, turns: isDoubted(overall) ? [] : kept, continues }
}

export function conversationOf({ conversationId, source = defaultSource }: StoreInput): string {
  return conversationId === undefined ? `source ${source}` : `id ${conversationId}`
}
