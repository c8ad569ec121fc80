/**
 * Makes an erasure provable. `secure_delete` overwrites deleted content, but if SQLite has moved rows between pages before,
 * copies remain in the unused parts of pages, and nothing overwrites those. `VACUUM` rewrites the whole file. Writers wait for it
 * (about a second per 100 MB), readers do not. It therefore runs when nobody writes, or a fixed time after the erasure at the
 * latest, takes at most a twentieth of the time, and runs automatically only while the file is small. Until it has run, a marker
 * file beside the database records that it is due, so that a restart does not forget it.
 */
import { closeSync, existsSync, fsyncSync, openSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Database } from './database.js'
import { lockDirectory } from './directory-lock.js'
import { sqliteCode } from './errors.js'
import { eraseLog } from './group-commit.js'
import { migrations, refuseForeign } from './migrate.js'

export interface VacuumSettings {
  /** The store is quiet after this long without a write. */
  readonly quietMs: number
  /** The vacuum runs at most this long after an erasure, quiet or not. */
  readonly latestMs: number
  /** Larger files are left to the operator, because writes would wait too long. 0: all files are. */
  readonly maxBytes: number
}

export const defaultVacuum: VacuumSettings = { quietMs: 5_000, latestMs: 600_000, maxBytes: 128_000_000 }

/** Maximum share of the time that vacuums may take. */
const shareOfTime = 1 / 20
const retryMs = 600_000
const shortestWaitMs = 50

/** Decides when to vacuum. It does not access files, and the caller passes the time. */
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

  /** Undefined while no vacuum is due. */
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

  /** On a full disk, for example. The vacuum stays due. */
  failed(now: number): void {
    this.#notBefore = now + retryMs
  }
}

/** The marker file of the database at this path. */
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

/** Not inside a transaction. @throws SQLite's errors, for example on a full disk; the database is unchanged then. */
function vacuum(db: Database, path: string): void {
  db.exec('VACUUM')
  // The new pages are in the log; this writes them over the old content of the file.
  eraseLog(db)
  rmSync(markerOf(path), { force: true })
}

interface Surroundings {
  /** Whether the connection has no work in progress. */
  isIdle(): boolean
  /** The file was rewritten: the log may be emptied. */
  cleaned(): void
}

/** Runs in the writer thread. */
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

  /** Called after each batch of writes, before they are acknowledged. */
  wrote(erasedRows: boolean): void {
    this.#plan.wrote(performance.now())
    if (erasedRows && !this.#plan.isDue) this.#begin()
    this.#wait()
  }

  /** The last use of the connection. */
  close(): void {
    clearTimeout(this.#timer)
    if (this.#plan.isDue && this.#isSmall()) this.#clean()
  }

  #begin(): void {
    this.#plan.erased(performance.now())
    try {
      mark(this.#path)
    } catch (error) {
      // A full disk. The erasure holds, and this process knows that a vacuum is due; only a restart would forget it.
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
      // No space, or the disk failed. The erased content is gone from all rows, and the vacuum is retried.
      if (sqliteCode(error) === undefined && !(error instanceof Error && 'syscall' in error)) throw error
      this.#plan.failed(performance.now())
    }
  }
}

export class VacuumFailed extends Error {
  override readonly name = 'VacuumFailed'
  /** The operator can fix it and needs no stack trace. */
  readonly operatorMessage = true
}

export interface VacuumReport {
  readonly bytesBefore: number
  readonly bytesAfter: number
}

/** Vacuums a file of any size while no service uses it. */
export function vacuumDirectory(dataDir: string): VacuumReport {
  const path = join(dataDir, 'keepsake.db')
  if (!existsSync(path)) throw new VacuumFailed(`${path} does not exist: name the service’s data directory`)
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
