/**
 * Sends items to the service, several at a time. Each carries an idempotency key derived from its content, so it can be sent again
 * after a lost answer, a restart or in another run. If the service asks to wait, all workers wait.
 */
import { createHash } from 'node:crypto'
import {
  AuthenticationError,
  type Clock,
  ForbiddenError,
  type Keepsake,
  KeepsakeError,
  NotFoundError,
  ValidationError,
} from '@keepsake/client'
import type { ImportItem } from './item.js'

export type Outcome =
  | {
      readonly kind: 'stored'
      readonly item: ImportItem
      readonly key: string
      readonly actions: readonly string[]
      /** Number of secrets that the service replaced. */
      readonly secrets: number
    }
  /** Refused by content protection, or because a field is invalid. */
  | { readonly kind: 'refused'; readonly item: ImportItem; readonly key: string; readonly reason: string }

export interface SendDeps {
  readonly client: Pick<Keepsake, 'store'>
  readonly clock: Clock
  readonly together: number
  /** Per request. */
  readonly timeoutMs: number
  /** Items stored by an earlier run are not sent. */
  isDone(key: string): boolean
  settled(outcome: Outcome): void
  /** Called when the service asks for a pause. */
  waiting(seconds: number): void
  readonly signal: AbortSignal
}

const mostAttempts = 6

/** The same text, times and labels give the same key, so a changed note is a new item. The service keeps the keys of users separate. */
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
      // An async generator serves concurrent callers one after the other.
      const next = await reading.next()
      if (next.done || signal.aborted) return
      const key = idempotencyKeyOf(next.value)
      if (!deps.isDone(key)) deps.settled(await send(next.value, key, deps, pause))
    }
  }
  const workers = Array.from({ length: deps.together }, () =>
    worker().catch((error: unknown) => {
      // The other workers finish their current request and start no new one.
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
      const conversationId = conversationOf(item, key)
      const options = { ...fields, conversationId, idempotencyKey: key, maxRetries: 0, timeoutMs: deps.timeoutMs }
      const { memories, redacted = [] } = await client.store(text, options)
      const secrets = redacted.reduce((sum, { count }) => sum + count, 0)
      return { kind: 'stored', item, key, actions: memories.map(({ action }) => action), secrets }
    } catch (error) {
      if (error instanceof ValidationError && !isAboutUser(error)) {
        return { kind: 'refused', item, key, reason: reasonOf(error) }
      }
      const seconds = secondsToWait(error, attempt)
      if (seconds === undefined) throw error
      // A requested pause is not a failed attempt: rate limits are often lower than what a machine can handle.
      if (error instanceof KeepsakeError && error.code === 'rate_limit_exceeded') attempt -= 1
      pause.until = Math.max(pause.until, clock.now() + seconds * 1000)
      deps.waiting(seconds)
    }
  }
}

/** Parts of one chat belong together. Other items must not be read as turns of one conversation, which they share a source with. */
function conversationOf({ metadata }: ImportItem, key: string): string {
  const id = metadata?.conversation_id
  return typeof id === 'string' && id.trim() !== '' && id.length <= 200 ? id : key
}

/** Checks again after the sleep, because another worker may have been told to wait longer. */
async function until(pause: { readonly until: number }, clock: Clock, signal: AbortSignal): Promise<void> {
  for (let waitedFor = 0; pause.until > Math.max(waitedFor, clock.now()); ) {
    waitedFor = pause.until
    await clock.sleep(waitedFor - clock.now(), signal)
    signal.throwIfAborted()
  }
}

/** Undefined if a retry would not help. */
function secondsToWait(error: unknown, attempt: number): number | undefined {
  if (!(error instanceof KeepsakeError) || attempt >= mostAttempts) return undefined
  const isFinal = [AuthenticationError, ForbiddenError, NotFoundError, ValidationError].some(
    (kind) => error instanceof kind,
  )
  if (isFinal) return undefined
  return error.retryAfter ?? 2 ** (attempt - 1)
}

/** The error is about the user, so it would affect every item. */
function isAboutUser({ details }: KeepsakeError): boolean {
  return details?.some(({ path }) => path === 'user_id') ?? false
}

function reasonOf(error: KeepsakeError): string {
  const [detail] = error.details ?? []
  return detail === undefined || detail.message === '' ? error.message : detail.message
}
