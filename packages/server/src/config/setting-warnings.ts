/** Warnings about valid settings. */

import { editDistance } from '../core/edit-distance.js'
import { isLoopback } from '../core/loopback.js'
import { databaseConcern } from './database-url.js'
import { redisConcern } from './redis-url.js'
import { type Environment, settingNames } from './setting-values.js'
import type { Config } from './settings.js'

/** Settings that are allowed but probably mistakes. */
export function concerns(config: Config): string[] {
  const { masterKey, authEnabled, host, corsOrigins, embedding, languageModel, redisUrl, rateLimit, databaseUrl } =
    config
  const found: string[] = []
  if (masterKey !== undefined && new Set(masterKey).size < 10) {
    found.push('SERVICE_MASTER_KEY: few different characters; use a random key')
  }
  if (authEnabled && masterKey === undefined) {
    found.push('SERVICE_MASTER_KEY: not set: existing keys work, but none can be created, listed or revoked')
  }
  if (!authEnabled && !isLoopback(host)) {
    found.push(`SERVICE_AUTH_ENABLED: off, and everyone who reaches ${host} can read and write all memories`)
  }
  if (!authEnabled && corsOrigins.includes('*')) {
    found.push('SERVICE_CORS_ORIGINS: * with authentication off lets every web page read and write all memories')
  }
  const aboutRedis = redisUrl && redisConcern(redisUrl, rateLimit.enabled, isLoopback)
  if (aboutRedis) found.push(`SERVICE_REDIS_URL: ${aboutRedis}`)
  const aboutDatabase = databaseUrl && databaseConcern(databaseUrl, isLoopback)
  if (aboutDatabase) found.push(`SERVICE_DATABASE_URL: ${aboutDatabase}`)
  for (const [kind, model] of [['EMBEDDING', embedding] as const, ['LLM', languageModel] as const]) {
    const url = model && new URL(model.baseUrl)
    if (!url || url.protocol === 'https:' || isLoopback(url.hostname.replace(/^\[(.*)\]$/, '$1'))) continue
    found.push(`SERVICE_${kind}_BASE_URL: http sends memories${model.apiKey ? ' and the API key' : ''} unencrypted`)
  }
  return found
}

export function unknownNames(values: Environment): string[] {
  const known = new Set<string>(settingNames)
  return Object.keys(values)
    .filter((name) => name.startsWith('SERVICE_') && !known.has(name) && values[name] !== '')
    .map((name) => {
      const [nearest] = settingNames
        .map((each) => ({ each, distance: editDistance(each, name.slice(0, 80)) }))
        .filter(({ distance }) => distance <= 3)
        .sort((a, b) => a.distance - b.distance)
        .map(({ each }) => each)
      return `${name.slice(0, 80)}: unknown setting, ignored${nearest ? `; did you mean ${nearest}?` : ''}`
    })
}
