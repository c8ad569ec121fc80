/** Messages between the main thread and the threads that own the connections. */
import { ServiceError } from '../../core/errors.js'
import { AlreadyAnswered } from '../ports/answers.js'
import { RawTextGone } from '../ports/inbox.js'
import { RevisionConflict } from '../ports/memory-writes.js'
import type { LimitOptions } from '../ports/storage-limits.js'
import { translateSqlite } from './errors.js'
import type { VacuumSettings } from './vacuum.js'

export interface ThreadData extends LimitOptions {
  readonly path: string
  /** For the writer. */
  readonly vacuum?: Partial<VacuumSettings> | undefined
}

export interface Call {
  readonly id: number
  /** The name of a function in `operations.ts`. */
  readonly operation: string
  readonly args: readonly unknown[]
}

export type ToWorker = Call | 'close'

export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'not-ready'; readonly error: CarriedError }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly error: CarriedError }

/** An error as data: structured clones lose the class. */
export interface CarriedError {
  readonly type: 'conflict' | 'raw-gone' | 'answered' | 'service' | 'other'
  readonly message: string
  readonly stack: string | undefined
  readonly service?: Pick<ServiceError, 'code' | 'details' | 'status' | 'retryAfterSeconds'>
}

export function carry(error: unknown): CarriedError {
  const known = error instanceof Error ? translateSqlite(error) : new Error(String(error))
  const base = { message: known.message, stack: known.stack }
  if (known instanceof RevisionConflict) return { ...base, type: 'conflict' }
  if (known instanceof RawTextGone) return { ...base, type: 'raw-gone' }
  if (known instanceof AlreadyAnswered) return { ...base, type: 'answered' }
  if (!(known instanceof ServiceError)) return { ...base, type: 'other' }
  const { code, details, status, retryAfterSeconds } = known
  return { ...base, type: 'service', service: { code, details, status, retryAfterSeconds } }
}

export function restore(carried: CarriedError): Error {
  const error = rebuild(carried)
  if (carried.stack !== undefined) error.stack = carried.stack
  return error
}

function rebuild({ type, message, service }: CarriedError): Error {
  if (type === 'conflict') return new RevisionConflict(message)
  if (type === 'raw-gone') return new RawTextGone(message)
  if (type === 'answered') return new AlreadyAnswered(message)
  if (!service) return new Error(message)
  return new ServiceError(service.code, message, service.details, service.status, service.retryAfterSeconds)
}
