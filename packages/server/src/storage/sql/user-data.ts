/** The rows of one user inside a transaction. `@user` in a statement is the user's key: a statement without it is refused. */
import { unavailable } from '../../core/errors.js'
import type { Scope } from '../../core/scope.js'
import { isStorable } from '../domain/storable-text.js'
import type { Condition } from './dialect.js'
import type { Session, UserKey, Value } from './session.js'

export class UserData {
  constructor(
    readonly session: Session,
    readonly key: UserKey,
  ) {}

  get dialect() {
    return this.session.dialect
  }

  get<Row>(sql: string, ...values: Value[]): Promise<Row | undefined> {
    return this.session.get<Row>(sql, ...this.#own(sql, values))
  }

  all<Row>(sql: string, ...values: Value[]): Promise<Row[]> {
    return this.session.all<Row>(sql, ...this.#own(sql, values))
  }

  run(sql: string, ...values: Value[]): Promise<number> {
    return this.session.run(sql, ...this.#own(sql, values))
  }

  /** See `Session.send`. */
  send(sql: string, ...values: Value[]): Promise<void> {
    return this.session.send(sql, ...this.#own(sql, values))
  }

  #own(sql: string, values: Value[]): readonly Value[] {
    if (!sql.includes('@user')) throw new Error('a statement about one user must name @user')
    values.push(this.key)
    return values
  }
}

/**
 * Row numbers of one user begin at a multiple of this and stay below 2^53, so they are exact JavaScript numbers, and a
 * misdirected number matches no row of another user. One counter serves all tables.
 */
export const rowsPerUser = 2 ** 28

/** @throws if a user with this many row numbers in use would have none left. */
export function requireFreeRows(taken: number): void {
  if (taken >= rowsPerUser - 2) throw unavailable('This user has used up all row numbers')
}

/** Undefined: there is no such user, or the id is invalid. */
export async function dataOf(session: Session, userId: string): Promise<UserData | undefined> {
  const key = await session.findUser(userId)
  return key === undefined ? undefined : new UserData(session, key)
}

export type OwnedTable = 'memories' | 'entities' | 'contradictions' | 'entity_merges'

/**
 * The user who owns this row. In the scope of one user it is that user. If a caller may name any id, the id is looked up among
 * all rows, and from then on the transaction sees only the owner's rows. Undefined: the scope has no such row.
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

/** A condition that limits the table with this alias to the scope's users. Null: the scope is empty. */
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

/** A memory has expired at and after that time. */
export const notExpired = '(m.expires_at IS NULL OR m.expires_at > ?)'
