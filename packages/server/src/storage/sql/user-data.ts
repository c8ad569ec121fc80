/** The rows of one user inside a transaction. `@user` in a statement is its key: a statement without it is refused. */
import { unavailable } from '../../core/errors.js'
import type { Scope } from '../../core/scope.js'
import { isStorable, storable } from '../domain/storable-text.js'
import type { Condition } from './dialect.js'
import { type Told, writeEvents } from './events/write-events.js'
import type { Session, UserKey, Value } from './session.js'

export class UserData {
  constructor(
    readonly session: Session,
    readonly key: UserKey,
  ) {}

  get dialect() {
    return this.session.dialect
  }

  get<Row>(sql: string, ...values: readonly Value[]): Promise<Row | undefined> {
    return this.session.get<Row>(...this.#own(sql, values))
  }

  all<Row>(sql: string, ...values: readonly Value[]): Promise<Row[]> {
    return this.session.all<Row>(...this.#own(sql, values))
  }

  run(sql: string, ...values: readonly Value[]): Promise<number> {
    return this.session.run(...this.#own(sql, values))
  }

  /** See `Session.send`. */
  send(sql: string, ...values: readonly Value[]): Promise<void> {
    return this.session.send(...this.#own(sql, values))
  }

  #own(sql: string, values: readonly Value[]): [sql: string, ...values: Value[]] {
    if (!sql.includes('@user')) throw new Error('a statement about one user must name @user')
    return [sql, ...values, this.key]
  }
}

/**
 * Row numbers of one user begin at a multiple of this and stay below 2^53, so they are exact JavaScript numbers, and a number
 * that went astray finds nothing in another user's rows. One counter serves all tables.
 */
export const rowsPerUser = 2 ** 28

interface UserRow {
  readonly revision: number
  readonly next_row: number
  readonly memories: number
}

/**
 * One write for one user: its revision, new row numbers, and the events to record. It holds the lock on the user's row until the
 * transaction ends, so writes of one user run one after the other, and revisions are committed in order.
 */
export class UserWrite extends UserData {
  #nextRow: number
  #memories: number
  readonly #told: Told[] = []
  readonly revision: number

  private constructor(session: Session, key: UserKey, row: UserRow) {
    super(session, key)
    this.revision = row.revision + 1
    this.#nextRow = row.next_row
    this.#memories = row.memories
  }

  /** Undefined: there is no such user. */
  static async begin(user: UserData): Promise<UserWrite | undefined> {
    const row = await user.get<UserRow>(
      `SELECT revision, next_row, memories FROM users WHERE user_id = @user ${user.dialect.forUpdate}`,
    )
    return row && new UserWrite(user.session, user.key, row)
  }

  static async beginOrCreate(session: Session, userId: string): Promise<UserWrite> {
    const known = await dataOf(session, userId)
    const begun = known && (await UserWrite.begin(known))
    if (begun) return begun
    // Another instance may create the same user at this moment: then this waits, and finds the row that it made.
    const created = await session.createUser(storable(userId, 'user_id'), 0)
    const user = created === undefined ? await dataOf(session, userId) : new UserData(session, created)
    const made = user && (await UserWrite.begin(user))
    if (!made) throw new Error('a user that was just created is missing')
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

/** Undefined: there is no such user, or cannot be one. */
export async function dataOf(session: Session, userId: string): Promise<UserData | undefined> {
  const key = await session.findUser(userId)
  return key === undefined ? undefined : new UserData(session, key)
}

type OwnedTable = 'memories' | 'entities' | 'contradictions' | 'entity_merges'

/**
 * Whose row this is. A scope of one user knows; where a caller may name any id, the id is looked up among everyone's rows, and from
 * then on the transaction sees the owner's rows alone. Undefined: the scope has no such row.
 */
export async function findOwner(
  session: Session,
  scope: Scope,
  table: OwnedTable,
  id: string,
): Promise<UserData | undefined> {
  if (scope.kind === 'nobody' || !isStorable(id)) return undefined
  if (scope.kind === 'user') return dataOf(session, scope.userId)
  const row = await session.get<{ user_id: UserKey }>(`SELECT user_id FROM ${table} WHERE id = ? LIMIT 1`, id)
  if (!row) return undefined
  await session.actAs(row.user_id)
  return new UserData(session, row.user_id)
}

/** The same, for writing: nobody else writes for that user until the transaction ends. */
export async function lockOwner(
  session: Session,
  scope: Scope,
  table: OwnedTable,
  id: string,
): Promise<UserWrite | undefined> {
  const owner = await findOwner(session, scope, table, id)
  return owner && (await UserWrite.begin(owner))
}

/** A condition on the rows of the table with this alias that belong to the scope's users. Null: the scope holds nothing. */
export async function usersIn(session: Session, scope: Scope, alias: string): Promise<Condition | null> {
  if (scope.kind === 'nobody') return null
  if (scope.kind === 'everyone') return { sql: 'TRUE', values: [] }
  const user = await dataOf(session, scope.userId)
  return user ? { sql: `${alias}.user_id = ?`, values: [user.key] } : null
}

/** The same for the table `m` (memories), within the scope's project. */
export async function memoriesIn(session: Session, scope: Scope): Promise<Condition | null> {
  const users = await usersIn(session, scope, 'm')
  if (!users || scope.kind === 'nobody' || scope.project === undefined) return users
  if (!isStorable(scope.project)) return null
  return { sql: `${users.sql} AND m.project = ?`, values: [...users.values, scope.project] }
}

/** Expired means: at or before that moment. */
export const notExpired = '(m.expires_at IS NULL OR m.expires_at > ?)'
