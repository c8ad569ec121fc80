import type { Scope } from '../core/scope.js'
import type { Storage } from '../storage/ports/storage.js'

export interface Announced {
  /** Null: of more users than one. */
  changed(userId: string | null): void
  revoked(keyId: string): void
}

/** Calls that may write events. */
const changing = ['commit', 'update', 'forget', 'purgeExpired', 'decide', 'tellOfExpiry'] as const
type Changing = (typeof changing)[number]

/** The same storage, which says when something has changed: to whoever waits in this process, after it is on disk. */
export function announcing(storage: Storage, announced: Announced): Storage {
  const calls = new Map<string | symbol, unknown>()
  const callOf = (name: keyof Storage): unknown => {
    const own = storage[name].bind(storage) as (...values: readonly unknown[]) => Promise<unknown>
    if (name === 'revokeKey') {
      return async (...values: readonly unknown[]) => {
        const isRevoked = await own(...values)
        if (isRevoked === true) announced.revoked(String(values[0]))
        return isRevoked
      }
    }
    if (!changing.includes(name as Changing)) return own
    return async (scope: Scope, ...rest: readonly unknown[]) => {
      const result = await own(scope, ...rest)
      if (scope.kind !== 'nobody') announced.changed(scope.kind === 'user' ? scope.userId : null)
      return result
    }
  }
  return new Proxy(storage, {
    get(target, name) {
      if (typeof Reflect.get(target, name) !== 'function') return Reflect.get(target, name)
      if (!calls.has(name)) calls.set(name, callOf(name as keyof Storage))
      return calls.get(name)
    },
  })
}
