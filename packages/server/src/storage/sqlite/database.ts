/** One connection. Statements are prepared once, except those of any shape, and every value is bound. */
import { DatabaseSync, type StatementSyncInstance } from '@photostructure/sqlite'
import { ofAnyShape } from '../sql/statement.js'

export type Value = string | number | null | Uint8Array

export class Database {
  readonly #handle: InstanceType<typeof DatabaseSync>
  readonly #statements = new Map<string, StatementSyncInstance>()
  readonly #arrayStatements = new Map<string, StatementSyncInstance>()

  constructor(
    readonly path: string,
    { readOnly = false } = {},
  ) {
    this.#handle = new DatabaseSync(path, { timeout: 5_000, enableForeignKeyConstraints: true, readOnly })
  }

  get<Row>(sql: string, ...values: Value[]): Row | undefined {
    return this.#prepare(sql).get(...values)
  }

  all<Row>(sql: string, ...values: Value[]): Row[] {
    return this.#prepare(sql).all(...values)
  }

  /**
   * For long results, as arrays, which cost half as much as objects where there are thousands. Finish or leave the loop before
   * running the same statement again.
   */
  iterate<Row extends readonly Value[]>(sql: string, ...values: Value[]): IterableIterator<Row> {
    return this.#prepare(sql, this.#arrayStatements).iterate(...values)
  }

  /** Number of rows changed. */
  run(sql: string, ...values: Value[]): number {
    return this.#prepare(sql).run(...values).changes
  }

  /** Key of the inserted row. */
  insert(sql: string, ...values: Value[]): number {
    return Number(this.#prepare(sql).run(...values).lastInsertRowid)
  }

  exec(sql: string): void {
    this.#handle.exec(sql)
  }

  /** Defines a SQL function; its result must depend on the arguments alone. */
  define(name: string, call: (...values: Value[]) => Value): void {
    this.#handle.function(name, { deterministic: true, directOnly: true }, call)
  }

  get inTransaction(): boolean {
    return this.#handle.isTransaction
  }

  close(): void {
    this.#statements.clear()
    this.#arrayStatements.clear()
    this.#handle.close()
  }

  #prepare(sql: string, cache = this.#statements): StatementSyncInstance {
    let statement = cache.get(sql)
    if (!statement) {
      statement = this.#handle.prepare(sql)
      if (cache === this.#arrayStatements) statement.setReturnArrays(true)
      if (!sql.includes(ofAnyShape)) cache.set(sql, statement)
    }
    return statement
  }
}

/** `mayTouch` throws for a file that is not ours, before anything in it is changed. */
export function openWriter(path: string, mayTouch: (db: Database) => void = () => undefined): Database {
  const db = new Database(path)
  try {
    mayTouch(db)
    // FULL: a commit returns once it is on disk. secure_delete: erased text is overwritten.
    db.exec('PRAGMA journal_mode = WAL')
    db.exec('PRAGMA synchronous = FULL')
    db.exec('PRAGMA secure_delete = ON')
    db.exec('PRAGMA wal_autocheckpoint = 4000')
    db.exec('PRAGMA journal_size_limit = 67108864')
    tune(db)
  } catch (error) {
    db.close()
    throw error
  }
  return db
}

export function openReader(path: string): Database {
  const db = new Database(path)
  db.exec('PRAGMA query_only = ON')
  tune(db)
  // SQLite's own LIKE ignores case only for ASCII letters.
  db.define('contains_folded', (text, folded) => (String(text).toLowerCase().includes(String(folded)) ? 1 : 0))
  return db
}

function tune(db: Database): void {
  // Three connections share the service's 500 MB. Sorting never writes text into temporary files.
  db.exec('PRAGMA cache_size = -8000')
  db.exec('PRAGMA temp_store = MEMORY')
}
