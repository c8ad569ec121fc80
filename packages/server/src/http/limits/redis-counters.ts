/**
 * Counters that several processes share in Redis. One atomic script counts and begins windows, so no request is lost
 * or counted twice at a window's border, and the only clock is Redis's own.
 *
 * Nothing here makes a request wait for long or fail: an answer that is late or an error closes this way until a
 * trial in the background has succeeded again.
 */
import { createHash } from 'node:crypto'
import { createClient } from '@redis/client'
import type { Log } from '../../core/log.js'

export interface SharedCount {
  readonly count: number
  readonly msLeft: number
}

export interface SharedCounters {
  /** False while Redis is away: callers count by themselves. */
  available(): boolean
  /** Grows each time Redis is back: what it held before may be lost. */
  life(): number
  /**
   * Adds to a counter. Where it has no running window, one begins with `base` already used and `lengthMs` to go.
   * Undefined where Redis did not answer.
   */
  add(name: string, amount: number, base: number, lengthMs: number): Promise<SharedCount | undefined>
  /** Null where no window runs. */
  look(name: string): Promise<SharedCount | null | undefined>
  close(): Promise<void>
}

export interface RedisOptions {
  readonly url: string
  readonly log: Log
  /** What one request may wait for an answer. */
  readonly answerTimeoutMs?: number
  /** What the start waits for a first connection. */
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

export async function openRedisCounters(options: RedisOptions): Promise<SharedCounters> {
  const { log, answerTimeoutMs = 250, startTimeoutMs = 1000, firstRetryMs = 250, lastRetryMs = 5000 } = options
  const retryAfter = (failures: number) => Math.min(lastRetryMs, firstRetryMs * 2 ** Math.min(failures, 10))
  const client = createClient({
    url: options.url,
    // Protocol 2 and no extra commands: old servers and proxies answer them with an error that repeats the password.
    RESP: 2,
    disableClientInfo: true,
    // A request that can't be sent now is counted here; it must not be sent later as well.
    disableOfflineQueue: true,
    // A connection over which nothing comes back is given up and made anew.
    // (Shorter than the longest pause between two trials, whose writing counts as a sign of life.)
    pingInterval: 1000,
    commandsQueueMaxLength: 10_000,
    socket: { connectTimeout: 2000, socketTimeout: 3000, reconnectStrategy: retryAfter },
  })
  let isAvailable = false
  let wasReported = false
  let life = 0
  let failedTrials = 0
  let closed = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined

  function away(error: unknown): void {
    isAvailable = false
    if (closed) return
    // Once for each outage, whatever the number of failed attempts.
    if (!wasReported) log.warn({ reason: reasonOf(error) }, 'Redis is away: rate limits are counted in this process')
    wasReported = true
    scheduleTrial()
  }

  function scheduleTrial(): void {
    if (timer !== undefined || closed) return
    timer = setTimeout(() => {
      timer = undefined
      void trial()
    }, retryAfter(failedTrials))
    timer.unref()
  }

  function trial(): Promise<void> {
    running ??= tryOnce().finally(() => {
      running = undefined
    })
    return running
  }

  /** A real count: a server that can only be read from, or has no memory left, answers a PING, too. */
  async function tryOnce(): Promise<void> {
    if (closed || isAvailable) return
    try {
      await inTime(count('trial', 1, 0, 1000), answerTimeoutMs)
      failedTrials = 0
      life += 1
      isAvailable = true
      if (wasReported) log.info({}, 'Redis is back: rate limits are shared again')
      wasReported = false
    } catch (error) {
      failedTrials += 1
      away(error)
    }
  }

  async function count(name: string, amount: number, base: number, lengthMs: number): Promise<SharedCount> {
    const rest = ['1', `${prefix}${name}`, String(amount), String(base), String(Math.max(1, Math.ceil(lengthMs)))]
    try {
      return sharedCount(await client.sendCommand(['EVALSHA', addSha, ...rest]))
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
      return sharedCount(await client.sendCommand(['EVAL', addScript, ...rest]))
    }
  }

  async function answer<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (!isAvailable) return undefined
    try {
      return await inTime(work(), answerTimeoutMs)
    } catch (error) {
      away(error)
      return undefined
    }
  }

  client.on('error', away)
  client.on('ready', () => void trial())
  const refused = new Promise<void>((resolve) => client.once('error', () => resolve()))
  // Away at the start is no reason not to start: the connection is tried again in the background.
  await inTime(Promise.race([client.connect().then(trial), refused]), startTimeoutMs).catch(away)

  return {
    available: () => isAvailable,
    life: () => life,
    add: (name, amount, base, lengthMs) => answer(() => count(name, amount, base, lengthMs)),
    look: (name) =>
      answer(async () => {
        const key = `${prefix}${name}`
        const [text, left] = await Promise.all([client.get(key), client.pTTL(key)])
        return text === null || left < 0 ? null : sharedCount([Number(text), left])
      }),
    async close() {
      closed = true
      isAvailable = false
      clearTimeout(timer)
      client.destroy()
    },
  }
}

function sharedCount(reply: unknown): SharedCount {
  if (Array.isArray(reply) && Number.isSafeInteger(reply[0]) && Number.isSafeInteger(reply[1])) {
    return { count: reply[0], msLeft: reply[1] }
  }
  throw new Error('UNEXPECTED answer')
}

/** The work goes on when it is late, and its result or failure is passed over. */
async function inTime<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    // Timers run before what has arrived is read: a busy process must not take its own delay for Redis's.
    timer = setTimeout(() => setImmediate(() => reject(new Error('TIMEOUT'))), timeoutMs)
  })
  work.catch(() => undefined)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** A word that is safe to log: messages of servers may repeat what was sent, the password included. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if ('code' in error && typeof error.code === 'string') return error.code
  return /^[A-Z]{3,20}(?= |$)/.exec(error.message)?.[0] ?? error.constructor.name
}
