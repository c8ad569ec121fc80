/**
 * Stores what a crash left in the inbox: texts that were on disk while the language model read them. In the background from
 * the start on and by the local path, so that neither the start nor a text waits for a model. Each is taken out in the
 * transaction that stores it, so it is stored exactly once, however often this is interrupted.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '../core/errors.js'
import { everyoneScope, userScope } from '../core/scope.js'
import { type PendingText, RawTextGone } from '../storage/inbox.js'
import type { Deps } from './deps.js'
import { letGo, readKept } from './inbox.js'
import { storeKept } from './store.js'

export interface InboxRecovery {
  /**
   * Looks what is there before the first request comes: what is kept later is somebody's who waits for the answer. Then it
   * works on. Never rejects. With other instances on the same store it has patience first: they take out what they read.
   */
  start(): Promise<void>
  /** Resolves when all that can be stored is, or it was closed. */
  finished(): Promise<void>
  close(): Promise<void>
}

const sliceTexts = 20
const mostPasses = 5
const firstWaitMs = 1_000

type Wait = (ms: number, signal: AbortSignal) => Promise<unknown>

export interface RecoveryOptions {
  /** How long others may need for what they read. */
  readonly patienceMs?: number
  readonly wait?: Wait
}

export function inboxRecovery(deps: Deps, options: RecoveryOptions = {}): InboxRecovery {
  const { patienceMs = 0, wait = (ms, signal) => sleep(ms, undefined, { signal, ref: false }) } = options
  const stop = new AbortController()
  let running: Promise<void> = Promise.resolve()

  async function run(left: ReadonlySet<string>): Promise<void> {
    const open = new Set(left)
    try {
      if (patienceMs > 0) await wait(patienceMs, stop.signal)
      for (let pass = 1; open.size > 0; pass++) {
        for await (const text of pending(deps)) {
          stop.signal.throwIfAborted()
          if (open.has(text.id) && (await storeOne(deps, text))) open.delete(text.id)
        }
        if (open.size === 0 || pass === mostPasses) break
        await wait(firstWaitMs * 4 ** (pass - 1), stop.signal)
      }
      const figures = { stored: left.size - open.size, left: open.size }
      deps.log.info(figures, 'texts that an interruption had left in the inbox are stored')
    } catch (error) {
      if (!stop.signal.aborted)
        deps.log.error({ err: error }, 'the inbox could not be read: it waits for the next start')
    }
  }

  return {
    async start() {
      const left = new Set<string>()
      try {
        for await (const { id } of pending(deps)) left.add(id)
      } catch (error) {
        deps.log.error({ err: error }, 'the inbox could not be read: it waits for the next start')
        return
      }
      if (left.size > 0) running = run(left)
    },
    finished: () => running,
    async close() {
      stop.abort()
      await running
    },
  }
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
    await storeKept(deps, kept.actor, scope, text.id, kept.input)
    return true
  } catch (error) {
    // Its user has erased everything a moment ago.
    if (error instanceof RawTextGone) return true
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
