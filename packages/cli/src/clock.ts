import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '@keepsake/client'
import type { Io } from './command.js'

/** The given clock, or the system clock. */
export function clockOf(io: Io): Clock {
  return (
    io.clock ?? {
      now: () => Date.now(),
      async sleep(ms, signal) {
        // An abort ends the wait early and is not an error.
        await delay(ms, undefined, { signal }).catch((error: Error) => {
          if (error.name !== 'AbortError') throw error
        })
      },
    }
  )
}
