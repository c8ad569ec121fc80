/** Followers of events, webhooks, and the clockwork that both need. */
import type { LiveMeter } from '../core/meter.js'
import { eventView } from '../http/event-views.js'
import type { Announced } from '../service/announcements.js'
import type { Deps } from '../service/deps.js'
import { type EventStreams, eventStreams, type StreamLimits } from '../service/event-streams.js'
import { eventUpkeep } from '../service/upkeep/event-upkeep.js'
import { type CallWebhook, webhookCall } from '../service/webhooks/webhook-call.js'
import { type WebhookDelivery, webhookDelivery } from '../service/webhooks/webhook-delivery.js'

export interface LiveSettings {
  readonly limits: StreamLimits
  readonly allowPrivate: boolean
  /** Other instances may write to the same store. */
  readonly isShared: boolean
  readonly version: string
  /** 0: nothing happens by itself, only when asked. */
  readonly tickMs?: number
  readonly call?: CallWebhook
}

export interface Live extends Announced {
  readonly streams: EventStreams
  readonly delivery: WebhookDelivery
  start(): void
  /** There is a webhook, and maybe something for it. */
  wakeDelivery(): void
  /** All that otherwise waits for its time: expiries, what other instances did, deliveries that are due. */
  tick(): Promise<void>
  close(): Promise<void>
}

const usualTickMs = 1_000
/** Deliveries are looked for by every so manyeth tick: what was changed here is delivered at once anyway. */
const ticksBetweenDeliveries = 5

export function openLive(deps: Deps, meter: LiveMeter, settings: LiveSettings): Live {
  const { tickMs = usualTickMs, isShared, version, allowPrivate } = settings
  const streams = eventStreams(deps, settings.limits)
  const upkeep = eventUpkeep(deps)
  const call = settings.call ?? webhookCall({ allowPrivate, version })
  const delivery = webhookDelivery({ deps, meter, call, view: eventView })
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let ticks = 0
  let isTroubled = false
  let running: Promise<void> = Promise.resolve()

  async function beat(): Promise<void> {
    try {
      await upkeep.tick()
      if (isShared) await streams.look()
      isTroubled = false
    } catch (error) {
      // Once, not every second while the store is away.
      if (!isTroubled) deps.log.warn({ err: error }, 'events could not be looked after and will be again')
      isTroubled = true
    }
    // Not waited for: a receiver may take its time.
    if (ticks++ % ticksBetweenDeliveries === 0) void delivery.deliver()
  }

  const wait = (): void => {
    if (isClosed || tickMs === 0) return
    timer = setTimeout(() => {
      running = beat().then(wait)
    }, tickMs)
    timer.unref()
  }

  return {
    streams,
    delivery,
    changed(userId) {
      streams.changed(userId)
      if (tickMs > 0) delivery.wake()
    },
    revoked: (keyId) => streams.revoked(keyId),
    start: wait,
    wakeDelivery() {
      delivery.enlist()
      if (tickMs > 0) delivery.wake()
    },
    async tick() {
      await upkeep.tick()
      await streams.look()
      await delivery.deliver()
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      streams.close()
      await Promise.all([running, delivery.close()])
    },
  }
}
