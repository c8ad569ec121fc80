import type { Actor } from '../core/actor.js'
import { msPerDay } from '../core/clock.js'
import { type DecayParts, type DecaySettings, type DecayStatus, decayOf, decayStatus } from '../core/decay.js'
import type { Memory } from '../core/memory.js'
import { auditedUser, type Scope } from '../core/scope.js'
import type { Erased } from '../storage/ports/memory-writes.js'
import type { DecayReport, ExpiredMemory } from '../storage/ports/temporal-reads.js'
import type { Deps } from './deps.js'
import { erasedByUser } from './erased-by-user.js'
import { findMemory } from './list.js'

/** Settings to try instead of the current ones. Any of them turns decay on, even where it is switched off. */
export type WhatIf = Partial<Omit<DecaySettings, 'enabled'>>

function supposed(deps: Deps, whatIf: WhatIf): DecaySettings {
  const { decay } = deps.settings
  return Object.keys(whatIf).length === 0 ? decay : { ...decay, ...whatIf, enabled: true }
}

const forecastDays = [7, 30, 90, 365]

export async function decayReport(
  deps: Deps,
  scope: Scope,
  page: { readonly limit: number; readonly offset: number },
  whatIf: WhatIf = {},
): Promise<DecayReport & { readonly settings: DecaySettings }> {
  await deps.accesses.settle()
  const settings = supposed(deps, whatIf)
  return {
    ...(await deps.storage.decayReport(scope, { ...page, now: deps.clock.now(), settings, forecastDays })),
    settings,
  }
}

export interface MemoryDecay {
  readonly memory: Memory
  readonly parts: DecayParts
  readonly status: DecayStatus
  readonly settings: DecaySettings
  /** The score in that many days, without further accesses. */
  readonly forecast: readonly { readonly days: number; readonly decayScore: number }[]
}

export async function memoryDecay(
  deps: Deps,
  scope: Scope,
  memoryId: string,
  whatIf: WhatIf = {},
  days: readonly number[] = forecastDays,
): Promise<MemoryDecay> {
  const memory = await findMemory(deps, scope, memoryId)
  const settings = supposed(deps, whatIf)
  const now = deps.clock.now()
  const parts = decayOf(memory, settings, now)
  return {
    memory,
    parts,
    status: decayStatus(parts.decayScore),
    settings,
    forecast: days.map((ahead) => ({
      days: ahead,
      decayScore: decayOf(memory, settings, now + ahead * msPerDay).decayScore,
    })),
  }
}

export interface Cleanup {
  readonly dryRun: boolean
  readonly deletedIds: readonly string[]
  readonly wouldDelete: number
  readonly preview: readonly ExpiredMemory[]
}

const previewLimit = 100

async function purge(deps: Deps, actor: Actor, scope: Scope, now: number): Promise<Erased[]> {
  try {
    return await deps.storage.purgeExpired(scope, now)
  } catch (error) {
    const event = { user_id: auditedUser(scope), key_id: actor.keyId, memory_ids: [] }
    deps.audit.record(actor, { event: 'memory.purge', ...event }, 'failed')
    throw error
  }
}

/** Purges expired memories and nothing else: a low decay score alone never deletes a memory. */
export async function cleanup(deps: Deps, actor: Actor, scope: Scope, dryRun: boolean): Promise<Cleanup> {
  const now = deps.clock.now()
  const { total, memories } = await deps.storage.expired(scope, now, previewLimit)
  if (dryRun) return { dryRun, deletedIds: [], wouldDelete: total, preview: memories }
  const erased = await purge(deps, actor, scope, now)
  for (const [userId, memoryIds] of erasedByUser(erased, scope)) {
    deps.audit.record(
      actor,
      { event: 'memory.purge', user_id: userId, key_id: actor.keyId, memory_ids: memoryIds },
      'success',
    )
  }
  return { dryRun, deletedIds: erased.map(({ memoryId }) => memoryId), wouldDelete: total, preview: memories }
}
