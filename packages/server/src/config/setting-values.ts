/** The names of the settings, and the kinds of values they have. */

export const settingNames = [
  'SERVICE_HOST',
  'SERVICE_PORT',
  'SERVICE_DATA_DIR',
  'SERVICE_DATABASE_URL',
  'SERVICE_DATABASE_PARTITIONS',
  'SERVICE_DATABASE_POOL',
  'SERVICE_DATABASE_REPLICAS',
  'SERVICE_MAX_REQUESTS',
  'SERVICE_MAX_CONNECTIONS',
  'SERVICE_TEXT_THREADS',
  'SERVICE_REDIS_URL',
  'SERVICE_MASTER_KEY',
  'SERVICE_AUTH_ENABLED',
  'SERVICE_RATE_LIMIT_ENABLED',
  'SERVICE_RATE_LIMIT_STORE',
  'SERVICE_RATE_LIMIT_RECALL',
  'SERVICE_RATE_LIMIT_FORGET',
  'SERVICE_RATE_LIMIT_DEFAULT',
  'SERVICE_TRUST_FLAG_THRESHOLD',
  'SERVICE_TRUST_SCORE_THRESHOLD',
  'SERVICE_TRUST_POLICY',
  'SERVICE_SECRETS',
  'SERVICE_SANITIZE_ENABLED',
  'SERVICE_DEFAULT_TTL_DAYS',
  'SERVICE_DECAY_ENABLED',
  'SERVICE_DECAY_HALF_LIFE_DAYS',
  'SERVICE_READ_FIRST',
  'SERVICE_ACCESS_BOOST_WEIGHT',
  'SERVICE_AUDIT_LOG',
  'SERVICE_AUDIT_LOG_MAX_MB',
  'SERVICE_LOG_LEVEL',
  'SERVICE_LOG_FORMAT',
  'SERVICE_TRUSTED_PROXIES',
  'SERVICE_CORS_ORIGINS',
  'SERVICE_ALLOWED_HOSTS',
  'SERVICE_LLM_BASE_URL',
  'SERVICE_LLM_MODEL',
  'SERVICE_LLM_API_KEY',
  'SERVICE_EMBEDDING_BASE_URL',
  'SERVICE_EMBEDDING_MODEL',
  'SERVICE_EMBEDDING_API_KEY',
  'SERVICE_CLEANUP_INTERVAL',
  'SERVICE_CONSOLIDATION_INTERVAL',
  'SERVICE_VACUUM_MAX_MB',
  'SERVICE_VERSIONS_KEPT',
  'SERVICE_USER_QUOTA_MB',
  'SERVICE_INDEX_MEMORY_MB',
  'SERVICE_INDEX_USER_MEMORIES',
  'SERVICE_MCP_USER',
  'SERVICE_OAUTH_URL',
  'SERVICE_EVENT_STREAMS',
  'SERVICE_EVENT_STREAMS_PER_USER',
  'SERVICE_WEBHOOK_ALLOW_PRIVATE',
] as const
export type SettingName = (typeof settingNames)[number]

/** The trimmed text of a setting; undefined if it is absent or empty. */
export type Read = (name: SettingName) => string | undefined
export type Environment = Readonly<Record<string, string | undefined>>

/** Its message is one line for the operator: the name, the problem, an example. Never the value of a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

export function fail(name: SettingName, problem: string, example: string): never {
  throw new ConfigError(`${name}: ${problem}; for example ${name}=${example}`)
}

/** Quoted and short, so that a message stays one line whatever the value. Not for secrets and URLs. */
export function shown(value: string): string {
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
}

interface NumberBounds {
  readonly min: number
  readonly max: number
  readonly isWhole?: boolean
}

export function numberOf(read: Read, name: SettingName, fallback: number, { min, max, isWhole }: NumberBounds): number {
  const text = read(name)
  if (text === undefined) return fallback
  // Only plain decimals: other forms that `Number` accepts (0x10, 1e9, Infinity) are more likely typos.
  const number = /^[0-9]{1,15}(\.[0-9]{1,15})?$/.test(text) ? Number(text) : Number.NaN
  if (number >= min && number <= max && (!isWhole || Number.isInteger(number))) return number
  return fail(
    name,
    `must be a ${isWhole ? 'whole ' : ''}number from ${min} to ${max}, not ${shown(text)}`,
    `${fallback}`,
  )
}

export function booleanOf<Fallback>(read: Read, name: SettingName, fallback: Fallback): boolean | Fallback {
  const text = read(name)?.toLowerCase()
  if (text === undefined) return fallback
  if (text === 'true' || text === '1') return true
  if (text === 'false' || text === '0') return false
  return fail(name, `must be true or false, not ${shown(text)}`, 'true')
}

export function choiceOf<Choice extends string>(
  read: Read,
  name: SettingName,
  fallback: Choice,
  choices: readonly Choice[],
): Choice {
  const text = read(name)?.toLowerCase()
  if (text === undefined) return fallback
  const choice = choices.find((each) => each === text)
  return choice ?? fail(name, `must be one of ${choices.join(', ')}, not ${shown(text)}`, fallback)
}

export function perMinuteOf(read: Read, name: SettingName, fallback: number): number {
  const text = read(name)
  if (text === undefined) return fallback
  const count = /^([1-9][0-9]{0,8})\/minute$/.exec(text)?.[1]
  if (count !== undefined) return Number(count)
  return fail(name, `must be a positive whole number and /minute, not ${shown(text)}`, `${fallback}/minute`)
}

export function listOf(read: Read, name: SettingName): string[] {
  const items = (read(name) ?? '').split(',').map((item) => item.trim())
  return [...new Set(items.filter((item) => item !== ''))]
}
