/**
 * Loaded before the service (`node --import`) in each of its threads: shifts the time of day by the number of
 * milliseconds in a file, which may change at run time. The monotonic clock (`performance.now`, timers) is unaffected,
 * as when somebody sets a machine's clock.
 */
import { readFileSync } from 'node:fs'

const file = process.env.KEEPSAKE_CLOCK_FILE
const RealDate = Date
let offsetMs = 0

function read() {
  offsetMs = Number(readFileSync(file, 'utf8').trim() || 0)
}

if (file !== undefined) {
  read()
  setInterval(read, 20).unref()
  globalThis.Date = class extends RealDate {
    constructor(...given) {
      if (given.length === 0) super(RealDate.now() + offsetMs)
      else super(...given)
    }
    static now() {
      return RealDate.now() + offsetMs
    }
  }
}
