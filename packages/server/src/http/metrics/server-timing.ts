/** Times the stages of one request for the `Server-Timing` header, which browsers and benchmarks read. */
import type { Meter } from '../../core/meter.js'

export interface RequestTimings {
  /** Also reports everything to the meter of the service. */
  readonly meter: Meter
  /** Undefined if nothing was timed. */
  header(): string | undefined
}

/** Names come from code. This makes sure that none of them breaks the syntax of the header. */
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
      secrets: (kind, outcome, count) => meter.secrets(kind, outcome, count),
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
