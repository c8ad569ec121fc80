/** Users, the numbers of their rows, and the SQL of a scope. */
import { unavailable } from '../../core/errors.js'
import type { Scope } from '../../core/scope.js'
import { isStorable } from '../domain/storable-text.js'
import type { Database, Value } from './database.js'
import { type Told, writeEvents } from './write-events.js'

/** 2^28 rows a user and 2^25 users stay below 2^53: a row is an exact JavaScript number. */
const rowsPerUser = 2 ** 28
const mostUsers = 2 ** 25

export interface User {
  readonly key: number
  readonly revision: number
}

export function findUser(db: Database, userId: string): User | undefined {
  if (!isStorable(userId)) return undefined
  return db.get<User>('SELECT key, revision FROM users WHERE id = ?', userId)
}

export function isRowOf(user: User, row: number): boolean {
  return Number.isSafeInteger(row) && Math.floor(row / rowsPerUser) === user.key
}

/** First and last row number of a user, as values for BETWEEN. */
export function rowsOf(user: User): readonly [first: number, last: number] {
  return [user.key * rowsPerUser, (user.key + 1) * rowsPerUser - 1]
}

/** One write of one user: its new revision, new row numbers, and what it tells of. */
export class UserWrite {
  #nextSequence: number
  readonly #told: Told[] = []
  readonly key: number
  readonly revision: number

  private constructor(
    private readonly db: Database,
    user: User & { readonly next_sequence: number },
  ) {
    this.key = user.key
    this.revision = user.revision + 1
    this.#nextSequence = user.next_sequence
  }

  static begin(db: Database, userKey: number): UserWrite {
    const user = db.get<User & { next_sequence: number }>(
      'SELECT key, revision, next_sequence FROM users WHERE key = ?',
      userKey,
    )
    if (!user) throw new Error(`there is no user with key ${userKey}`)
    return new UserWrite(db, user)
  }

  nextRow(): number {
    if (this.#nextSequence >= rowsPerUser) throw unavailable('This user has used up all row numbers')
    return this.key * rowsPerUser + this.#nextSequence++
  }

  tell(event: Told): void {
    this.#told.push(event)
  }

  end(): void {
    const { revision, key } = this
    writeEvents(this.db, this, this.#told)
    this.db.run('UPDATE users SET revision = ?, next_sequence = ? WHERE key = ?', revision, this.#nextSequence, key)
  }
}

export function createUser(db: Database, userId: string): number {
  const key = db.insert('INSERT INTO users (id, revision, next_sequence) VALUES (?, 0, 1)', userId)
  if (key >= mostUsers) throw unavailable('This database has used up all user numbers')
  return key
}

/** A condition on the table `m` (memories). */
export interface Condition {
  readonly sql: string
  readonly values: readonly Value[]
}

/** Null: the scope holds nothing, so there is nothing to ask. */
export function memoriesIn(db: Database, scope: Scope): Condition | null {
  if (scope.kind === 'nobody') return null
  const project = scope.project === undefined ? [] : [scope.project]
  const inProject = scope.project === undefined ? '' : ' AND m.project = ?'
  if (scope.kind === 'everyone') return { sql: `TRUE${inProject}`, values: project }
  const user = findUser(db, scope.userId)
  return user ? { sql: `m.user = ?${inProject}`, values: [user.key, ...project] } : null
}

/** The same, for reading all of the scope: a user's memories lie together in the table, not in an index. */
export function allMemoriesIn(db: Database, scope: Scope): Condition | null {
  const user = scope.kind === 'user' ? findUser(db, scope.userId) : undefined
  if (scope.kind !== 'user' || !user) return memoriesIn(db, scope)
  const inProject = scope.project === undefined ? '' : ' AND +m.project = ?'
  const project = scope.project === undefined ? [] : [scope.project]
  return { sql: `m.key BETWEEN ? AND ?${inProject}`, values: [...rowsOf(user), ...project] }
}

/** Expired means: at or before that moment. */
export const notExpired = '(m.expires_at IS NULL OR m.expires_at > ?)'
