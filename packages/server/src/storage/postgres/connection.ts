/**
 * One connection to PostgreSQL, used for one transaction at a time. The driver gets a pool size of one: its own pool keeps
 * using a connection that died in the middle of a transaction, and throws where nobody can catch it.
 */
import postgres from 'postgres'
import { ofAnyShape } from '../sql/statement.js'
import { codeOf } from './errors.js'
import { type HostFacts, hostQuestion, type Reign } from './primary.js'

export type Value = string | number | boolean | null | Uint8Array | readonly string[] | readonly number[] | object

export interface ConnectionOptions {
  /** The URL of one host, or a function that finds the primary among several. */
  readonly url: string | (() => Promise<Reign>)
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

type Driver = postgres.Sql<{ bigint: number }>

/**
 * The function of PostgreSQL that waits for a synchronous standby. If the wait is cancelled, it only warns, and the commit
 * succeeds. A failover would lose it, so it must not be acknowledged.
 */
const waitForStandby = 'SyncRepWaitForLSN'

const readOnlyTransaction = '25006'

export interface Answer<Row> {
  readonly rows: readonly Row[]
  /** Number of rows found or changed. */
  readonly count: number
}

export class Connection {
  readonly #options: ConnectionOptions
  /** Null: no deadline. */
  readonly #deadlineMs: number | null
  #sql: Driver | undefined
  /** Only with several hosts. */
  readonly #opening: Promise<Driver> | undefined
  #reign: Reign | undefined
  #forgetReign: (() => void) | undefined
  #isDead = false
  #isUnconfirmed = false
  /** The address and the process of the server that answered last. */
  #server: { readonly url: string; pid?: number } | undefined
  #isCommitting = false

  constructor(options: ConnectionOptions) {
    const { url, connectTimeoutMs, statementTimeoutMs, graceMs } = options
    this.#options = options
    this.#deadlineMs = statementTimeoutMs === 0 ? null : connectTimeoutMs + statementTimeoutMs + graceMs
    if (typeof url === 'string') this.#sql = this.#driver(url)
    else {
      this.#opening = this.#open(url)
      // Every query gets the error; a connection without queries has nobody to tell.
      this.#opening.catch(() => this.#die())
    }
  }

  #driver(url: string): Driver {
    const { connectTimeoutMs, statementTimeoutMs, graceMs } = this.#options
    this.#server = { url }
    return postgres(url, {
      max: 1,
      connect_timeout: connectTimeoutMs / 1000,
      max_lifetime: null,
      idle_timeout: 0,
      onnotice: (notice) => {
        if (notice.routine === waitForStandby) this.#isUnconfirmed = true
      },
      onclose: () => {
        if (!this.#isDead) this.#reign?.doubt()
        this.#die()
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

  async #open(findPrimary: () => Promise<Reign>): Promise<Driver> {
    const reign = await findPrimary()
    if (this.#isDead) throw closed()
    const sql = this.#driver(reign.url)
    this.#sql = sql
    this.#reign = reign
    this.#forgetReign = reign.whenOver(() => this.destroy())
    try {
      const [facts] = await sql.unsafe<HostFacts[]>(hostQuestion)
      if (facts) reign.confirm(facts)
    } catch (error) {
      reign.doubt()
      this.destroy()
      throw error
    }
    return sql
  }

  get isDead(): boolean {
    return this.#isDead
  }

  /** The timeline of the primary; undefined with one host, or before the first answer. */
  get timeline(): number | undefined {
    return this.#reign?.timeline
  }

  /** Statements are answered in the order in which they are sent, whether or not the caller awaits each one. */
  async query<Row>(text: string, values: readonly Value[] = []): Promise<Answer<Row>> {
    if (this.#isDead) throw closed()
    this.#isCommitting = text === 'COMMIT'
    const rows = await this.#beforeDeadline(this.#opening ? this.#sendOnceOpen(text, values) : this.#send(text, values))
    // A message of several statements has an answer of several parts, and none of its own.
    const state = rows.state as { readonly pid: number } | undefined
    if (this.#server && state) this.#server.pid = state.pid
    if (this.#isUnconfirmed) {
      this.destroy()
      throw Object.assign(new Error('no standby has confirmed the commit'), { code: 'NOT_REPLICATED' })
    }
    // The caller states the row type: the driver cannot know it.
    return { rows: rows as unknown as readonly Row[], count: rows.count ?? rows.length }
  }

  /** Statements that wait for the connection are sent in their order. */
  async #sendOnceOpen(text: string, values: readonly Value[]) {
    await this.#opening
    try {
      return await this.#send(text, values)
    } catch (error) {
      if (codeOf(error) === readOnlyTransaction) this.#reign?.doubt()
      throw error
    }
  }

  #send(text: string, values: readonly Value[]) {
    if (this.#isDead || !this.#sql) throw closed()
    // The driver's types do not accept readonly arrays.
    return this.#sql.unsafe(text, values as postgres.ParameterOrJSON<never>[], {
      prepare: values.length > 0 && !text.includes(ofAnyShape),
    })
  }

  /** All bytes that `COPY … TO STDOUT` sends. */
  async copyOut(text: string): Promise<Buffer> {
    if (this.#isDead) throw closed()
    const read = async () => {
      await this.#opening
      if (this.#isDead || !this.#sql) throw closed()
      const chunks: Buffer[] = []
      const stream = await this.#sql.unsafe(text).readable()
      for await (const chunk of stream) chunks.push(chunk as Buffer)
      // The driver pauses its socket while the stream is full, and leaves it so if the last bytes filled it.
      stream._read(0)
      return Buffer.concat(chunks)
    }
    return this.#beforeDeadline(read())
  }

  async #beforeDeadline<T>(answer: PromiseLike<T>): Promise<T> {
    const deadlineMs = this.#deadlineMs
    if (deadlineMs === null) return answer
    let timer: NodeJS.Timeout | undefined
    const hung = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        if (this.#isCommitting) void this.#stopCommit()
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

  /**
   * A commit may wait for a standby that is gone. PostgreSQL does not notice that nobody waits for the answer any more, and would
   * keep the connection and its locks.
   */
  async #stopCommit(): Promise<void> {
    const { url, pid } = this.#server ?? {}
    if (url === undefined || pid === undefined) return
    const limits = { connectTimeoutMs: 2_000, statementTimeoutMs: 1_000, graceMs: 1_000 }
    const helper = new Connection({ ...limits, url })
    // If this server cannot be reached, nothing waits there for long.
    await helper.query('SELECT pg_cancel_backend($1)', [pid]).catch(() => undefined)
    helper.destroy()
  }

  async close(): Promise<void> {
    this.#die()
    await this.#sql?.end({ timeout: 2 })
  }

  /** Closes at once, even in the middle of a statement. */
  destroy(): void {
    this.#die()
    // Statements in flight are rejected; a failure to close adds nothing.
    this.#sql?.end({ timeout: 0 }).catch(() => undefined)
  }

  #die(): void {
    this.#isDead = true
    this.#forgetReign?.()
  }
}

function closed(): Error {
  return Object.assign(new Error('the connection is closed'), { code: 'CONNECTION_CLOSED' })
}
