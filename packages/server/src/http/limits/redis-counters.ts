/**
 * Counters that several processes share in Redis. One atomic script counts and starts windows, so no request is lost or counted twice
 * at the edge of a window, and Redis has the only clock.
 *
 * Nothing here makes a request fail or wait for long: after a late answer or an error, Redis is not used until a trial in the
 * background has succeeded.
 */
import { createHash } from 'node:crypto'
import { createClient } from '@redis/client'
import type { Log } from '../../core/log.js'

export interface SharedCount {
  readonly count: number
  readonly msLeft: number
}

export interface SharedCounters {
  /** False while Redis is unavailable: callers then count on their own. */
  available(): boolean
  /** Grows each time Redis is available again: it may have lost its counts. */
  life(): number
  /**
   * Adds to a counter. If it has no running window, one starts with `base` already used and `lengthMs` to go.
   * Undefined if Redis did not answer.
   */
  add(name: string, amount: number, base: number, lengthMs: number): Promise<SharedCount | undefined>
  /** Null if no window is running, undefined if Redis did not answer. */
  look(name: string): Promise<SharedCount | null | undefined>
  close(): Promise<void>
}

export interface RedisOptions {
  readonly url: string
  readonly log: Log
  /** How long a request waits for an answer. */
  readonly answerTimeoutMs?: number
  /** How long the start of the service waits for a first connection. */
  readonly startTimeoutMs?: number
  readonly firstRetryMs?: number
  readonly lastRetryMs?: number
}

const prefix = 'keepsake:limit:'
const addScript = `local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
  left = tonumber(ARGV[3])
end
return { redis.call('INCRBY', KEYS[1], ARGV[1]), left }`
const addSha = createHash('sha1').update(addScript).digest('hex')

/** Resolves even if Redis is unavailable: the connection is then retried in the background. */
export async function openRedisCounters(options: RedisOptions): Promise<SharedCounters> {
  const counters = new RedisCounters(options)
  await counters.connect(options.startTimeoutMs ?? 1000)
  return counters
}

class RedisCounters implements SharedCounters {
  readonly #log: Log
  readonly #answerTimeoutMs: number
  readonly #retryAfter: (failures: number) => number
  readonly #client: ReturnType<typeof clientFor>
  #isAvailable = false
  #life = 0
  #wasReported = false
  #failedTrials = 0
  #isClosed = false
  #nextTrial: NodeJS.Timeout | undefined
  #runningTrial: Promise<void> | undefined

  constructor({ url, log, answerTimeoutMs = 250, firstRetryMs = 250, lastRetryMs = 5000 }: RedisOptions) {
    this.#log = log
    this.#answerTimeoutMs = answerTimeoutMs
    this.#retryAfter = (failures) => Math.min(lastRetryMs, firstRetryMs * 2 ** Math.min(failures, 10))
    this.#client = clientFor(url, this.#retryAfter)
    this.#client.on('error', (error: unknown) => this.#lose(error))
    this.#client.on('ready', () => void this.#trial())
  }

  async connect(timeoutMs: number): Promise<void> {
    const refused = new Promise<void>((resolve) => this.#client.once('error', () => resolve()))
    const connected = this.#client.connect().then(() => this.#trial())
    await inTime(Promise.race([connected, refused]), timeoutMs).catch((error: unknown) => this.#lose(error))
  }

  available(): boolean {
    return this.#isAvailable
  }

  life(): number {
    return this.#life
  }

  add(name: string, amount: number, base: number, lengthMs: number): Promise<SharedCount | undefined> {
    return this.#answer(() => this.#count(name, amount, base, lengthMs))
  }

  look(name: string): Promise<SharedCount | null | undefined> {
    const key = `${prefix}${name}`
    return this.#answer(async () => {
      const [text, left] = await Promise.all([this.#client.get(key), this.#client.pTTL(key)])
      return text === null || left < 0 ? null : sharedCount([Number(text), left])
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#isAvailable = false
    clearTimeout(this.#nextTrial)
    this.#client.destroy()
  }

  async #answer<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (!this.#isAvailable) return undefined
    try {
      return await inTime(work(), this.#answerTimeoutMs)
    } catch (error) {
      this.#lose(error)
      return undefined
    }
  }

  async #count(name: string, amount: number, base: number, lengthMs: number): Promise<SharedCount> {
    const rest = ['1', `${prefix}${name}`, String(amount), String(base), String(Math.max(1, Math.ceil(lengthMs)))]
    try {
      return sharedCount(await this.#client.sendCommand(['EVALSHA', addSha, ...rest]))
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
      return sharedCount(await this.#client.sendCommand(['EVAL', addScript, ...rest]))
    }
  }

  #lose(error: unknown): void {
    this.#isAvailable = false
    if (this.#isClosed) return
    // Once per outage, however many attempts fail.
    if (!this.#wasReported) {
      this.#log.warn({ reason: reasonOf(error) }, 'Redis is unavailable: rate limits are counted in this process')
    }
    this.#wasReported = true
    this.#scheduleTrial()
  }

  #scheduleTrial(): void {
    if (this.#nextTrial !== undefined || this.#isClosed) return
    this.#nextTrial = setTimeout(() => {
      this.#nextTrial = undefined
      void this.#trial()
    }, this.#retryAfter(this.#failedTrials))
    this.#nextTrial.unref()
  }

  #trial(): Promise<void> {
    this.#runningTrial ??= this.#tryOnce().finally(() => {
      this.#runningTrial = undefined
    })
    return this.#runningTrial
  }

  /** Counts for real: a read-only server, or one without free memory, would also answer a PING. */
  async #tryOnce(): Promise<void> {
    if (this.#isClosed || this.#isAvailable) return
    try {
      await inTime(this.#count('trial', 1, 0, 1000), this.#answerTimeoutMs)
      this.#failedTrials = 0
      this.#life += 1
      this.#isAvailable = true
      if (this.#wasReported) this.#log.info({}, 'Redis is available again: rate limits are shared again')
      this.#wasReported = false
    } catch (error) {
      this.#failedTrials += 1
      this.#lose(error)
    }
  }
}

function clientFor(url: string, reconnectStrategy: (failures: number) => number) {
  return createClient({
    url,
    // Protocol 2 and no extra commands: old servers and proxies answer those with an error that repeats the password.
    RESP: 2,
    disableClientInfo: true,
    // A request that cannot be sent now is counted in this process. It must not be sent later as well.
    disableOfflineQueue: true,
    // A connection on which nothing comes back is closed and opened again.
    // (Shorter than the longest pause between two trials, because writing counts as a sign of life.)
    pingInterval: 1000,
    commandsQueueMaxLength: 10_000,
    socket: { connectTimeout: 2000, socketTimeout: 3000, reconnectStrategy },
  })
}

function sharedCount(reply: unknown): SharedCount {
  if (Array.isArray(reply) && Number.isSafeInteger(reply[0]) && Number.isSafeInteger(reply[1])) {
    return { count: reply[0], msLeft: reply[1] }
  }
  throw new Error('UNEXPECTED answer')
}

/** Late work continues, and its result or failure is ignored. */
async function inTime<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    // Timers run before arrived data is read: a busy process must not mistake its own delay for Redis being slow.
    timer = setTimeout(() => setImmediate(() => reject(new Error('TIMEOUT'))), timeoutMs)
  })
  work.catch(() => undefined)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** A word that is safe to log: error messages of servers may repeat the command, including the password. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if ('code' in error && typeof error.code === 'string') return error.code
  return /^[A-Z]{3,20}(?= |$)/.exec(error.message)?.[0] ?? error.constructor.name
}
