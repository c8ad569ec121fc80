/**
 * Group commit: all waiting writes run in one transaction, each in its own savepoint, so that one fsync serves them all. A write that
 * fails undoes only its own work, and nothing is acknowledged before the commit.
 */
import type { Database } from './database.js'
import { sqliteCode } from './errors.js'

export interface Job {
  readonly id: number
  /** It may use the space that is kept for erasing. `wholly`: when it is answered, nothing of what it erased is left on the disk. */
  readonly erases: 'no' | 'partly' | 'wholly'
  /** Awaits only promises that are resolved already: nothing else runs in this thread until it is done. */
  run(): Promise<unknown>
}

type Outcome = { readonly id: number; readonly value: unknown } | { readonly id: number; readonly error: unknown }

interface Batch {
  readonly outcomes: readonly Outcome[]
  /** An erasure is complete: if rows were removed, `eraseLog` must run before anybody hears of it. */
  readonly isErased: boolean
  /** Rows were removed. */
  readonly erasedRows: boolean
}

export async function runBatch(db: Database, jobs: readonly Job[]): Promise<Batch> {
  const outcomes: Outcome[] = []
  let erasedRows = false
  try {
    db.exec('BEGIN IMMEDIATE')
    for (const job of jobs) {
      const changesBefore = job.erases === 'no' ? 0 : changesOf(db)
      outcomes.push(await runInSavepoint(db, job))
      if (job.erases !== 'no' && changesOf(db) > changesBefore) erasedRows = true
    }
    db.exec('COMMIT')
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK')
    return { outcomes: jobs.map(({ id }) => ({ id, error })), isErased: false, erasedRows: false }
  }
  const isErased = outcomes.some((outcome) => 'value' in outcome && erasesWholly(jobs, outcome.id))
  return { outcomes, isErased, erasedRows }
}

/** Number of rows that this connection has changed so far. */
function changesOf(db: Database): number {
  return db.get<{ changes: number }>('SELECT total_changes() AS changes')?.changes ?? 0
}

/**
 * Like `runBatch`, but if the disk is full it retries erasures once, with the reserved space and the space that emptying the log
 * frees.
 */
export async function runBatchWithReserve(
  db: Database,
  jobs: readonly Job[],
  reserve: { fill(): void; giveUp(): void },
): Promise<Batch> {
  const first = await runBatch(db, jobs)
  const full = new Set(
    first.outcomes.filter((outcome) => 'error' in outcome && isFull(outcome.error)).map(({ id }) => id),
  )
  const again = jobs.filter(({ id, erases }) => erases !== 'no' && full.has(id))
  if (again.length === 0) return first
  reserve.giveUp()
  try {
    eraseLog(db)
    const second = await runBatch(db, again)
    if (second.isErased) eraseLog(db)
    const isAgain = new Set(again.map(({ id }) => id))
    return {
      outcomes: [...first.outcomes.filter(({ id }) => !isAgain.has(id)), ...second.outcomes],
      isErased: first.isErased || second.isErased,
      erasedRows: first.erasedRows || second.erasedRows,
    }
  } finally {
    reserve.fill()
  }
}

function isFull(error: unknown): boolean {
  return sqliteCode(error) === 13
}

/** @throws if the error ended the whole transaction, as a full disk does. */
async function runInSavepoint(db: Database, job: Job): Promise<Outcome> {
  db.exec('SAVEPOINT job')
  try {
    const value = await job.run()
    db.exec('RELEASE job')
    return { id: job.id, value }
  } catch (error) {
    if (!db.inTransaction) throw error
    db.exec('ROLLBACK TO job')
    db.exec('RELEASE job')
    return { id: job.id, error }
  }
}

function erasesWholly(jobs: readonly Job[], id: number): boolean {
  return jobs.some((job) => job.id === id && job.erases === 'wholly')
}

/**
 * Writes the log into the database and empties it, because old pages in the log still contain erased data. Returns false if a
 * reader still needs part of it for its snapshot, or if the disk failed: retry soon.
 */
export function eraseLog(db: Database): boolean {
  db.exec('PRAGMA busy_timeout = 200')
  try {
    return db.get<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)')?.busy === 0
  } catch (error) {
    if (sqliteCode(error) === undefined) throw error
    return false
  } finally {
    db.exec('PRAGMA busy_timeout = 5000')
  }
}
