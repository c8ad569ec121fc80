/**
 * Delivers the events of each webhook in order: the next event waits while one is retried. An event that has failed for about a day
 * becomes a dead letter. The events after it get one attempt each, a minute apart, until one succeeds. Where several instances share a
 * store, a webhook is claimed for as long as an attempt may take, so that one of them delivers. Delivery is at least once: an
 * event is sent again if its delivery could not be recorded.
 */
import { randomUUID } from 'node:crypto'
import { isoTimestamp, msPerDay } from '../../core/clock.js'
import { type EventMark, eventIdOf, type MemoryEvent } from '../../core/memory-event.js'
import type { LiveMeter } from '../../core/meter.js'
import { everyoneScope, type UserScope, userScope } from '../../core/scope.js'
import type { ClaimedWebhook, WebhookProgress } from '../../storage/ports/webhook-store.js'
import type { Deps } from '../deps.js'
import type { CallWebhook, Delivered } from './webhook-call.js'

const minute = 60_000
/** Delays after the first attempt, the second and so on: about a day in total. */
export const retryDelaysMs = [0.5, 2, 10, 30, 120, 360, 900].map((minutes) => minutes * minute)
const failingDelayMs = minute
const leaseMs = minute
/** Each slot serves one webhook for one turn, and is then free for the next: a slow receiver holds up no other. */
const slots = 8
const slotsPerUser = 2
/** A turn ends after this many deliveries, or after the delivery that exceeds this time. */
const deliveriesInARow = 50
const longestTurnMs = 2_000
const eventsAtOnce = 50

export interface WebhookDelivery {
  /** Delivers everything that is due; resolves when nothing is due any more. */
  deliver(): Promise<void>
  /** Something has changed: checks for deliveries soon. */
  wake(): void
  /** A webhook exists. */
  enlist(): void
  close(): Promise<void>
}

export interface DeliveryOptions {
  readonly deps: Pick<Deps, 'storage' | 'clock' | 'log'>
  readonly meter: LiveMeter
  readonly call: CallWebhook
  /** The public form of an event. */
  readonly view: (event: MemoryEvent) => object
  readonly random?: () => number
}

export function webhookDelivery(options: DeliveryOptions): WebhookDelivery {
  const { storage, clock, log } = options.deps
  let isClosing = false
  let isEnlisted = false
  let isAcquainted = false
  let running: Promise<void> | undefined
  let hasFailed = false
  let busySlots = 0
  /** Something has changed since the last look: a slot is free, or somebody asks. */
  let isAskedAgain = false
  let wakeUp: () => void = () => undefined

  function ask(): void {
    isAskedAgain = true
    wakeUp()
  }

  function failed(error: unknown): void {
    // Logged once, not every few seconds while the store is unavailable.
    if (!hasFailed) log.warn({ err: error }, 'webhooks could not be delivered and will be retried')
    hasFailed = true
  }

  /** Fills the free slots. */
  async function look(): Promise<void> {
    const now = clock.now()
    const claim = { token: randomUUID(), now, until: now + leaseMs, perUser: slotsPerUser }
    const claimed = await storage.claimWebhooks(everyoneScope(), claim, slots - busySlots)
    if (claimed.length > 0) isEnlisted = true
    hasFailed = false
    for (const webhook of claimed) {
      busySlots += 1
      void serve(options, webhook, claim.token, () => isClosing)
        .catch(failed)
        .finally(() => {
          busySlots -= 1
          ask()
        })
    }
  }

  async function deliver(): Promise<void> {
    try {
      if (!isAcquainted && (await storage.listWebhooks(everyoneScope())).length > 0) isEnlisted = true
      isAcquainted = true
    } catch (error) {
      return failed(error)
    }
    while (busySlots > 0 || (isAskedAgain && !isClosing)) {
      if (!isAskedAgain) {
        await new Promise<void>((resolve) => {
          wakeUp = resolve
        })
      }
      isAskedAgain = false
      if (!isClosing && busySlots < slots) await look().catch(failed)
    }
  }

  function start(): Promise<void> {
    ask()
    running ??= deliver().finally(() => {
      running = undefined
    })
    return running
  }

  return {
    deliver: start,
    wake() {
      if (isEnlisted && !isClosing) void start()
    },
    enlist() {
      isEnlisted = true
    },
    async close() {
      isClosing = true
      await running
    },
  }
}

/** The next thing to send: an event, or a notice that events are missing. */
interface Parcel {
  readonly mark: EventMark
  readonly body: object
  /** A dead letter that is delivered again. */
  readonly isDead: boolean
}

