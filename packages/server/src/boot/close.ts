import { setTimeout as delay } from 'node:timers/promises'
import type { Opened } from './open.js'
import type { Upkeep } from './upkeep.js'
import type { Wired } from './wire.js'

/**
 * Finishes requests in flight, flushes pending writes and closes the store. For `graceMs` the server still accepts connections,
 * so that requests already on their way get a 503 instead of a reset. A second call waits for the first.
 */
export function closing(opened: Opened, wired: Wired, upkeep: Upkeep): (graceMs?: number) => Promise<void> {
  let closed: Promise<void> | undefined
  return (graceMs = 0) => {
    closed ??= close(opened, wired, upkeep, graceMs)
    return closed
  }
}

async function close(opened: Opened, wired: Wired, upkeep: Upkeep, graceMs: number): Promise<void> {
  const { app, deps, indexes, limiter, lifecycle, traces } = wired
  lifecycle.isReady = false
  lifecycle.isDraining = true
  deps.textLanes.close()
  // Without the language model, stores that wait for it continue locally at once.
  await Promise.all([upkeep.close(), opened.languageModel?.close()])
  if (graceMs > 0) await delay(graceMs)
  await app.close()
  await Promise.all([deps.keyVerifier.close(), deps.oauth?.close()])
  await opened.hashing.close()
  await deps.accesses.close()
  await Promise.all([indexes.close(), deps.itemIndexes.close(), limiter.close(), traces.close()])
  await opened.storage.close()
  await Promise.all([opened.audit.close(), opened.textPool.close()])
  // Last: native modules may fail while their threads end, and by now everything that must last is on disk.
  await Promise.all([opened.embedder.close(), opened.reranker.close(), opened.judge.close(), opened.tagger.close()])
}
