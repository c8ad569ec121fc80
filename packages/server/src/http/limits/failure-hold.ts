/**
 * Failed authentications are answered late. Two things follow: how long an answer takes tells nothing about the key,
 * because a timer decides it and not the work; and a flood that waits for its answers is a slow one, so that it leaves
 * the processor to others.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { clientNetwork } from './client-network.js'
import { limitWindows } from './limit-windows.js'

/** `overloaded`: there was no turn for its key, and it is told to come back in a second anyway. */
export type FailureKind = 'no key' | 'bad key' | 'overloaded'

export interface FailureHold {
  /** Whether bad keys came from there lately. */
  isSuspect(ip: string): boolean
  /** Remembers a failure of this address. */
  count(ip: string): void
  /** Resolves when a failure that began then may be answered. */
  release(ip: string, startedAt: number, kind: FailureKind): Promise<void>
}

export interface FailureHoldOptions {
  /** Bcrypt and its queue are done by then, unless the machine is busy. */
  readonly withKeyMs?: number
  readonly repeatedMs?: number
  readonly now?: () => number
  readonly wait?: (ms: number) => Promise<unknown>
  /** From 0 to 1. */
  readonly random?: () => number
}

/** Whose keys are checked after those of others: one failure is enough, because without a flood nobody notices. */
const suspectFrom = 1
/** Who waits long for an answer: a typing error or two don't count. */
const heldLongFrom = 3
const memoryMs = 60_000
const maxNetworks = 20_000
/** Each holds a socket that is open anyway; beyond this, answers are not held but given at once. */
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
      // Not all at the same moment: connections that were refused together would come back together.
      const leftMs = startedAt + holdMs * (1 + random() / 2) - now()
      if (leftMs <= 0 || held >= maxHeld) return
      held += 1
      await wait(leftMs)
      held -= 1
    },
  }
}
