/**
 * Loaded before the service (`node --import`), in each of its threads: moves what it takes for the time of day by as many
 * milliseconds as a file says, which may change while it runs. The clock that only counts (`performance.now`, timers) goes
 * on unmoved, as it does when somebody sets a machine's clock.
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
