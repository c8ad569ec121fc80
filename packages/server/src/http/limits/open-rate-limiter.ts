import type { Log } from '../../core/log.js'
import type { Meter } from '../../core/meter.js'
import type { RateLimits } from '../../core/settings.js'
import { localRateLimiter, monotonicNow, type RateLimiter } from './rate-limit.js'
import { sharedRateLimiter } from './shared-rate-limit.js'

export interface LimiterSettings {
  readonly rateLimit: RateLimits
  readonly redisUrl: string | undefined
}

/** Shared if a Redis URL is set and limits are on. */
export async function openRateLimiter(
  settings: LimiterSettings,
  log: Log,
  meter: Meter,
  now = monotonicNow,
): Promise<RateLimiter> {
  const { rateLimit: limits, redisUrl: url } = settings
  if (url === undefined || !limits.enabled) return localRateLimiter(limits, { now })
  // Imported only here: the client makes up half of the modules that the service would load at start.
  const { openRedisCounters } = await import('./redis-counters.js')
  const counters = await openRedisCounters({ url, log })
  return sharedRateLimiter({ limits, counters, onLocal: () => meter.degraded('redis') })
}
