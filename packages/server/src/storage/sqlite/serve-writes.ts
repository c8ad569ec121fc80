/** The one connection that writes. It brings the schema up to date, then commits in groups. */
import type { MessagePort } from 'node:worker_threads'
import { openWriter } from './database.js'
import { eraseLog, type Job, runBatchWithReserve } from './group-commit.js'
import { type Call, carry, type FromWorker, sqliteCode, type ThreadData, type ToWorker } from './messages.js'
import { migrate, migrations, refuseForeign } from './migrate.js'
import { Reserve } from './reserve.js'
import { defaultVacuum, Housekeeping, type VacuumSettings } from './vacuum.js'
import { erasing, type Writes, writes } from './writes.js'

const mostInABatch = 256
const logRetryMs = 250
const refillMs = 5_000

function open(path: string) {
  try {
    const db = openWriter(path, (opened) => refuseForeign(opened, migrations, path))
    migrate(db, migrations, path)
    return db
  } catch (error) {
    const code = sqliteCode(error)
    // SQLITE_CORRUPT and SQLITE_NOTADB
    if (code !== 11 && code !== 26) throw error
    throw new Error(`${path} is damaged or not a database: restore it from a backup`, { cause: error })
  }
}

function start(port: MessagePort, path: string, settings: VacuumSettings): void {
  const post = (message: FromWorker) => port.postMessage(message)
  const db = open(path)
  const room = new Reserve(path)
  const reserve = { fill, giveUp: () => room.giveUp() }
  const queue: Job[] = []
  let scheduled = false
  let closing = false
  let logIsDue = false
  let retry: NodeJS.Timeout | undefined

  let refill: NodeJS.Timeout | undefined
  /** Until there is room for all of it. */
  function fill(): void {
    clearTimeout(refill)
    if (!room.fill()) refill = setTimeout(fill, refillMs).unref()
  }
  fill()

  const jobOf = (call: Call): Job => {
    const { id, method, args } = call
    let running: Iterator<void, unknown> | undefined
    let steps = 0
    const begin = (): IteratorResult<void, unknown> => {
      // The method comes from the typed proxy in `thread.ts`; its arguments fit it.
      const write = writes[method as keyof Writes] as ((...values: unknown[]) => unknown) | undefined
      if (!write) throw new Error(`there is no write called ${method}`)
      const result = write(db, ...args)
      if (!isIterator(result)) return { done: true, value: result }
      running = result
      return running.next()
    }
    return {
      id,
      erases: erasing.has(method),
      step() {
        steps += 1
        return running ? running.next() : begin()
      },
      // What an earlier step has erased is not counted again: then the caller hears of the full disk.
      anew: () => (steps > 1 ? undefined : jobOf(call)),
    }
  }

  const finishErasing = () => {
    clearTimeout(retry)
    if (logIsDue) logIsDue = !eraseLog(db)
    // The data are erased in any case; the log follows as soon as readers and the disk allow.
    if (logIsDue) retry = setTimeout(finishErasing, logRetryMs)
  }

  const housekeeping = new Housekeeping(db, path, settings, {
    // Work that gave way in the middle holds a statement open.
    isIdle: () => queue.length === 0 && !closing,
    cleaned: () => {
      logIsDue = true
      finishErasing()
    },
  })

  const schedule = () => {
    if (scheduled || (queue.length === 0 && !closing)) return
    scheduled = true
    // After this turn: messages that arrived together are committed together.
    setImmediate(run)
  }

  const run = () => {
    scheduled = false
    if (queue.length > 0) {
      const { outcomes, unfinished, erased, erasedRows } = runBatchWithReserve(
        db,
        queue.splice(0, mostInABatch),
        reserve,
      )
      queue.push(...unfinished)
      if (erased) logIsDue = true
      housekeeping.wrote(erasedRows)
      finishErasing()
      for (const outcome of outcomes) {
        if ('error' in outcome) post({ kind: 'failure', id: outcome.id, error: carry(outcome.error) })
        else post({ kind: 'answer', ...outcome })
      }
    }
    if (queue.length === 0 && closing) {
      housekeeping.close()
      clearTimeout(retry)
      clearTimeout(refill)
      db.close()
      port.close()
    } else schedule()
  }

  port.on('message', (message: ToWorker) => {
    if (message === 'close') closing = true
    else queue.push(jobOf(message))
    schedule()
  })
}

function isIterator(value: unknown): value is Iterator<void, unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value && 'next' in value
}

/** Until `close` comes, which closes the port too. */
export function serveWrites(port: MessagePort, { path, vacuum }: ThreadData): void {
  const post = (message: FromWorker) => port.postMessage(message)
  try {
    start(port, path, { ...defaultVacuum, ...vacuum })
    post({ kind: 'ready' })
  } catch (error) {
    post({ kind: 'not-ready', error: carry(error) })
  }
}
