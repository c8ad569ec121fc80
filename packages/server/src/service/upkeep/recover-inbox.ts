/**
 * Stores what a crash left in the inbox: texts that were on disk while the language model read them. In the background from
 * the start on and by the local path, so that neither the start nor a text waits for a model. Each is taken out in the
 * transaction that stores it, so it is stored exactly once, however often this is interrupted. Where instances share a store, one
 * of them does it, and all look now and then for what one that was killed has left.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '../../core/errors.js'
import { everyoneScope, userScope } from '../../core/scope.js'
import { AlreadyAnswered } from '../../storage/ports/answers.js'
import { type PendingText, RawTextGone } from '../../storage/ports/inbox.js'
import type { Deps } from '../deps.js'
import { letGo, readKept } from '../store/inbox.js'
import { storeKept } from '../store/store.js'
import { claimLeaseMs, unclaimed, type WhileClaimed } from './claimed-work.js'

export interface InboxRecovery {
  /**
   * Looks what is there before the first request comes: what is kept later is somebody's who waits for the answer. Then it
   * works on. Never rejects. With other instances on the same store it has patience first: they take out what they read. Then it
   * looks again and again.
   */
  start(): Promise<void>
  close(): Promise<void>
}

const sliceTexts = 20
const mostPasses = 5
const firstWaitMs = 1_000
/** Longer than any text is read. */
const lookAgainMs = 300_000

type Wait = (ms: number, signal: AbortSignal) => Promise<unknown>

export interface RecoveryOptions {
  /** There are other instances; how long they may need for what they read. */
  readonly shared?: { readonly patienceMs: number; readonly whileClaimed: WhileClaimed }
  readonly wait?: Wait
}

export function inboxRecovery(deps: Deps, options: RecoveryOptions = {}): InboxRecovery {
  const { shared, wait = (ms, signal) => sleep(ms, undefined, { signal, ref: false }) } = options
  const stop = new AbortController()
  let running: Promise<unknown> = Promise.resolve()

  /** False: another instance is at it. */
  async function run(left: ReadonlySet<string>): Promise<boolean> {
    const { whileClaimed = unclaimed } = shared ?? {}
    try {
      const done = await whileClaimed('inbox', async (lost) => {
        const halt = AbortSignal.any([stop.signal, lost])
        let open = left
        let stored = 0
        for (let pass = 1; ; pass++) {
          const failed = new Set<string>()
          for await (const text of pending(deps)) {
            halt.throwIfAborted()
            if (!open.has(text.id)) continue
            if (await storeOne(deps, text)) stored += 1
            else failed.add(text.id)
          }
          // What is not there any more another instance has stored, or its user has erased.
          open = failed
          if (open.size === 0 || pass === mostPasses) return { stored, left: open.size }
          await wait(firstWaitMs * 4 ** (pass - 1), halt)
        }
      })
      if (done && done.result.stored + done.result.left > 0)
        deps.log.info(done.result, 'texts that an interruption had left in the inbox are stored')
      return done !== undefined
    } catch (error) {
      tellUnlessStopped(error)
      return true
    }
  }

  function tellUnlessStopped(error: unknown): void {
    if (!stop.signal.aborted) deps.log.error({ err: error }, 'the inbox could not be read: it is tried again later')
  }

  /** What was there a while ago, and is there still, nobody works on any more. Tried once: what fails waits for a start. */
  async function watch(seenFirst: ReadonlySet<string>, patienceMs: number): Promise<void> {
    const tried = new Set<string>()
    let seen = seenFirst
    let waitMs = patienceMs
    for (;;) {
      try {
        await wait(waitMs, stop.signal)
        waitMs = lookAgainMs
        const found = await idsOf(deps)
        const left = new Set([...found].filter((id) => seen.has(id) && !tried.has(id)))
        seen = found
        if (left.size === 0) continue
        if (await run(left)) for (const id of left) tried.add(id)
        // Should it be killed, this one goes on.
        else waitMs = Math.max(patienceMs, claimLeaseMs)
      } catch (error) {
        if (stop.signal.aborted) return
        tellUnlessStopped(error)
      }
    }
  }

  return {
    async start() {
      let left = new Set<string>()
      try {
        left = await idsOf(deps)
      } catch (error) {
        tellUnlessStopped(error)
      }
      if (shared) running = watch(left, shared.patienceMs)
      else if (left.size > 0) running = run(left)
    },
    async close() {
      stop.abort()
      await running
    },
  }
}

async function idsOf(deps: Deps): Promise<Set<string>> {
  const ids = new Set<string>()
  for await (const { id } of pending(deps)) ids.add(id)
  return ids
}

async function* pending(deps: Deps): AsyncGenerator<PendingText> {
  let after: string | null = null
  for (;;) {
    const slice: PendingText[] = await deps.storage.pendingRaw(everyoneScope(), after, sliceTexts)
    yield* slice
    after = slice.at(-1)?.id ?? null
    if (after === null) return
  }
}

/** False: it stays, and is tried again. */
async function storeOne(deps: Deps, text: PendingText): Promise<boolean> {
  const scope = userScope(text.userId, text.project ?? undefined)
  const kept = readKept(text)
  if (!kept) {
    deps.log.error({ inbox_id: text.id }, 'a text in the inbox is of a shape that this release cannot read: it stays')
    return false
  }
  try {
    await storeKept(deps, scope, text.id, kept)
    return true
  } catch (error) {
    // Its user has erased everything a moment ago.
    if (error instanceof RawTextGone) return true
    // Its sender has sent it again, and was the first.
    if (error instanceof AlreadyAnswered) {
      await letGo(deps, scope, text.id)
      return true
    }
    // Refused by the settings of now, as it would be were it sent now.
    if (error instanceof ServiceError && error.code === 'validation_error') {
      deps.log.warn({ inbox_id: text.id }, 'content protection refuses a text that was left in the inbox')
      await letGo(deps, scope, text.id)
      return true
    }
    deps.log.warn({ err: error, inbox_id: text.id }, 'a text that was left in the inbox could not be stored')
    return false
  }
}
