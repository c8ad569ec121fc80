/**
 * One transaction, and whose rows it may touch: row-level security hides all others from it, also from a statement that
 * forgot to ask (see `layout.ts`). Every value is bound, none is spliced into SQL; `?` stands for a value.
 */
import { invalid } from '../../core/errors.js'
import type { Scope } from '../../core/scope.js'
import { isStorable } from '../domain/storable-text.js'
import type { Answer, Connection, Value } from './connection.js'

export type { Value } from './connection.js'

/** Whom a transaction may see: a scope; the keys, which belong to nobody until one of them has been shown; how many there are. */
export type Sight = Scope | 'keys' | 'totals'

/** Statements on their way whose answers nobody has waited for yet. */
const mostUnderWay = 64

export class Database {
  #underWay: Promise<unknown>[] = []
  #firstFailure: unknown

  constructor(private readonly connection: Connection) {}

  /** `Row` is the caller's word for what the statement selects: the driver can't know. */
  async get<Row>(sql: string, ...values: readonly Value[]): Promise<Row | undefined> {
    return (await this.#query<Row>(sql, values)).rows[0]
  }

  async all<Row>(sql: string, ...values: readonly Value[]): Promise<Row[]> {
    return [...(await this.#query<Row>(sql, values)).rows]
  }

  /** Number of rows that changed. */
  async run(sql: string, ...values: readonly Value[]): Promise<number> {
    return (await this.#query(sql, values)).count
  }

  /**
   * For a change whose outcome is not looked at: what comes next is sent without waiting for its answer, and comes after
   * it all the same. Whether it succeeded shows in `settled`, at the end of the transaction at the latest.
   */
  async send(sql: string, ...values: readonly Value[]): Promise<void> {
    const sent = this.#query(sql, values)
    sent.catch(() => undefined)
    this.#underWay.push(sent)
    if (this.#underWay.length >= mostUnderWay) await this.settled()
  }

  async settled(): Promise<void> {
    await Promise.all(this.#underWay.splice(0))
  }

  /** What failed first is the reason for what failed after it. */
  reasonOf(error: unknown): unknown {
    return this.#firstFailure ?? error
  }

  /** From here on the transaction sees this user's rows alone. */
  async actAs(userId: string): Promise<void> {
    await this.see({ kind: 'user', userId })
  }

  async see(sight: Sight): Promise<void> {
    const scope = typeof sight === 'string' ? undefined : sight
    const userId = scope?.kind === 'user' && isStorable(scope.userId) ? scope.userId : ''
    const isForEveryone = scope?.kind === 'everyone' || sight === 'totals'
    await this.#query(
      `SELECT set_config('keepsake.user', ?, true), set_config('keepsake.everyone', ?, true),
         set_config('keepsake.keys', ?, true)`,
      [userId, isForEveryone ? 'yes' : '', sight === 'keys' ? 'yes' : ''],
    )
  }

  async #query<Row>(sql: string, values: readonly Value[]): Promise<Answer<Row>> {
    for (const value of values) {
      // PostgreSQL's texts end nowhere in the middle: it refuses the whole statement.
      if (typeof value === 'string' && value.includes('\0')) throw invalid('', 'must not contain the NUL character')
    }
    try {
      return await this.connection.query<Row>(numbered(sql), values)
    } catch (error) {
      this.#firstFailure ??= error
      throw error
    }
  }
}

const texts = new Map<string, string>()

/**
 * `?` as PostgreSQL writes it: `$1`, `$2`; `@user`, wherever it stands, is the last value (see `user-data.ts`). There are
 * as many texts as statements in this folder.
 */
function numbered(sql: string): string {
  let text = texts.get(sql)
  if (text === undefined) {
    let count = 0
    text = sql.replaceAll('?', () => `$${++count}`).replaceAll('@user', () => `$${count + 1}`)
    texts.set(sql, text)
  }
  return text
}
