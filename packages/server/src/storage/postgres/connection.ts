/**
 * One connection to PostgreSQL, used for one transaction at a time. The driver gets a pool size of one: its own pool keeps
 * using a connection that died in the middle of a transaction, and throws where nobody can catch it.
 */
import postgres from 'postgres'
import { ofAnyShape } from '../sql/statement.js'

export type Value = string | number | boolean | null | Uint8Array | readonly string[] | readonly number[] | object

export interface ConnectionOptions {
  readonly url: string
  readonly connectTimeoutMs: number
  /** PostgreSQL aborts a statement after this long. 0: never, for statements that may take minutes. */
  readonly statementTimeoutMs: number
  /** The connection hangs if there is no answer this long after PostgreSQL should have aborted the statement. */
  readonly graceMs: number
}

/** There was no answer at all, not even that the statement took too long. */
class ConnectionHangs extends Error {
  override readonly name = 'ConnectionHangs'
  readonly code = 'CONNECT_TIMEOUT'
}

export interface Answer<Row> {
  readonly rows: readonly Row[]
  /** Number of rows found or changed. */
  readonly count: number
}

export class Connection {
  readonly #sql: postgres.Sql<{ bigint: number }>
  /** Null: no deadline. */
  readonly #deadlineMs: number | null
  #isDead = false

  constructor({ url, connectTimeoutMs, statementTimeoutMs, graceMs }: ConnectionOptions) {
    this.#deadlineMs = statementTimeoutMs === 0 ? null : connectTimeoutMs + statementTimeoutMs + graceMs
    this.#sql = postgres(url, {
      max: 1,
      connect_timeout: connectTimeoutMs / 1000,
      max_lifetime: null,
      idle_timeout: 0,
      onnotice: () => undefined,
      onclose: () => {
        this.#isDead = true
      },
      // Row numbers and times are all below 2^53.
      types: { bigint: { to: 20, from: [20], serialize: String, parse: Number } },
      connection: {
        application_name: 'keepsake',
        statement_timeout: statementTimeoutMs,
        idle_in_transaction_session_timeout: statementTimeoutMs === 0 ? 0 : statementTimeoutMs + graceMs,
      },
    })
  }

  get isDead(): boolean {
    return this.#isDead
  }

  /** Statements are answered in the order in which they are sent, whether or not the caller awaits each one. */
  async query<Row>(text: string, values: readonly Value[] = []): Promise<Answer<Row>> {
    this.#requireOpen()
    // The driver's types do not accept readonly arrays.
    const sent = this.#sql.unsafe(text, values as postgres.ParameterOrJSON<never>[], {
      prepare: values.length > 0 && !text.includes(ofAnyShape),
    })
    const rows = await this.#beforeDeadline(sent)
    // The caller states the row type: the driver cannot know it.
    return { rows: rows as unknown as readonly Row[], count: rows.count ?? rows.length }
  }

  /** All bytes that `COPY … TO STDOUT` sends. */
  async copyOut(text: string): Promise<Buffer> {
    this.#requireOpen()
    const read = async () => {
      const chunks: Buffer[] = []
      const stream = await this.#sql.unsafe(text).readable()
      for await (const chunk of stream) chunks.push(chunk as Buffer)
      // The driver pauses its socket while the stream is full, and leaves it so if the last bytes filled it.
      stream._read(0)
      return Buffer.concat(chunks)
    }
    return this.#beforeDeadline(read())
  }

  #requireOpen(): void {
    if (this.#isDead) throw Object.assign(new Error('the connection is closed'), { code: 'CONNECTION_CLOSED' })
  }

  async #beforeDeadline<T>(answer: PromiseLike<T>): Promise<T> {
    const deadlineMs = this.#deadlineMs
    if (deadlineMs === null) return answer
    let timer: NodeJS.Timeout | undefined
    const hung = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        this.destroy()
        reject(new ConnectionHangs('PostgreSQL does not answer'))
      }, deadlineMs)
    })
    try {
      return await Promise.race([answer, hung])
    } finally {
      clearTimeout(timer)
    }
  }

  async close(): Promise<void> {
    this.#isDead = true
    await this.#sql.end({ timeout: 2 })
  }

  /** Closes at once, even in the middle of a statement. */
  destroy(): void {
    this.#isDead = true
    // Statements in flight are rejected; a failure to close adds nothing.
    this.#sql.end({ timeout: 0 }).catch(() => undefined)
  }
}
