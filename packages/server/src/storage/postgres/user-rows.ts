/** Users, the numbers of their rows, and the SQL of a scope. */
import { randomInt } from 'node:crypto'
import { unavailable } from '../../core/errors.js'
import type { Scope, UserScope } from '../../core/scope.js'
import { isStorable, storable } from '../domain/storable-text.js'
import type { Database, Value } from './database.js'
import { UserData } from './user-data.js'
import { type Told, writeEvents } from './write-events.js'

/**
 * A user's numbers begin at a multiple of this, taken by chance: all stay below 2^53, so they are exact in JavaScript, and
 * a number that went astray to another user's data finds nothing there. One counter serves all tables.
 */
const rowsPerUser = 2 ** 28
const mostStarts = 2 ** 24

export interface User {
  readonly revision: number
}

export async function findUser(db: Database, userId: string): Promise<User | undefined> {
  if (!isStorable(userId)) return undefined
  return db.get<User>('SELECT revision FROM users WHERE user_id = ?', userId)
}

interface UserRow extends User {
  readonly next_row: number
  readonly memories: number
}

/**
 * One write of one user: its new revision, and new row numbers. It holds the lock of the user's row until the transaction
 * ends, so writes of one user come one after the other, and revisions are committed in their order.
 */
export class UserWrite extends UserData {
  #nextRow: number
  #memories: number
  readonly #told: Told[] = []
  readonly revision: number

  private constructor(db: Database, userId: string, user: UserRow) {
    super(db, userId)
    this.revision = user.revision + 1
    this.#nextRow = user.next_row
    this.#memories = user.memories
  }

  /** Undefined: there is no such user. */
  static async begin(db: Database, userId: string): Promise<UserWrite | undefined> {
    if (!isStorable(userId)) return undefined
    const row = await db.get<UserRow>(
      'SELECT revision, next_row, memories FROM users WHERE user_id = ? FOR UPDATE',
      userId,
    )
    return row && new UserWrite(db, userId, row)
  }

  static async beginOrCreate(db: Database, userId: string): Promise<UserWrite> {
    const known = await UserWrite.begin(db, userId)
    if (known) return known
    // Another instance may do the same at this moment: this waits for it then, and finds what it made.
    await db.run(
      'INSERT INTO users (user_id, revision, next_row, memories) VALUES (?, 0, ?, 0) ON CONFLICT DO NOTHING',
      storable(userId, 'user_id'),
      randomInt(1, mostStarts) * rowsPerUser,
    )
    const made = await UserWrite.begin(db, userId)
    if (!made) throw new Error('a user that was just made is gone')
    return made
  }

  nextRow(): number {
    const row = this.#nextRow++
    if (row % rowsPerUser === rowsPerUser - 1) throw unavailable('This user has used up all row numbers')
    return row
  }

  countMemories(more: number): void {
    this.#memories += more
  }

  tell(event: Told): void {
    this.#told.push(event)
  }

  async end(): Promise<void> {
    await writeEvents(this, this.#told)
    await this.send(
      'UPDATE users SET revision = ?, next_row = ?, memories = ? WHERE user_id = @user',
      this.revision,
      this.#nextRow,
      this.#memories,
    )
  }
}

/** A user whose first `taken` numbers are given already; the first of them, or undefined where the user exists. */
export async function createNumberedUser(db: Database, userId: string, taken: number): Promise<number | undefined> {
  if (taken >= rowsPerUser) throw unavailable('This user has used up all row numbers')
  const first = randomInt(1, mostStarts) * rowsPerUser
  const made = await db.run(
    'INSERT INTO users (user_id, revision, next_row, memories) VALUES (?, 0, ?, 0) ON CONFLICT DO NOTHING',
    storable(userId, 'user_id'),
    first + taken,
  )
  return made === 0 ? undefined : first
}

/** The user's data, for a scope of one user. Undefined: no such user can exist. */
export function dataOf(db: Database, scope: UserScope): UserData | undefined {
  return isStorable(scope.userId) ? new UserData(db, scope.userId) : undefined
}

/** A condition of a statement, with `?` for its values. */
export interface Condition {
  readonly sql: string
  readonly values: readonly Value[]
}

/** Rows of a table that belong to the scope's users. Null: the scope holds nothing, so there is nothing to ask. */
export function usersIn(scope: Scope, table: 'm' | 'e' | 'c' | 'v' | 'i' | 'a' | 'w' | 'r' | 'part'): Condition | null {
  if (scope.kind === 'nobody') return null
  if (scope.kind === 'everyone') return { sql: 'TRUE', values: [] }
  return isStorable(scope.userId) ? { sql: `${table}.user_id = ?`, values: [scope.userId] } : null
}

/** The same of the table `m` (memories), in the scope's project. */
export function memoriesIn(scope: Scope): Condition | null {
  const users = usersIn(scope, 'm')
  if (!users || scope.kind === 'nobody' || scope.project === undefined) return users
  if (!isStorable(scope.project)) return null
  return { sql: `${users.sql} AND m.project = ?`, values: [...users.values, scope.project] }
}

/** Expired means: at or before that moment. */
export const notExpired = '(m.expires_at IS NULL OR m.expires_at > ?)'
