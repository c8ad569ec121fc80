/**
 * Sends items to the service, several at a time. Each carries an idempotency key that is made from itself, so that it may be sent
 * again after anything: a lost answer, a restart, another run. Where the service asks to wait, all wait.
 */
import { createHash } from 'node:crypto'
import {
  AuthenticationError,
  type Clock,
  type Keepsake,
  KeepsakeError,
  NotFoundError,
  ValidationError,
} from '@keepsake/client'
import type { ImportItem } from './item.js'

export type Outcome =
  | { readonly kind: 'stored'; readonly item: ImportItem; readonly key: string; readonly actions: readonly string[] }
  /** By the guard, or because a field is not as the service wants it. */
  | { readonly kind: 'refused'; readonly item: ImportItem; readonly key: string; readonly reason: string }

export interface SendDeps {
  readonly client: Pick<Keepsake, 'store'>
  readonly clock: Clock
  readonly together: number
  /** Of one request. */
  readonly timeoutMs: number
  /** Items that were done in an earlier run are not sent. */
  isDone(key: string): boolean
  settled(outcome: Outcome): void
  /** Told when the service asks for a pause. */
  waiting(seconds: number): void
  readonly signal: AbortSignal
}

const mostAttempts = 6

/** The same for the same text, times and labels, so that a changed note is a new one. Whose it is, the service knows. */
export function idempotencyKeyOf({ text, createdAt, metadata, ttl, project, source }: ImportItem): string {
  const whole = JSON.stringify([text, createdAt ?? null, metadata ?? null, ttl ?? null, project ?? null, source])
  return `import-${createHash('sha256').update(whole).digest('hex')}`
}

export async function sendAll(items: AsyncIterable<ImportItem>, deps: SendDeps): Promise<void> {
  const reading = items[Symbol.asyncIterator]()
  const pause = { until: 0 }
  const failure = new AbortController()
  const signal = AbortSignal.any([deps.signal, failure.signal])
  async function worker(): Promise<void> {
    for (;;) {
      if (signal.aborted) return
      // An async generator answers callers one after the other.
      const next = await reading.next()
      if (next.done || signal.aborted) return
      const key = idempotencyKeyOf(next.value)
      if (!deps.isDone(key)) deps.settled(await send(next.value, key, deps, pause))
    }
  }
  const workers = Array.from({ length: deps.together }, () =>
    worker().catch((error: unknown) => {
      // The others finish what they have begun, and begin nothing.
      failure.abort(error)
      throw error
    }),
  )
  const results = await Promise.allSettled(workers)
  await reading.return?.()
  const failed = results.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

async function send(item: ImportItem, key: string, deps: SendDeps, pause: { until: number }): Promise<Outcome> {
  const { client, clock } = deps
  const { text, name: _, kind: __, ...fields } = item
  for (let attempt = 1; ; attempt += 1) {
    await until(pause, clock, deps.signal)
    try {
      const options = { ...fields, idempotencyKey: key, maxRetries: 0, timeoutMs: deps.timeoutMs }
      const { memories } = await client.store(text, options)
      return { kind: 'stored', item, key, actions: memories.map(({ action }) => action) }
    } catch (error) {
      if (error instanceof ValidationError && !isAboutUser(error)) {
        return { kind: 'refused', item, key, reason: reasonOf(error) }
      }
      const seconds = secondsToWait(error, attempt)
      if (seconds === undefined) throw error
      // A pause that was asked for is no failed attempt: limits are often lower than what a machine can do.
      if (error instanceof KeepsakeError && error.code === 'rate_limit_exceeded') attempt -= 1
      pause.until = Math.max(pause.until, clock.now() + seconds * 1000)
      deps.waiting(seconds)
    }
  }
}

/** Another worker may be told to wait longer meanwhile. */
async function until(pause: { readonly until: number }, clock: Clock, signal: AbortSignal): Promise<void> {
  for (let waitedFor = 0; pause.until > Math.max(waitedFor, clock.now()); ) {
    waitedFor = pause.until
    await clock.sleep(waitedFor - clock.now(), signal)
    signal.throwIfAborted()
  }
}

/** Undefined: another try would not help. */
function secondsToWait(error: unknown, attempt: number): number | undefined {
  if (!(error instanceof KeepsakeError) || attempt >= mostAttempts) return undefined
  if (error instanceof AuthenticationError || error instanceof NotFoundError || error instanceof ValidationError) {
    return undefined
  }
  return error.retryAfter ?? 2 ** (attempt - 1)
}

/** No item of the file is to blame for it, and none would fare better. */
function isAboutUser({ details }: KeepsakeError): boolean {
  return details?.some(({ path }) => path === 'user_id') ?? false
}

function reasonOf(error: KeepsakeError): string {
  const [detail] = error.details ?? []
  return detail === undefined || detail.message === '' ? error.message : detail.message
}
