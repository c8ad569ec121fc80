/**
 * Stores texts that a crash left in the inbox: they were on disk while the language model read them. It runs in the background
 * from the start and without the model, so that neither the start nor a text waits for one. Each text is taken out in the
 * transaction that stores it, so it is stored exactly once, however often this is interrupted. Where instances share a store,
 * one of them does the work, and all check periodically for texts that a killed instance left behind.
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

const sliceTexts = 20
const mostPasses = 5
const firstWaitMs = 1_000
/** Longer than reading any text takes. */
const lookAgainMs = 300_000

type Wait = (ms: number, signal: AbortSignal) => Promise<unknown>

export interface RecoveryOptions {
  /** There are other instances, and this is how long they may take for the texts that they read. */
  readonly shared?: { readonly patienceMs: number; readonly whileClaimed: WhileClaimed }
  readonly wait?: Wait
}

export class InboxRecovery {
  readonly #deps: Deps
  readonly #shared: RecoveryOptions['shared']
  readonly #wait: Wait
  readonly #stop = new AbortController()
  #running: Promise<unknown> = Promise.resolve()

  constructor(deps: Deps, { shared, wait }: RecoveryOptions = {}) {
    this.#deps = deps
    this.#shared = shared
    this.#wait = wait ?? ((ms, signal) => sleep(ms, undefined, { signal, ref: false }))
  }

  /**
   * Lists the inbox before the first request arrives, because the sender of a later text waits for its answer. Then it works in the
   * background. Never rejects. Next to other instances it first waits, because they take out the texts that they are reading, and
   * then keeps checking.
   */
  async start(): Promise<void> {
    let left = new Set<string>()
    try {
      left = await idsOf(this.#deps)
    } catch (error) {
      this.#logUnlessStopped(error)
    }
    if (this.#shared) this.#running = this.#watch(left, this.#shared.patienceMs)
    else if (left.size > 0) this.#running = this.#recover(left)
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  /** A text that was there a while ago and still is has been abandoned. Each is tried once; a failed one waits for the next start. */
  async #watch(seenFirst: ReadonlySet<string>, patienceMs: number): Promise<void> {
    const tried = new Set<string>()
    let seen = seenFirst
    let waitMs = patienceMs
    for (;;) {
      try {
        await this.#wait(waitMs, this.#stop.signal)
        waitMs = lookAgainMs
        const found = await idsOf(this.#deps)
        const left = new Set([...found].filter((id) => seen.has(id) && !tried.has(id)))
        seen = found
        if (left.size === 0) continue
        if (await this.#recover(left)) for (const id of left) tried.add(id)
        // If the instance that does the work is killed, this one takes over.
        else waitMs = Math.max(patienceMs, claimLeaseMs)
      } catch (error) {
        if (this.#stop.signal.aborted) return
        this.#logUnlessStopped(error)
      }
    }
  }

  /** False: another instance is doing it. */
  async #recover(left: ReadonlySet<string>): Promise<boolean> {
    const { whileClaimed = unclaimed } = this.#shared ?? {}
    try {
      const done = await whileClaimed('inbox', (lost) =>
        this.#storeAll(left, AbortSignal.any([this.#stop.signal, lost])),
      )
      if (done && done.result.stored + done.result.left > 0)
        this.#deps.log.info(done.result, 'texts that were left in the inbox have been stored')
      return done !== undefined
    } catch (error) {
      this.#logUnlessStopped(error)
      return true
    }
  }

  /** Several passes with growing pauses, until nothing fails. */
  async #storeAll(left: ReadonlySet<string>, halt: AbortSignal): Promise<{ stored: number; left: number }> {
    let open = left
    let stored = 0
    for (let pass = 1; ; pass++) {
      const failed = new Set<string>()
      for await (const text of pending(this.#deps)) {
        halt.throwIfAborted()
        if (!open.has(text.id)) continue
        if (await storeOne(this.#deps, text)) stored += 1
        else failed.add(text.id)
      }
      // Texts that are gone were stored by another instance or erased by their user.
      open = failed
      if (open.size === 0 || pass === mostPasses) return { stored, left: open.size }
      await this.#wait(firstWaitMs * 4 ** (pass - 1), halt)
    }
  }

  #logUnlessStopped(error: unknown): void {
    if (!this.#stop.signal.aborted)
      this.#deps.log.error({ err: error }, 'the inbox could not be read; it is retried later')
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

/** False: the text stays in the inbox and is retried. */
async function storeOne(deps: Deps, text: PendingText): Promise<boolean> {
  const scope = userScope(text.userId, text.project ?? undefined)
  const kept = readKept(text)
  if (!kept) {
    deps.log.error(
      { inbox_id: text.id },
      'a text in the inbox has a format that this release cannot read; it stays there',
    )
    return false
  }
  try {
    await storeKept(deps, scope, text.id, kept)
    return true
  } catch (error) {
    // Its user has just erased everything.
    if (error instanceof RawTextGone) return true
    // Its sender has sent it again, and that store was first.
    if (error instanceof AlreadyAnswered) {
      await letGo(deps, scope, text.id)
      return true
    }
    // Rejected under the current settings, as it would be if it were sent now.
    if (error instanceof ServiceError && error.code === 'validation_error') {
      deps.log.warn({ inbox_id: text.id }, 'content protection rejects a text that was left in the inbox')
      await letGo(deps, scope, text.id)
      return true
    }
    deps.log.warn({ err: error, inbox_id: text.id }, 'a text that was left in the inbox could not be stored')
    return false
  }
}