async function serve(
  options: DeliveryOptions,
  claimed: ClaimedWebhook,
  token: string,
  isClosing: () => boolean,
): Promise<void> {
  const { storage, clock } = options.deps
  const scope = userScope(claimed.userId)
  let state: WebhookProgress = {
    mark: claimed.mark,
    attempts: claimed.attempts,
    nextAttemptAt: 0,
    isFailing: claimed.isFailing,
    claimedUntil: 0,
  }
  const settle = async (next: WebhookProgress) => {
    const { attempted: _a, dead: _d, revived: _r, ...plain } = next
    state = plain
    return storage.settleWebhook(scope, claimed.id, token, next)
  }
  const startedAt = clock.now()
  const isOver = (sent: number) => sent >= deliveriesInARow || clock.now() - startedAt > longestTurnMs || isClosing()
  for (let sent = 0; !isOver(sent); sent++) {
    const { parcel, mark } = await nextParcel(options, claimed, scope, state.mark)
    if (!parcel) {
      await settle({ ...state, mark, claimedUntil: 0 })
      return
    }
    const attempt = await send(options, claimed, parcel)
    const next = outcomeOf(state, parcel, attempt, clock.now(), options.random ?? Math.random)
    options.meter.delivery(attempt.error === null ? 'delivered' : next.dead ? 'dead' : 'failed')
    if (attempt.error === null) options.meter.eventsSent('webhook', 1)
    const goesOn = next.nextAttemptAt <= clock.now()
    const isKept = await settle({ ...next, claimedUntil: goesOn ? clock.now() + leaseMs : 0 })
    if (!isKept || !goesOn) return
  }
  await settle({ ...state, claimedUntil: 0 })
}

async function nextParcel(
  { deps: { storage }, view }: DeliveryOptions,
  webhook: ClaimedWebhook,
  scope: UserScope,
  mark: EventMark,
): Promise<{ readonly parcel?: Parcel; readonly mark: EventMark }> {
  const dead = webhook.deadLetters > 0 ? await storage.deadLetters(scope, webhook.id, 1) : undefined
  const [due] = dead?.items ?? []
  if (due?.isDue) return { parcel: { mark: due.event.mark, body: view(due.event), isDead: true }, mark }
  const within = userScope(webhook.userId, webhook.project ?? undefined)
  for (let after = mark; ; ) {
    const slice = await storage.events(within, after, eventsAtOnce)
    if (slice.missedUpTo) {
      const id = eventIdOf(slice.missedUpTo)
      const body = { id, type: 'events.missed', user_id: webhook.userId }
      return { parcel: { mark: slice.missedUpTo, body, isDead: false }, mark }
    }
    const event = slice.events.find(({ type }) => webhook.types.length === 0 || webhook.types.includes(type))
    if (event) return { parcel: { mark: event.mark, body: view(event), isDead: false }, mark }
    if (!slice.more) return { mark: slice.mark }
    after = slice.mark
  }
}

function send({ deps: { clock }, call }: DeliveryOptions, webhook: ClaimedWebhook, parcel: Parcel): Promise<Delivered> {
  const sentAt = clock.now()
  return call({
    url: webhook.url,
    secret: webhook.secret,
    id: `${webhook.id}:${eventIdOf(parcel.mark)}`,
    body: JSON.stringify({ ...parcel.body, webhook_id: webhook.id, sent_at: isoTimestamp(sentAt) }),
    sentAt,
  })
}

/** The result of an attempt: continue with the next event, retry later, or give up. */
function outcomeOf(
  state: WebhookProgress,
  { mark, isDead }: Pick<Parcel, 'mark' | 'isDead'>,
  { status, error, retryAfterSeconds }: Delivered,
  now: number,
  random: () => number,
): WebhookProgress {
  const attempted = { at: now, status, error }
  if (error === null) {
    const fresh = { ...state, isFailing: false, attempts: 0, nextAttemptAt: 0, attempted }
    return isDead ? { ...fresh, attempts: state.attempts, revived: mark } : { ...fresh, mark }
  }
  const askedMs = Math.min(msPerDay, (retryAfterSeconds ?? 0) * 1000)
  if (isDead) {
    return { ...state, nextAttemptAt: now + Math.max(askedMs, failingDelayMs), attempted, dead: { mark, attempts: 1 } }
  }
  const attempts = state.attempts + 1
  const delayMs = state.isFailing ? undefined : retryDelaysMs[attempts - 1]
  if (delayMs === undefined) {
    const nextAttemptAt = now + Math.max(askedMs, failingDelayMs)
    return { ...state, mark, attempts: 0, isFailing: true, nextAttemptAt, attempted, dead: { mark, attempts } }
  }
  // Jitter of a quarter, so that deliveries that failed together are not retried together.
  const nextAttemptAt = now + Math.max(askedMs, Math.round(delayMs * (0.75 + random() / 2)))
  return { ...state, attempts, nextAttemptAt, attempted }
}
