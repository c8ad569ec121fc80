/**
 * Group commit: all writes that wait are done in one transaction, each in a savepoint of its own, so
 * that one fsync serves them all. A write that fails takes back its own work only, and nothing is
 * acknowledged before the commit.
 */
import type { Database } from './database.js'
import { sqliteCode } from './messages.js'

export interface Job {
  readonly id: number
  readonly erases: boolean
  /** Starts the work, or resumes it where it gave way. */
  step(): IteratorResult<void, unknown>
  /** The same from its beginning; undefined where a part of it has been committed already. */
  anew?(): Job | undefined
}

type Outcome = { readonly id: number; readonly value: unknown } | { readonly id: number; readonly error: unknown }

interface Batch {
  readonly outcomes: readonly Outcome[]
  /** Jobs that gave way and go on in a later transaction. */
  readonly unfinished: readonly Job[]
  /** Something was erased: `eraseLog` is due before anybody hears of it. */
  readonly erased: boolean
  /** Rows went, also of an erasure that is not finished. */
  readonly erasedRows: boolean
}

export function runBatch(db: Database, jobs: readonly Job[]): Batch {
  const outcomes: Outcome[] = []
  const unfinished: Job[] = []
  let erasedRows = false
  try {
    db.exec('BEGIN IMMEDIATE')
    for (const job of jobs) {
      const changesBefore = job.erases ? changesOf(db) : 0
      const result = runInSavepoint(db, job)
      if (job.erases && changesOf(db) > changesBefore) erasedRows = true
      if ('error' in result) outcomes.push({ id: job.id, error: result.error })
      else if (result.done) outcomes.push({ id: job.id, value: result.value })
      else unfinished.push(job)
    }
    db.exec('COMMIT')
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK')
    return { outcomes: jobs.map(({ id }) => ({ id, error })), unfinished: [], erased: false, erasedRows: false }
  }
  const erased = outcomes.some((outcome) => 'value' in outcome && erases(jobs, outcome.id))
  return { outcomes, unfinished, erased, erasedRows }
}

/** Rows that this connection has changed so far. */
function changesOf(db: Database): number {
  return db.get<{ changes: number }>('SELECT total_changes() AS changes')?.changes ?? 0
}

/**
 * Like `runBatch`, and what erases is tried once more where the disk is full: with the room that is kept for it, and with what
 * emptying the log gives back.
 */
export function runBatchWithReserve(
  db: Database,
  jobs: readonly Job[],
  reserve: { fill(): void; giveUp(): void },
): Batch {
  const first = runBatch(db, jobs)
  const full = new Set(
    first.outcomes.filter((outcome) => 'error' in outcome && isFull(outcome.error)).map(({ id }) => id),
  )
  const again = jobs.filter(({ id, erases }) => erases && full.has(id)).flatMap((job) => job.anew?.() ?? [])
  if (again.length === 0) return first
  reserve.giveUp()
  try {
    eraseLog(db)
    const second = runBatch(db, again)
    if (second.erased) eraseLog(db)
    const isAgain = new Set(again.map(({ id }) => id))
    return {
      outcomes: [...first.outcomes.filter(({ id }) => !isAgain.has(id)), ...second.outcomes],
      unfinished: [...first.unfinished, ...second.unfinished],
      erased: first.erased || second.erased,
      erasedRows: first.erasedRows || second.erasedRows,
    }
  } finally {
    reserve.fill()
  }
}

function isFull(error: unknown): boolean {
  return sqliteCode(error) === 13
}

/** @throws when the error ended the whole transaction, as a full disk does. */
function runInSavepoint(db: Database, job: Job): IteratorResult<void, unknown> | { readonly error: unknown } {
  db.exec('SAVEPOINT job')
  try {
    const result = job.step()
    db.exec('RELEASE job')
    return result
  } catch (error) {
    if (!db.inTransaction) throw error
    db.exec('ROLLBACK TO job')
    db.exec('RELEASE job')
    return { error }
  }
}

function erases(jobs: readonly Job[], id: number): boolean {
  return jobs.some((job) => job.id === id && job.erases)
}

/**
 * Writes the log into the database and empties it: old pages in it still hold what was erased. False
 * when a reader in the middle of its snapshot still needs some of it, or the disk failed: try again soon.
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
