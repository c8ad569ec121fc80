/** Only one process uses the data directory, so claims live in its memory and end with it. */
import type { Claims } from '../ports/claims.js'

interface Claim {
  readonly holder: string
  readonly until: number
}

export function claimsInProcess(now = () => performance.now()): Claims {
  const held = new Map<string, Claim>()
  return {
    async claim(name, holder, leaseMs) {
      const known = held.get(name)
      if (known && known.holder !== holder && known.until > now()) return false
      held.set(name, { holder, until: now() + leaseMs })
      return true
    },
    async release(name, holder) {
      if (held.get(name)?.holder === holder) held.delete(name)
    },
  }
}
