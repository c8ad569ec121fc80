/**
 * Work that one instance does for all of them. The claim is renewed while the work runs and released at its end. The claim of a
 * killed instance expires. If the claim is lost (because the store was unavailable for longer than the lease), the signal tells
 * the work to stop. Two instances may then briefly do some of the work twice, so all such work must be idempotent, and is.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../core/log.js'
import type { Claims } from '../../storage/ports/claims.js'

/** Undefined: another instance has the claim, or this one has lost it. */
export type WhileClaimed = <T>(name: string, work: (lost: AbortSignal) => Promise<T>) => Promise<Done<T> | undefined>

interface Done<T> {
  readonly result: T
}

/** For a single process, and for tests. */
export const unclaimed: WhileClaimed = async (_name, work) => ({ result: await work(new AbortController().signal) })

export interface ClaimedWorkDeps {
  readonly claims: Claims
  readonly log: Log
  /** Unique to this instance. */
  readonly holder: string
  readonly leaseMs?: number
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>
  /** Not affected when the wall clock is set. */
  readonly monotonicMs?: () => number
}

/** How long other instances wait after a kill. The claim is renewed every third of it. */
export const claimLeaseMs = 15_000

export function claimedWork(deps: ClaimedWorkDeps): WhileClaimed {
  const { claims, log, holder, leaseMs = claimLeaseMs, monotonicMs = () => performance.now() } = deps
  const wait = deps.wait ?? ((ms, signal) => sleep(ms, undefined, { signal, ref: false }))

  /** Until `over` aborts, or the claim is lost. */
  async function prolong(name: string, over: AbortSignal, lost: AbortController): Promise<void> {
    let heldSince = monotonicMs()
    for (;;) {
      await wait(leaseMs / 3, over)
      const asked = monotonicMs()
      try {
        if (!(await claims.claim(name, holder, leaseMs))) return lost.abort()
        heldSince = asked
      } catch (error) {
        log.warn({ err: error, work: name }, 'a claim could not be renewed; it is retried')
        if (monotonicMs() - heldSince >= leaseMs) return lost.abort()
      }
    }
  }

  return async (name, work) => {
    if (!(await claims.claim(name, holder, leaseMs))) return undefined
    const over = new AbortController()
    const lost = new AbortController()
    const prolonging = prolong(name, over.signal, lost).catch((error: unknown) => {
      if (!over.signal.aborted) log.error({ err: error, work: name }, 'a claim is no longer renewed')
    })
    try {
      return { result: await work(lost.signal) }
    } catch (error) {
      if (!lost.signal.aborted) throw error
      log.warn({ work: name }, 'a claim was lost: another instance may continue')
      return undefined
    } finally {
      over.abort()
      await prolonging
      if (!lost.signal.aborted) await giveBack(name)
    }
  }

  async function giveBack(name: string): Promise<void> {
    try {
      await claims.release(name, holder)
    } catch (error) {
      log.warn({ err: error, work: name }, 'a claim could not be released: it will expire')
    }
  }
}
