import { isStorable } from '../domain/storable-text.js'
import type { Sight } from '../sql/session.js'
import { literalOf } from './literal.js'

export type Mode = 'read' | 'write'

const begin = { read: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', write: 'BEGIN' } as const

/** Begins a transaction that sees only these rows (see `layout.ts`). If a part of it fails, so does all that follows. */
export function opening(mode: Mode, sight: Sight): string {
  return `${begin[mode]};${seeing(sight)}`
}

/** Valid until the transaction ends. */
export function seeing(sight: Sight): string {
  const scope = typeof sight === 'string' ? undefined : sight
  const userId = scope?.kind === 'user' && isStorable(scope.userId) ? scope.userId : ''
  const isForEveryone = scope?.kind === 'everyone' || sight === 'totals'
  return `CALL keepsake_see(${literalOf(userId)}, ${isForEveryone ? `'yes'` : `''`}, ${sight === 'keys' ? `'yes'` : `''`})`
}
