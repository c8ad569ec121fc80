/**
 * What makes an erasure provable. `secure_delete` overwrites what is deleted, but where SQLite had moved rows between pages before,
 * copies of them stay in the unused part of a page, and nothing reaches those. `VACUUM` writes the whole file anew. Writers wait for it
 * (about a second for 100 MB), readers don't; so it is done when nobody writes, at the latest some time after the erasure, for a
 * twentieth of the time at most, and by itself only while the file is small. Until it is done a file beside the database says that it is
 * due, so that it is not forgotten over a restart.
 */
import { closeSync, existsSync, fsyncSync, openSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Database } from './database.js'
import { lockDirectory } from './directory-lock.js'
import { eraseLog } from './group-commit.js'
import { sqliteCode } from './messages.js'
import { migrations, refuseForeign } from './migrate.js'

export interface VacuumSettings {
  /** Without a write for so long, it is quiet. */
  readonly quietMs: number
  /** After an erasure it is done by then, quiet or not. */
  readonly latestMs: number
  /** A larger file is left to the operator: writes would have to wait too long. 0: every file is. */
  readonly maxBytes: number
}

export const defaultVacuum: VacuumSettings = { quietMs: 5_000, latestMs: 600_000, maxBytes: 128_000_000 }

/** So much of the time may go into it. */
const shareOfTime = 1 / 20
const retryMs = 600_000
const shortestWaitMs = 50

/** When it is time. Knows nothing of files; moments are given. */
export class VacuumPlan {
  readonly #settings: VacuumSettings
  #erasedAt: number | undefined
  #wroteAt = Number.NEGATIVE_INFINITY
  #notBefore = Number.NEGATIVE_INFINITY

  constructor(settings: VacuumSettings) {
    this.#settings = settings
  }

  get isDue(): boolean {
    return this.#erasedAt !== undefined
  }

  erased(now: number): void {
    this.#erasedAt ??= now
  }

  wrote(now: number): void {
    this.#wroteAt = now
  }

  /** Undefined while nothing is due. */
  waitMs(now: number): number | undefined {
    if (this.#erasedAt === undefined) return undefined
    const { quietMs, latestMs } = this.#settings
    const wanted = Math.min(Math.max(this.#wroteAt, this.#erasedAt) + quietMs, this.#erasedAt + latestMs)
    return Math.max(0, Math.max(wanted, this.#notBefore) - now)
  }

  done(now: number, tookMs: number): void {
    this.#erasedAt = undefined
    this.#notBefore = now + tookMs / shareOfTime
  }

  /** No space, for instance. It stays due. */
  failed(now: number): void {
    this.#notBefore = now + retryMs
  }
}

/** Of the database at this path. */
export function markerOf(path: string): string {
  return `${path}-vacuum-due`
}

function mark(path: string): void {
  const descriptor = openSync(markerOf(path), 'w', 0o600)
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Outside of transactions. @throws what SQLite does, on a full disk for instance; the database is as it was then. */
function vacuum(db: Database, path: string): void {
  db.exec('VACUUM')
  // The new pages came through the log; what is old in the file is overwritten now.
  eraseLog(db)
  rmSync(markerOf(path), { force: true })
}

interface Surroundings {
  /** Nothing is under way on the connection. */
  isIdle(): boolean
  /** The file was written anew: the log may be emptied. */
  cleaned(): void
}

/** As part of the thread that writes. */
export class Housekeeping {
  readonly #db: Database
  readonly #path: string
  readonly #settings: VacuumSettings
  readonly #around: Surroundings
  readonly #plan: VacuumPlan
  #timer: NodeJS.Timeout | undefined

  constructor(db: Database, path: string, settings: VacuumSettings, around: Surroundings) {
    this.#db = db
    this.#path = path
    this.#settings = settings
    this.#around = around
    this.#plan = new VacuumPlan(settings)
    if (existsSync(markerOf(path))) this.#plan.erased(performance.now())
    this.#wait()
  }

  /** After each batch of writes, before anybody hears of them. */
  wrote(erasedRows: boolean): void {
    this.#plan.wrote(performance.now())
    if (erasedRows && !this.#plan.isDue) this.#begin()
    this.#wait()
  }

  /** The last that is done with the connection. */
  close(): void {
    clearTimeout(this.#timer)
    if (this.#plan.isDue && this.#isSmall()) this.#clean()
  }

  #begin(): void {
    this.#plan.erased(performance.now())
    try {
      mark(this.#path)
    } catch (error) {
      // A full disk. The erasure holds, and this process knows what is due; only a restart would forget it.
      if (!(error instanceof Error && 'syscall' in error)) throw error
    }
  }

  #wait(): void {
    clearTimeout(this.#timer)
    const waitMs = this.#plan.waitMs(performance.now())
    if (waitMs === undefined || this.#settings.maxBytes === 0) return
    this.#timer = setTimeout(() => this.#look(), Math.max(waitMs, shortestWaitMs))
  }

  #look(): void {
    const isTime = this.#plan.waitMs(performance.now()) === 0
    if (isTime && !this.#isSmall()) this.#plan.failed(performance.now())
    else if (isTime && this.#around.isIdle()) {
      this.#clean()
      this.#around.cleaned()
    }
    this.#wait()
  }

  #isSmall(): boolean {
    return statSync(this.#path).size <= this.#settings.maxBytes
  }

  #clean(): void {
    const beganAt = performance.now()
    try {
      vacuum(this.#db, this.#path)
      this.#plan.done(performance.now(), performance.now() - beganAt)
    } catch (error) {
      // No space, or the disk fails: the erased is gone from all rows, and this is tried again.
      if (sqliteCode(error) === undefined && !(error instanceof Error && 'syscall' in error)) throw error
      this.#plan.failed(performance.now())
    }
  }
}

export class VacuumFailed extends Error {
  override readonly name = 'VacuumFailed'
  /** The operator can mend it, and needs no stack for that. */
  readonly operatorMessage = true
}

export interface VacuumReport {
  readonly bytesBefore: number
  readonly bytesAfter: number
}

/** For a file of any size, while no service uses it. */
export function vacuumDirectory(dataDir: string): VacuumReport {
  const path = join(dataDir, 'keepsake.db')
  if (!existsSync(path)) throw new VacuumFailed(`${path} is not there: name the service’s data directory`)
  const lock = lockDirectory(dataDir)
  try {
    const bytesBefore = statSync(path).size
    vacuumFile(path)
    return { bytesBefore, bytesAfter: statSync(path).size }
  } finally {
    lock.release()
  }
}

function vacuumFile(path: string): void {
  const db = new Database(path)
  try {
    refuseForeign(db, migrations, path)
    db.exec('PRAGMA secure_delete = ON')
    vacuum(db, path)
  } catch (error) {
    throw error instanceof Error ? new VacuumFailed(`${path}: ${error.message}`, { cause: error }) : error
  } finally {
    db.close()
  }
}
