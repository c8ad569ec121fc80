/**
 * Sends items to the service in batches. Each item carries an idempotency key derived from its content, so it can be sent again after a
 * lost answer, a restart or in another run. If the service asks to wait, all workers wait.
 */
import { createHash } from 'node:crypto'
import {
  AuthenticationError,
  type BatchItem,
  type Clock,
  ForbiddenError,
  type Keepsake,
  KeepsakeError,
  NotFoundError,
  UnavailableError,
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
  readonly client: Pick<Keepsake, 'storeBatch'>
  readonly clock: Clock
  /** Batches in flight. */
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
/** A batch of short texts takes some seconds, so that an interrupted import repeats little. */
const mostItems = 50
/** Of the texts in a batch. The service accepts 1 MiB as JSON. */
const mostCharacters = 150_000

/** The same text, times and labels give the same key, so a changed note is a new item. The service keeps the keys of users separate. */
export function idempotencyKeyOf({ text, createdAt, metadata, ttl, project, source }: ImportItem): string {
  const whole = JSON.stringify([text, createdAt ?? null, metadata ?? null, ttl ?? null, project ?? null, source])
  return `import-${createHash('sha256').update(whole).digest('hex')}`
}

interface Keyed {
  readonly item: ImportItem
  readonly key: string
}

export async function sendAll(items: AsyncIterable<ImportItem>, deps: SendDeps): Promise<void> {
  const batches = batchesOf(items, deps)
  const pause = { until: 0 }
  const failure = new AbortController()
  const signal = AbortSignal.any([deps.signal, failure.signal])
  async function worker(): Promise<void> {
    for (;;) {
      if (signal.aborted) return
      // An async generator serves concurrent callers one after the other.
      const next = await batches.next()
      if (next.value) await send(next.value.batch, deps, pause)
      if (next.done || signal.aborted) return
      if (next.value.error !== undefined) throw next.value.error
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
  await batches.return(undefined)
  const failed = results.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

interface Batch {
  readonly batch: readonly Keyed[]
  /** The source failed after these items. */
  readonly error?: unknown
}

async function* batchesOf(items: AsyncIterable<ImportItem>, { isDone }: SendDeps): AsyncGenerator<Batch, undefined> {
  let batch: Keyed[] = []
  let characters = 0
  try {
    for await (const item of items) {
      const key = idempotencyKeyOf(item)
      if (isDone(key)) continue
      const length = lengthOf(item)
      if (batch.length === mostItems || (batch.length > 0 && characters + length > mostCharacters)) {
        yield { batch }
        batch = []
        characters = 0
      }
      batch.push({ item, key })
      characters += length
    }
  } catch (error) {
    yield { batch, error }
    return
  }
  if (batch.length > 0) yield { batch }
}

function lengthOf({ text, metadata }: ImportItem): number {
  const said = typeof text === 'string' ? text.length : text.reduce((sum, { content }) => sum + content.length, 0)
  return said + (metadata === undefined ? 0 : JSON.stringify(metadata).length)
}

async function send(batch: readonly Keyed[], deps: SendDeps, pause: { until: number }): Promise<void> {
  let left = batch
  for (let attempt = 1; left.length > 0; attempt += 1) {
    await until(pause, deps.clock, deps.signal)
    let seconds: number | undefined
    try {
      const failed = await sendOnce(left, deps)
      // Some of them were stored, so the service works: the rest only had to wait.
      if (failed.length < left.length) attempt = 0
      seconds = failed.length === 0 ? 0 : 2 ** Math.max(0, attempt - 1)
      left = failed
      if (attempt >= mostAttempts) throw new UnavailableError('The service stores nothing; try again later')
    } catch (error) {
      if (error instanceof ValidationError && !isAboutUser(error)) {
        const [only, ...others] = left
        if (only && others.length === 0) return deps.settled({ kind: 'refused', ...only, reason: reasonOf(error) })
        // Something is wrong with the whole request: one item at a time shows with which.
        for (const each of left) await send([each], deps, pause)
        return
      }
      seconds = secondsToWait(error, attempt)
      if (seconds === undefined) throw error
      // A requested pause is not a failed attempt: rate limits are often lower than what a machine can handle.
      if (error instanceof KeepsakeError && error.code === 'rate_limit_exceeded') attempt -= 1
    }
    if (seconds === 0) continue
    pause.until = Math.max(pause.until, deps.clock.now() + seconds * 1000)
    deps.waiting(seconds)
  }
}

/** Returns the items that have to be sent again. */
async function sendOnce(batch: readonly Keyed[], { client, timeoutMs, settled }: SendDeps): Promise<readonly Keyed[]> {
  const { results } = await client.storeBatch(batch.map(toSend), { maxRetries: 0, timeoutMs })
  return batch.filter((each, index) => {
    const { result, error, status } = results[index] ?? {}
    if (result) {
      const { memories, redacted = [] } = result
      const secrets = redacted.reduce((sum, { count }) => sum + count, 0)
      settled({ kind: 'stored', ...each, actions: memories.map(({ action }) => action), secrets })
      return false
    }
    if (status !== 'refused' || !error) return true
    // A key that may not store there would refuse every item.
    if (error.code === 'forbidden') throw new ForbiddenError(error.message, error)
    if (error.code === 'not_found') throw new NotFoundError(error.message, error)
    settled({ kind: 'refused', ...each, reason: reasonOf(error) })
    return false
  })
}

function toSend({ item, key }: Keyed): BatchItem {
  const { text, name: _, kind: __, ...fields } = item
  return { ...fields, text, conversationId: conversationOf(item, key), idempotencyKey: key }
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

function reasonOf({
  details,
  message,
}: Pick<KeepsakeError, 'message'> & { readonly details?: KeepsakeError['details'] }) {
  const [detail] = details ?? []
  return detail === undefined || detail.message === '' ? message : detail.message
}
