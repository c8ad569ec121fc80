/**
 * Delays the responses to failed authentications. The response time then says nothing about the key, because a timer decides it and not
 * the work. And a flood that waits for its responses is slow, so it leaves the processor to others.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { clientNetwork } from './client-network.js'
import { limitWindows } from './limit-windows.js'

/** `overloaded`: the queue for key checks was full. The response asks the client to retry in a second anyway. */
export type FailureKind = 'no key' | 'bad key' | 'overloaded'

export interface FailureHold {
  /** Whether bad keys came from this network recently. */
  isSuspect(ip: string): boolean
  /** Counts a failure from this address. */
  count(ip: string): void
  /** Resolves when a failure that started at `startedAt` may be answered. */
  release(ip: string, startedAt: number, kind: FailureKind): Promise<void>
}

export interface FailureHoldOptions {
  /** Bcrypt and its queue take less time than this, unless the machine is busy. */
  readonly withKeyMs?: number
  readonly repeatedMs?: number
  readonly now?: () => number
  readonly wait?: (ms: number) => Promise<unknown>
  /** From 0 to 1. */
  readonly random?: () => number
}

/** Failures after which the keys of a network are checked last. One is enough, because without a flood nobody notices. */
const suspectFrom = 1
/** Failures after which responses are held for longer. One or two typing errors do not count. */
const heldLongFrom = 3
const memoryMs = 60_000
const maxNetworks = 20_000
/** Each one holds a socket that is open anyway. Beyond this number, responses are sent immediately. */
const maxHeld = 5000

export function failureHold(options: FailureHoldOptions = {}): FailureHold {
  const {
    withKeyMs = 250,
    repeatedMs = 1000,
    now = () => performance.now(),
    wait = delay,
    random = Math.random,
  } = options
  const failures = limitWindows(memoryMs, maxNetworks, now)
  const failuresOf = (ip: string) => failures.find(clientNetwork(ip))?.count ?? 0
  let held = 0
  return {
    isSuspect: (ip) => failuresOf(ip) >= suspectFrom,
    count(ip) {
      const network = clientNetwork(ip)
      const window = failures.find(network) ?? failures.begin(network)
      window.count += 1
    },
    async release(ip, startedAt, kind) {
      const isLong = kind === 'overloaded' || failuresOf(ip) >= heldLongFrom
      const holdMs = isLong ? repeatedMs : kind === 'bad key' ? withKeyMs : 0
      // With jitter: clients that were refused together would otherwise come back together.
      const leftMs = startedAt + holdMs * (1 + random() / 2) - now()
      if (leftMs <= 0 || held >= maxHeld) return
      held += 1
      await wait(leftMs)
      held -= 1
    },
  }
}
