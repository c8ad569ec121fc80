/** The only connection that writes. It brings the schema up to date, then commits in groups. */
import type { MessagePort } from 'node:worker_threads'
import { type Database, openWriter } from './database.js'
import { sqliteCode } from './errors.js'
import { eraseLog, type Job, runBatchWithReserve } from './group-commit.js'
import { type Call, carry, type FromWorker, type ThreadData, type ToWorker } from './messages.js'
import { migrate, migrations, refuseForeign } from './migrate.js'
import { erasureParts, erasures, writes } from './operations.js'
import { Reserve } from './reserve.js'
import { SqliteSession } from './session.js'
import { defaultVacuum, Housekeeping } from './vacuum.js'

const mostInABatch = 256
const logRetryMs = 250
const refillMs = 5_000

function open(path: string): Database {
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

class Writer {
  readonly #port: MessagePort
  readonly #db: Database
  readonly #session: SqliteSession
  readonly #room: Reserve
  readonly #housekeeping: Housekeeping
  readonly #queue: Job[] = []
  #isScheduled = false
  #isRunning = false
  #isClosing = false
  /** Old pages in the log still hold what was erased. */
  #logHoldsErased = false
  #logIsDue = false
  #logRetry: NodeJS.Timeout | undefined
  #refill: NodeJS.Timeout | undefined

  constructor(port: MessagePort, { path, vacuum, limits }: ThreadData) {
    this.#port = port
    this.#db = open(path)
    this.#session = new SqliteSession(this.#db, limits)
    this.#room = new Reserve(path)
    this.#fillReserve()
    this.#housekeeping = new Housekeeping(
      this.#db,
      path,
      { ...defaultVacuum, ...vacuum },
      {
        isIdle: () => this.#queue.length === 0 && !this.#isRunning && !this.#isClosing,
        cleaned: () => {
          this.#logIsDue = true
          this.#finishErasing()
        },
      },
    )
    port.on('message', (message: ToWorker) => this.#receive(message))
  }

  #receive(message: ToWorker): void {
    if (message === 'close') this.#isClosing = true
    else this.#queue.push(this.#jobOf(message))
    this.#schedule()
  }

  #jobOf({ id, operation: name, args }: Call): Job {
    // `Thread.call` sent it and checked the operation; its arguments match.
    const operation = writes[name] as ((...values: unknown[]) => Promise<unknown>) | undefined
    return {
      id,
      erases: name in erasures ? 'wholly' : name in erasureParts ? 'partly' : 'no',
      run: async () => {
        if (!operation) throw new Error(`there is no write called ${name}`)
        return operation(this.#session, ...args)
      },
    }
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isRunning || (this.#queue.length === 0 && !this.#isClosing)) return
    this.#isScheduled = true
    // At the end of this turn of the event loop, so that messages that arrived together are committed together.
    setImmediate(() => void this.#run())
  }

  async #run(): Promise<void> {
    this.#isScheduled = false
    this.#isRunning = true
    if (this.#queue.length > 0) await this.#runBatch(this.#queue.splice(0, mostInABatch))
    this.#isRunning = false
    if (this.#queue.length === 0 && this.#isClosing) this.#close()
    else this.#schedule()
  }

  async #runBatch(jobs: readonly Job[]): Promise<void> {
    const reserve = { fill: () => this.#fillReserve(), giveUp: () => this.#room.giveUp() }
    const { outcomes, isErased, erasedRows } = await runBatchWithReserve(this.#db, jobs, reserve)
    if (erasedRows) this.#logHoldsErased = true
    if (isErased && this.#logHoldsErased) this.#logIsDue = true
    this.#housekeeping.wrote(erasedRows)
    this.#finishErasing()
    for (const outcome of outcomes) {
      if ('error' in outcome) this.#post({ kind: 'failure', id: outcome.id, error: carry(outcome.error) })
      else this.#post({ kind: 'answer', ...outcome })
    }
  }

  /** The data is erased in any case; the log is emptied as soon as readers and the disk allow it. */
  #finishErasing(): void {
    clearTimeout(this.#logRetry)
    if (this.#logIsDue && eraseLog(this.#db)) {
      this.#logIsDue = false
      this.#logHoldsErased = false
    }
    if (this.#logIsDue) this.#logRetry = setTimeout(() => this.#finishErasing(), logRetryMs)
  }

  /** Retries until there is space for the whole reserve. */
  #fillReserve(): void {
    clearTimeout(this.#refill)
    if (!this.#room.fill()) this.#refill = setTimeout(() => this.#fillReserve(), refillMs).unref()
  }

  #close(): void {
    this.#housekeeping.close()
    clearTimeout(this.#logRetry)
    clearTimeout(this.#refill)
    this.#db.close()
    this.#port.close()
  }

  #post(message: FromWorker): void {
    this.#port.postMessage(message)
  }
}

/** Serves until `close` arrives, which closes the port too. */
export function serveWrites(port: MessagePort, data: ThreadData): void {
  const post = (message: FromWorker) => port.postMessage(message)
  try {
    new Writer(port, data)
    post({ kind: 'ready' })
  } catch (error) {
    post({ kind: 'not-ready', error: carry(error) })
  }
}
