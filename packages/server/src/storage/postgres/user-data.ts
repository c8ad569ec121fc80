/** The rows of one user inside a transaction. `@user` in a statement is its id: a statement without it is refused. */
import type { Database, Value } from './database.js'

export class UserData {
  constructor(
    readonly db: Database,
    readonly userId: string,
  ) {}

  get<Row>(sql: string, ...values: readonly Value[]): Promise<Row | undefined> {
    return this.db.get<Row>(...this.#own(sql, values))
  }

  all<Row>(sql: string, ...values: readonly Value[]): Promise<Row[]> {
    return this.db.all<Row>(...this.#own(sql, values))
  }

  run(sql: string, ...values: readonly Value[]): Promise<number> {
    return this.db.run(...this.#own(sql, values))
  }

  /** See `Database.send`. */
  send(sql: string, ...values: readonly Value[]): Promise<void> {
    return this.db.send(...this.#own(sql, values))
  }

  #own(sql: string, values: readonly Value[]): [sql: string, ...values: Value[]] {
    if (!sql.includes('@user')) throw new Error('a statement about a user does not say whose rows it means')
    return [sql, ...values, this.userId]
  }
}
