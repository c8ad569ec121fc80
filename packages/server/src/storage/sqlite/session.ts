/** A transaction on the connection that this thread owns. Every promise is already resolved: see `sql/session.ts`. */
import { statSync } from 'node:fs'
import { unavailable } from '../../core/errors.js'
import { isStorable } from '../domain/storable-text.js'
import { usualLimits } from '../ports/storage-limits.js'
import { numbering } from '../sql/placeholders.js'
import type { Session, Value, VectorForms } from '../sql/session.js'
import { requireFreeRows, rowsPerUser } from '../sql/user-data.js'
import type { Value as BoundValue, Database } from './database.js'
import { sqliteDialect } from './dialect.js'
import { segmentBytes } from './segments.js'
import { sqliteVectors } from './vectors.js'

/** Row numbers begin at the user's key times `rowsPerUser` and stay below 2^53. */
const mostUsers = 2 ** 25

const numbered = numbering('?')

export class SqliteSession implements Session {
  readonly dialect = sqliteDialect
  readonly vectors: VectorForms

  constructor(
    readonly db: Database,
    readonly limits = usualLimits,
  ) {
    this.vectors = sqliteVectors(db)
  }

  async get<Row>(sql: string, ...values: Value[]): Promise<Row | undefined> {
    return this.db.get<Row>(numbered(sql), ...bound(values))
  }

  async all<Row>(sql: string, ...values: Value[]): Promise<Row[]> {
    return this.db.all<Row>(numbered(sql), ...bound(values))
  }

  async run(sql: string, ...values: Value[]): Promise<number> {
    return this.db.run(numbered(sql), ...bound(values))
  }

  async send(sql: string, ...values: Value[]): Promise<void> {
    this.db.run(numbered(sql), ...bound(values))
  }

  async findUser(userId: string): Promise<number | undefined> {
    // SQLite would cut the text at a NUL and find another user.
    if (!isStorable(userId)) return undefined
    return this.db.get<{ user_id: number }>('SELECT user_id FROM users WHERE id = ?', userId)?.user_id
  }

  async createUser(userId: string, taken: number): Promise<number | undefined> {
    requireFreeRows(taken)
    if ((await this.findUser(userId)) !== undefined) return undefined
    const key = this.db.insert('INSERT INTO users (id, revision, next_row) VALUES (?, 0, 0)', userId)
    if (key >= mostUsers) throw unavailable('This database has used up all user numbers')
    // A user's first row number is 1, so that no row has the number at which the user's range begins.
    this.db.run('UPDATE users SET next_row = ? WHERE user_id = ?', key * rowsPerUser + 1 + taken, key)
    return key
  }

  /** There is only one writer, so nothing to wait for. */
  async lockName(): Promise<void> {
    return undefined
  }

  readonly segmentBytes: Session['segmentBytes'] = async (user, marks) => segmentBytes(this.db, Number(user), marks)

  /** From the file system: opening and closing the file would drop SQLite's locks on it. */
  async databaseBytes(): Promise<number> {
    const { path } = this.db
    const sizes = [path, `${path}-wal`].map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0)
    return sizes.reduce((sum, size) => sum + size, 0)
  }

  /** One process has the file, and every statement names its user: there is nothing to enforce. */
  async actAs(): Promise<void> {
    return undefined
  }
}

/** In place: every call has made the list for itself, and a commit binds hundreds of values. */
function bound(values: Value[]): BoundValue[] {
  for (let place = 0; place < values.length; place++) {
    const value = values[place]
    if (typeof value === 'boolean') values[place] = value ? 1 : 0
    else if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array)) {
      values[place] = JSON.stringify(value)
    }
  }
  // Neither booleans nor lists are left.
  return values as BoundValue[]
}
