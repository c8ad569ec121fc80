import { isoTimestamp } from '../../core/clock.js'
import { cleanup, decayReport, memoryDecay, type WhatIf } from '../../service/temporal.js'
import { scopeForCleanup, scopeForIds, scopeForReading, scopeIn } from '../access/caller-scope.js'
import { cursorFor, writeCursor } from '../body/cursor.js'
import { readDays } from '../body/days.js'
import { endpoint } from '../endpoint.js'
import { memoryExample } from '../openapi/examples.js'
import { idParams } from '../schemas/common.js'
import {
  cleanupExpiredAnswer,
  cleanupExpiredRequest,
  decayReportAnswer,
  decayReportQuery,
  memoryDecayAnswer,
  memoryDecayQuery,
  temporalCleanupAnswer,
  temporalCleanupRequest,
} from '../schemas/temporal.js'
import { isoOrNull } from '../views.js'

const whatIfNote = 'With half_life_days or access_boost_weight: the scores under those settings. Nothing is changed.'

function readWhatIf(query: { half_life_days?: number | undefined; access_boost_weight?: number | undefined }): WhatIf {
  const { half_life_days: halfLifeDays, access_boost_weight: accessBoostWeight } = query
  return {
    ...(halfLifeDays === undefined ? {} : { halfLifeDays }),
    ...(accessBoostWeight === undefined ? {} : { accessBoostWeight }),
  }
}

const report = endpoint({
  method: 'GET',
  path: '/temporal/decay/report',
  operationId: 'getDecayReport',
  summary: 'Get the decay scores of all memories',
  description: whatIfNote,
  tag: 'Time',
  access: 'user',
  needs: 'read',
  forApplications: 'all',
  limit: 'default',
  query: decayReportQuery,
  answer: decayReportAnswer,
  async handle({ deps, caller, query }) {
    const { limit, page = 1 } = query
    const cursor = cursorFor(query, 'decay')
    const offset = cursor?.at ?? (page - 1) * limit
    const scope = await scopeIn({ deps, caller }, query, 'reader', scopeForReading)
    const found = await decayReport(deps, scope, { limit, offset }, readWhatIf(query))
    return {
      total_memories: found.total,
      healthy: found.healthy,
      decaying: found.decaying,
      expired: found.expired,
      memories: found.memories.map(({ id, content, decayScore, lastAccessed }) => ({
        id,
        content,
        decay_score: decayScore,
        last_accessed: isoOrNull(lastAccessed),
      })),
      distribution: found.distribution.map((count, bin) => ({ from: bin / 10, to: (bin + 1) / 10, count })),
      forecast: found.forecast.map((later) => ({ ...later })),
      half_life_days: found.settings.halfLifeDays,
      access_boost_weight: found.settings.accessBoostWeight,
      page: cursor ? null : page,
      limit,
      next_cursor: found.next === null ? null : writeCursor({ kind: 'decay', at: found.next }),
    }
  },
})

const decay = endpoint({
  method: 'GET',
  path: '/temporal/memory/{id}/decay',
  operationId: 'getMemoryDecay',
  summary: 'Get the decay score of one memory, with its parts and a forecast',
  description: whatIfNote,
  tag: 'Time',
  access: 'user',
  needs: 'read',
  forApplications: 'all',
  limit: 'default',
  notFound: true,
  params: idParams,
  query: memoryDecayQuery,
  answer: memoryDecayAnswer,
  async handle({ deps, caller, params, query }) {
    const { memory, parts, status, settings, forecast } = await memoryDecay(
      deps,
      await scopeIn({ deps, caller }, query, 'reader', scopeForIds),
      params.id,
      readWhatIf(query),
      query.forecast_days === undefined ? undefined : readDays(query.forecast_days),
    )
    return {
      id: memory.id,
      decay_score: parts.decayScore,
      time_decay: parts.timeDecay,
      access_boost: parts.accessBoost,
      recency_boost: parts.recencyBoost,
      age_days: parts.ageDays,
      access_count: memory.accessCount,
      last_accessed: isoOrNull(memory.lastAccessed),
      half_life_days: settings.halfLifeDays,
      access_boost_weight: settings.accessBoostWeight,
      status,
      expires_at: isoOrNull(memory.expiresAt),
      forecast: forecast.map(({ days, decayScore }) => ({ days, decay_score: decayScore })),
    }
  },
})

const reach = 'An API key cleans up for its user, the master key for everyone or for one user_id.'

const cleanupExpired = endpoint({
  method: 'POST',
  path: '/cleanup-expired',
  operationId: 'cleanupExpired',
  summary: 'Purge expired memories',
  description: reach,
  tag: 'Time',
  access: 'cleanup',
  needs: 'change',
  forApplications: 'all',
  limit: 'default',
  body: cleanupExpiredRequest,
  bodyOptional: true,
  answer: cleanupExpiredAnswer,
  example: { request: { dry_run: false }, answer: { status: 'success', deleted: 3, would_delete: 3, dry_run: false } },
  async handle({ deps, actor, caller, body }) {
    const scope = await scopeIn({ deps, caller }, body, 'writer', scopeForCleanup)
    const done = await cleanup(deps, actor, scope, body.dry_run)
    return {
      status: 'success' as const,
      deleted: done.deletedIds.length,
      would_delete: done.wouldDelete,
      dry_run: done.dryRun,
    }
  },
})

const temporalCleanup = endpoint({
  method: 'POST',
  path: '/temporal/cleanup',
  operationId: 'runCleanup',
  summary: 'Preview or purge expired memories',
  description: `Only expired memories are purged, never a memory because of its decay score. ${reach}`,
  tag: 'Time',
  access: 'cleanup',
  needs: 'change',
  forApplications: 'all',
  limit: 'default',
  body: temporalCleanupRequest,
  bodyOptional: true,
  answer: temporalCleanupAnswer,
  example: {
    request: { dry_run: true },
    answer: {
      status: 'success',
      deleted: 0,
      would_delete: 1,
      dry_run: true,
      memories: [{ id: memoryExample.id, content: memoryExample.content, expired_at: memoryExample.created_at }],
    },
  },
  async handle({ deps, actor, caller, body }) {
    const scope = await scopeIn({ deps, caller }, body, 'writer', scopeForCleanup)
    const done = await cleanup(deps, actor, scope, body.dry_run)
    return {
      status: 'success' as const,
      deleted: done.deletedIds.length,
      would_delete: done.wouldDelete,
      dry_run: done.dryRun,
      memories: done.preview.map(({ id, content, expiredAt }) => ({
        id,
        content,
        expired_at: isoTimestamp(expiredAt),
      })),
    }
  },
})

export const temporalEndpoints = [report, decay, cleanupExpired, temporalCleanup]
