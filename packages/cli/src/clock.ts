import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '@keepsake/client'
import type { Io } from './command.js'

/** The one that was given, or time as it passes. */
export function clockOf(io: Io): Clock {
  return (
    io.clock ?? {
      now: () => Date.now(),
      async sleep(ms, signal) {
        // An abort only ends the wait early.
        await delay(ms, undefined, { signal }).catch((error: Error) => {
          if (error.name !== 'AbortError') throw error
        })
      },
    }
  )
}
