/** What the stages of one request took, for the `Server-Timing` header: browsers and benchmarks read it from there. */
import type { Meter } from '../../core/meter.js'

export interface RequestTimings {
  /** Reports everything to the service's meter too. */
  readonly meter: Meter
  /** Undefined where nothing was timed. */
  header(): string | undefined
}

/** Names come from code, but a header's syntax is not to be broken by one. */
const token = /^[a-z][a-z_]*$/

export function requestTimings(meter: Meter): RequestTimings {
  const spent = new Map<string, number>()
  return {
    meter: {
      stage(name, ms) {
        meter.stage(name, ms)
        spent.set(name, (spent.get(name) ?? 0) + ms)
      },
      trustRejection: (kinds) => meter.trustRejection(kinds),
      checksumMismatch: () => meter.checksumMismatch(),
      degraded: (part) => meter.degraded(part),
    },
    header() {
      const stages = [...spent].filter(([name]) => token.test(name))
      if (stages.length === 0) return undefined
      return stages.map(([name, ms]) => `${name};dur=${ms.toFixed(3)}`).join(', ')
    },
  }
}
