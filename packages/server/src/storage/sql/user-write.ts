import { ServiceError, unavailable } from '../../core/errors.js'
import type { Scope } from '../../core/scope.js'
import { storable } from '../domain/storable-text.js'
import { type Told, writeEvents } from './events/write-events.js'
import type { Session, UserKey } from './session.js'
import { itemBytesOf, segmentBytesOf, versionBytesOf } from './user-bytes.js'
import { dataOf, findOwner, type OwnedTable, rowsPerUser, UserData } from './user-data.js'

interface UserRow {
  readonly revision: number
  readonly next_row: number
  readonly memories: number
  readonly bytes: number | null
}

/**
 * One write for one user: its revision, new row numbers, and the events to record. It holds the lock on the user's row until the
 * transaction ends, so writes of one user run one after another, and revisions are committed in order.
 */
export class UserWrite extends UserData {
  #nextRow: number
  #memories: number
  /** Before this write; null: not counted. */
  #bytes: number | null
  #moreBytes = 0
  readonly #told: Told[] = []
  /** Memories that got a version in place of another, for `trimVersions`. */
  readonly grown = new Set<number>()
  readonly revision: number

  private constructor(session: Session, key: UserKey, row: UserRow) {
    super(session, key)
    this.revision = row.revision + 1
    this.#nextRow = row.next_row
    this.#memories = row.memories
    this.#bytes = row.bytes
  }

  /** Undefined: there is no such user. */
  static async begin(user: UserData): Promise<UserWrite | undefined> {
    const row = await user.get<UserRow>(
      `SELECT revision, next_row, memories, bytes FROM users WHERE user_id = @user ${user.dialect.forUpdate}`,
    )
    return row && new UserWrite(user.session, user.key, row)
  }

  static async beginOrCreate(session: Session, userId: string): Promise<UserWrite> {
    const known = await dataOf(session, userId)
    const begun = known && (await UserWrite.begin(known))
    if (begun) return begun
    // Another instance may be creating the same user: then this waits, and finds that row.
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

  /** Whether rows that are added or erased must be counted. */
  get isCounted(): boolean {
    return this.session.limits.userBytes !== undefined
  }

  countBytes(more: number): void {
    this.#moreBytes += more
  }

  /** @throws if this write has added rows, and there are too many. Call it after all of them. */
  async requireRoom(): Promise<void> {
    const { userBytes: most } = this.session.limits
    if (most === undefined) return
    this.#bytes ??=
      (await versionBytesOf(this)) + (await segmentBytesOf(this)) + (await itemBytesOf(this)) - this.#moreBytes
    if (this.#moreBytes <= 0 || this.#bytes + this.#moreBytes <= most) return
    const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`
    const message = `This user has no room left: ${megabytes(this.#bytes)} of ${megabytes(most)} are in use. Delete memories or items, or have the operator raise SERVICE_USER_QUOTA_MB`
    throw new ServiceError('validation_error', message, undefined, 413)
  }

  tell(event: Told): void {
    this.#told.push(event)
  }

  async end(): Promise<void> {
    await writeEvents(this, this.#told)
    await this.send(
      'UPDATE users SET revision = ?, next_row = ?, memories = ?, bytes = ? WHERE user_id = @user',
      this.revision,
      this.#nextRow,
      this.#memories,
      this.isCounted && this.#bytes !== null ? this.#bytes + this.#moreBytes : null,
    )
  }
}

/** Like `findOwner`, for writing: no other write for that user can happen until the transaction ends. */
export async function lockOwner(
  session: Session,
  scope: Scope,
  table: OwnedTable,
  id: string,
): Promise<UserWrite | undefined> {
  const owner = await findOwner(session, scope, table, id)
  return owner && (await UserWrite.begin(owner))
}
