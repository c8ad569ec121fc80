/** Event streams, webhooks, and the timer that drives both. */
import type { Log } from '../core/log.js'
import type { LiveMeter } from '../core/meter.js'
import { eventView } from '../http/events/event-views.js'
import type { Announced } from '../service/announcements.js'
import type { Deps } from '../service/deps.js'
import { type EventStreams, eventStreams, type StreamLimits } from '../service/event-streams.js'
import { type EventUpkeep, eventUpkeep } from '../service/upkeep/event-upkeep.js'
import { type CallWebhook, webhookCall } from '../service/webhooks/webhook-call.js'
import { type WebhookDelivery, webhookDelivery } from '../service/webhooks/webhook-delivery.js'

export interface LiveSettings {
  readonly limits: StreamLimits
  readonly allowPrivate: boolean
  readonly version: string
  /** 0: no timer; everything happens when `tick` is called. */
  readonly tickMs?: number
  readonly call?: CallWebhook
}

export interface Live extends Announced {
  readonly streams: EventStreams
  readonly delivery: WebhookDelivery
  start(): void
  /** A webhook exists, and may have something to deliver. */
  wakeDelivery(): void
  /** Does immediately what otherwise waits for the timer: expiries, changes by other instances, deliveries that are due. */
  tick(): Promise<void>
  close(): Promise<void>
}

const usualTickMs = 1_000
/** Every fifth tick looks for deliveries: changes made by this instance are delivered at once anyway. */
const ticksBetweenDeliveries = 5

export function openLive(deps: Deps, meter: LiveMeter, settings: LiveSettings): Live {
  return new LiveEvents(deps, meter, settings)
}

class LiveEvents implements Live {
  readonly streams: EventStreams
  readonly delivery: WebhookDelivery
  readonly #log: Log
  readonly #upkeep: EventUpkeep
  readonly #tickMs: number
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()
  #ticks = 0
  #hasFailed = false
  #isClosed = false

  constructor(deps: Deps, meter: LiveMeter, settings: LiveSettings) {
    const { limits, allowPrivate, version, call = webhookCall({ allowPrivate, version }) } = settings
    this.streams = eventStreams(deps, limits)
    this.delivery = webhookDelivery({ deps, meter, call, view: eventView })
    this.#log = deps.log
    this.#upkeep = eventUpkeep(deps)
    this.#tickMs = settings.tickMs ?? usualTickMs
  }

  start(): void {
    if (this.#isClosed || this.#tickMs === 0) return
    this.#timer = setTimeout(() => {
      this.#running = this.#beat().then(() => this.start())
    }, this.#tickMs)
    this.#timer.unref()
  }

  changed(userId: string | null): void {
    this.streams.changed(userId)
    if (this.#tickMs > 0) this.delivery.wake()
  }

  revoked(keyId: string): void {
    this.streams.revoked(keyId)
  }

  wakeDelivery(): void {
    this.delivery.enlist()
    if (this.#tickMs > 0) this.delivery.wake()
  }

  async tick(): Promise<void> {
    await this.#upkeep.tick()
    await this.streams.look()
    await this.delivery.deliver()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.streams.close()
    await Promise.all([this.#running, this.delivery.close()])
  }

  async #beat(): Promise<void> {
    try {
      await this.#upkeep.tick()
      await this.streams.look()
      this.#hasFailed = false
    } catch (error) {
      // Logged once, not every second while the store is unavailable.
      if (!this.#hasFailed) this.#log.warn({ err: error }, 'events could not be processed; the next tick tries again')
      this.#hasFailed = true
    }
    // Not awaited: a receiver may be slow.
    if (this.#ticks++ % ticksBetweenDeliveries === 0) void this.delivery.deliver()
  }
}
