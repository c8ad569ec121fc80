/**
 * Settings, read once at the start. The only file that reads `process.env`. `docs/configuration.md`
 * describes each setting.
 */
import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { availableParallelism, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { msPerDay } from '../core/clock.js'
import { isLoopback } from '../core/loopback.js'
import { secretPolicies } from '../core/redacted-kind.js'
import type { RemoteModelSettings } from '../core/settings.js'
import { parseTtl } from '../core/ttl.js'
import { databaseUrlProblem, exampleDatabaseUrl } from './database-url.js'
import { redisUrlProblem } from './redis-url.js'
import {
  booleanOf,
  ConfigError,
  choiceOf,
  type Environment,
  fail,
  listOf,
  numberOf,
  perMinuteOf,
  type Read,
  type SettingName,
  shown,
} from './setting-values.js'
import { concerns, unknownNames } from './setting-warnings.js'
import { type Config, logFormats, logLevels } from './settings.js'
import { traceSettingsOf } from './telemetry.js'

export { ConfigError, settingNames } from './setting-values.js'
export type { Config } from './settings.js'

const defaultDataDir = './data'

export interface LoadedConfig {
  readonly config: Config
  readonly warnings: readonly string[]
}

/** The process environment alone. Commands may run in any directory, so a file there must not change their settings. */
export function readConfig(): LoadedConfig {
  return loadConfig(process.env)
}

/** The settings of the service: the process environment, with `.env` in the data directory for settings that it lacks. */
export function readServiceConfig(envFile?: string, directory: string = process.cwd()): LoadedConfig {
  if (envFile !== undefined) return loadConfig(process.env, readEnvFile(resolve(directory, envFile), true))
  const dataDir = resolve(directory, process.env.SERVICE_DATA_DIR?.trim() || defaultDataDir)
  const path = join(dataDir, '.env')
  const loaded = loadConfig(process.env, readEnvFile(path))
  if (resolve(directory, loaded.config.dataDir) !== dataDir) {
    const problem = `must not be set in ${path}, because the file is looked up in that directory: set it in the environment`
    fail('SERVICE_DATA_DIR', problem, loaded.config.dataDir)
  }
  const unread = join(directory, '.env')
  if (unread === path || !statSync(unread, { throwIfNoEntry: false })?.isFile()) return loaded
  const warning = `${unread}: not read; move it to ${path}, or name it with --env-file`
  return { ...loaded, warnings: [...loaded.warnings, warning] }
}

function readEnvFile(path: string, isRequired = false): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    // A directory named .env is not ours: Python environments often have that name.
    if (!isRequired && (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR')) return undefined
    if (code === 'ENOENT') throw new ConfigError(`${path}: there is no such file`)
    throw new ConfigError(
      `${path}: the file exists but cannot be read (${String(code)}); for example chmod u+r ${path}`,
    )
  }
}

/** @throws ConfigError at the first invalid value. */
export function loadConfig(environment: Environment, dotEnvText = ''): LoadedConfig {
  // An empty variable counts as not set, and hides the line of the file.
  const values: Environment = { ...parseEnv(dotEnvText.replace(/^\uFEFF/, '')), ...environment }
  const read: Read = (name) => values[name]?.trim() || undefined
  const warnings = unknownNames(values)
  const config: Config = {
    host: hostOf(read),
    port: numberOf(read, 'SERVICE_PORT', 8787, { min: 0, max: 65_535, isWhole: true }),
    dataDir: read('SERVICE_DATA_DIR') ?? defaultDataDir,
    databaseUrl: urlOf(read, 'SERVICE_DATABASE_URL', databaseUrlProblem, exampleDatabaseUrl),
    databasePartitions: numberOf(read, 'SERVICE_DATABASE_PARTITIONS', 0, { min: 0, max: 256, isWhole: true }),
    databasePool: read('SERVICE_DATABASE_POOL')
      ? numberOf(read, 'SERVICE_DATABASE_POOL', 8, { min: 2, max: 500, isWhole: true })
      : undefined,
    databaseReplicas: booleanOf(read, 'SERVICE_DATABASE_REPLICAS', false),
    maxRequests: numberOf(read, 'SERVICE_MAX_REQUESTS', usuallyAtOnce(read), { min: 1, max: 100_000, isWhole: true }),
    maxConnections: numberOf(read, 'SERVICE_MAX_CONNECTIONS', 5_000, { min: 10, max: 1_000_000, isWhole: true }),
    textThreads: numberOf(read, 'SERVICE_TEXT_THREADS', usualTextThreads(), { min: 1, max: 64, isWhole: true }),
    ...authenticationOf(read),
    rateLimit: {
      enabled: booleanOf(read, 'SERVICE_RATE_LIMIT_ENABLED', limitsMatter(read)),
      store: perMinuteOf(read, 'SERVICE_RATE_LIMIT_STORE', 30),
      recall: perMinuteOf(read, 'SERVICE_RATE_LIMIT_RECALL', 60),
      forget: perMinuteOf(read, 'SERVICE_RATE_LIMIT_FORGET', 10),
      default: perMinuteOf(read, 'SERVICE_RATE_LIMIT_DEFAULT', 120),
    },
    redisUrl: urlOf(read, 'SERVICE_REDIS_URL', redisUrlProblem, 'redis://127.0.0.1:6379'),
    trust: {
      threshold: numberOf(read, 'SERVICE_TRUST_SCORE_THRESHOLD', 0.5, { min: 0, max: 1 }),
      flagThreshold: numberOf(read, 'SERVICE_TRUST_FLAG_THRESHOLD', 0.65, { min: 0, max: 1 }),
      policy: choiceOf(read, 'SERVICE_TRUST_POLICY', 'reject', ['reject', 'flag']),
      sanitize: booleanOf(read, 'SERVICE_SANITIZE_ENABLED', true),
    },
    secrets: choiceOf(read, 'SERVICE_SECRETS', 'redact', secretPolicies),
    defaultTtlDays: read('SERVICE_DEFAULT_TTL_DAYS')
      ? numberOf(read, 'SERVICE_DEFAULT_TTL_DAYS', 365, { min: 1, max: 36_500, isWhole: true })
      : undefined,
    decay: {
      enabled: booleanOf(read, 'SERVICE_DECAY_ENABLED', true),
      halfLifeDays: numberOf(read, 'SERVICE_DECAY_HALF_LIFE_DAYS', 30, { min: 0.001, max: 1_000_000 }),
      accessBoostWeight: numberOf(read, 'SERVICE_ACCESS_BOOST_WEIGHT', 0.2, { min: 0, max: 1_000_000 }),
    },
    readFirst: numberOf(read, 'SERVICE_READ_FIRST', 5, { min: 0, max: 30, isWhole: true }),
    ...auditLogOf(read),
    logLevel: choiceOf(read, 'SERVICE_LOG_LEVEL', 'info', logLevels),
    logFormat: choiceOf(read, 'SERVICE_LOG_FORMAT', 'auto', logFormats),
    trustedProxies: trustedProxiesOf(read),
    corsOrigins: corsOriginsOf(read),
    allowedHosts: allowedHostsOf(read),
    embedding: remoteModelOf(read, 'EMBEDDING', 'text-embedding-3-small'),
    languageModel: remoteModelOf(read, 'LLM', 'llama3.1'),
    cleanupIntervalMs: intervalOf(read, 'SERVICE_CLEANUP_INTERVAL', 'off'),
    consolidationIntervalMs: intervalOf(read, 'SERVICE_CONSOLIDATION_INTERVAL', 'off'),
    vacuumMaxBytes: numberOf(read, 'SERVICE_VACUUM_MAX_MB', 128, { min: 0, max: 1_000_000, isWhole: true }) * 1_000_000,
    versionsKept: numberOf(read, 'SERVICE_VERSIONS_KEPT', 100, { min: 2, max: 100_000, isWhole: true }),
    userQuotaBytes: read('SERVICE_USER_QUOTA_MB')
      ? 1_000_000 * numberOf(read, 'SERVICE_USER_QUOTA_MB', 100, { min: 0.1, max: 10_000_000 })
      : undefined,
    ...indexMemoryOf(read),
    mcpUser: mcpUserOf(read),
    oauthUrl: oauthUrlOf(read),
    eventStreams: {
      inAll: numberOf(read, 'SERVICE_EVENT_STREAMS', 500, { min: 0, max: 100_000, isWhole: true }),
      perUser: numberOf(read, 'SERVICE_EVENT_STREAMS_PER_USER', 10, { min: 0, max: 10_000, isWhole: true }),
    },
    webhookAllowPrivate: booleanOf(read, 'SERVICE_WEBHOOK_ALLOW_PRIVATE', false),
    traces: traceSettingsOf(values, (warning) => void warnings.push(warning)),
  }
  warnings.push(...concerns(config))
  return { config: freezeDeeply(config), warnings }
}

/* ------------------------------------------------------------------ single settings */

/** Beyond this many requests, most callers give up before their turn. Waiting for a language model costs nothing here. */
function usuallyAtOnce(read: Read): number {
  return read('SERVICE_LLM_BASE_URL') === undefined ? 64 * availableParallelism() : 500
}

/** One core is left to the thread that answers requests; more than four threads would wait for the models. */
function usualTextThreads(): number {
  return Math.min(4, Math.max(1, availableParallelism() - 1))
}

/** An index takes about 0.45 kB per memory, so by default one user can take up to about half of the memory for all. */
const bytesPerUsualBound = 1_000
/** As many as the index of one user in memory can have. */
const mostIndexed = 16_000_000

function indexMemoryOf(read: Read): Pick<Config, 'indexMemoryBytes' | 'indexUserMemories'> {
  const megabytes = numberOf(read, 'SERVICE_INDEX_MEMORY_MB', usualIndexMegabytes(), { min: 0.1, max: 65_536 })
  const usualBound = Math.min(mostIndexed, Math.floor((megabytes * 2 ** 20) / bytesPerUsualBound))
  return {
    indexMemoryBytes: 2 ** 20 * megabytes,
    indexUserMemories: numberOf(read, 'SERVICE_INDEX_USER_MEMORIES', usualBound, {
      min: 0,
      max: mostIndexed,
      isWhole: true,
    }),
  }
}

/** Enough for a million memories of active users; a small machine keeps most of its memory for other things. */
function usualIndexMegabytes(): number {
  return Math.min(512, Math.floor(totalmem() / 4 / 2 ** 20))
}

function hostOf(read: Read): string {
  const text = read('SERVICE_HOST') ?? '127.0.0.1'
  const host = text.replace(/^\[(.*)\]$/, '$1')
  if (isHost(host)) return host
  return fail('SERVICE_HOST', `must be an IP address or a host name without a port, not ${shown(text)}`, '127.0.0.1')
}

function isHost(text: string): boolean {
  return isIP(text) !== 0 || /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i.test(text)
}

function allowedHostsOf(read: Read): string[] {
  return listOf(read, 'SERVICE_ALLOWED_HOSTS').map((text) => {
    const host = text.replace(/^\[(.*)\]$/, '$1').toLowerCase()
    if (isHost(host)) return host
    const problem = `must be a comma-separated list of host names without ports, ${shown(text)} is not one`
    return fail('SERVICE_ALLOWED_HOSTS', problem, 'keepsake,memory.example.com')
  })
}

function authenticationOf(read: Read): Pick<Config, 'masterKey' | 'authEnabled'> {
  const masterKey = read('SERVICE_MASTER_KEY')
  const example = '$(openssl rand -hex 32)'
  if (masterKey !== undefined) {
    const { length } = masterKey
    if (length < 32) fail('SERVICE_MASTER_KEY', `must have at least 32 characters, not ${length}`, example)
    requireHeaderText('SERVICE_MASTER_KEY', masterKey, example)
  }
  const explicit = booleanOf(read, 'SERVICE_AUTH_ENABLED', undefined)
  const authEnabled = explicit ?? masterKey !== undefined
  const host = hostOf(read)
  if (!authEnabled && explicit === undefined && !isLoopback(host)) {
    throw new ConfigError(
      `SERVICE_HOST: ${shown(host)} can be reached from other machines while authentication is off; for example ` +
        `SERVICE_MASTER_KEY=${example}, or SERVICE_AUTH_ENABLED=false to let everyone read and write`,
    )
  }
  return { masterKey, authEnabled }
}

/** Where only this machine can connect and nobody needs a key, limits protect nobody: they only stop people who try things out. */
function limitsMatter(read: Read): boolean {
  const { authEnabled } = authenticationOf(read)
  const others = ['SERVICE_RATE_LIMIT_STORE', 'SERVICE_RATE_LIMIT_RECALL', 'SERVICE_RATE_LIMIT_FORGET'] as const
  const asked = [...others, 'SERVICE_RATE_LIMIT_DEFAULT', 'SERVICE_REDIS_URL', 'SERVICE_TRUSTED_PROXIES'] as const
  return authEnabled || !isLoopback(hostOf(read)) || asked.some((name) => read(name) !== undefined)
}

/** It is sent in an HTTP header, which allows no other characters. */
function requireHeaderText(name: SettingName, secret: string, example: string): void {
  if (!/^[\x21-\x7e]+$/.test(secret)) fail(name, 'must contain only visible ASCII characters, no spaces', example)
}

function trustedProxiesOf(read: Read): string[] {
  return listOf(read, 'SERVICE_TRUSTED_PROXIES').map((proxy) => {
    const [address = '', prefix, ...more] = proxy.split('/')
    const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0
    const isRange = prefix === undefined || (/^[1-9][0-9]{0,2}$/.test(prefix) && Number(prefix) <= bits)
    if (bits > 0 && isRange && more.length === 0 && !address.includes('%')) return proxy
    const problem = `must be a comma-separated list of IP addresses or ranges, ${shown(proxy)} is neither`
    return fail('SERVICE_TRUSTED_PROXIES', problem, '10.0.0.0/8,::1')
  })
}

function corsOriginsOf(read: Read): string[] {
  const origins = listOf(read, 'SERVICE_CORS_ORIGINS')
  const example = 'https://app.example.com,http://localhost:5173'
  if (origins.includes('*')) {
    if (origins.length > 1) fail('SERVICE_CORS_ORIGINS', '* must be the only value: it already means every origin', '*')
    return origins
  }
  for (const origin of origins) {
    const url = URL.canParse(origin) ? new URL(origin) : undefined
    if (url?.origin === origin && /^https?:$/.test(url.protocol)) continue
    const problem = 'must be a comma-separated list of origins: scheme, host and port, no path'
    fail('SERVICE_CORS_ORIGINS', `${problem}, ${url?.password ? 'one' : shown(origin)} is not`, example)
  }
  return origins
}

function remoteModelOf(read: Read, kind: 'EMBEDDING' | 'LLM', exampleModel: string): RemoteModelSettings | undefined {
  const names = {
    baseUrl: `SERVICE_${kind}_BASE_URL`,
    model: `SERVICE_${kind}_MODEL`,
    apiKey: `SERVICE_${kind}_API_KEY`,
  } as const
  const [baseUrl, model, apiKey] = [read(names.baseUrl), read(names.model), read(names.apiKey)]
  if (baseUrl === undefined && model === undefined && apiKey === undefined) return undefined
  const exampleUrl = 'http://127.0.0.1:11434/v1'
  if (baseUrl === undefined) return fail(names.baseUrl, `must be set together with ${names.model}`, exampleUrl)
  if (model === undefined) return fail(names.model, `must be set together with ${names.baseUrl}`, exampleModel)
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) return fail(names.baseUrl, 'must be an http or https URL', exampleUrl)
  if (url.username || url.password)
    return fail(names.baseUrl, `must not contain credentials: use ${names.apiKey}`, exampleUrl)
  if (url.search || url.hash) return fail(names.baseUrl, 'must not have a query or a fragment', exampleUrl)
  if (apiKey !== undefined) requireHeaderText(names.apiKey, apiKey, 'sk-…')
  return { baseUrl: url.href.replace(/(?<!\/)\/+$/, ''), model, apiKey }
}

function auditLogOf(read: Read): Pick<Config, 'auditLog' | 'auditLogMaxBytes'> {
  const auditLog = read('SERVICE_AUDIT_LOG')
  if (read('SERVICE_AUDIT_LOG_MAX_MB') === undefined) return { auditLog, auditLogMaxBytes: undefined }
  const megabytes = numberOf(read, 'SERVICE_AUDIT_LOG_MAX_MB', 100, { min: 1, max: 1_000_000, isWhole: true })
  if (auditLog === undefined)
    fail('SERVICE_AUDIT_LOG', 'must be set together with SERVICE_AUDIT_LOG_MAX_MB', './audit.log')
  return { auditLog, auditLogMaxBytes: megabytes * 1_000_000 }
}

/** Node's timers are limited to 2^31 ms, about 24.8 days. */
const longestIntervalDays = 24

function intervalOf(read: Read, name: SettingName, byDefault: string): number | undefined {
  const text = read(name) ?? byDefault
  if (text.toLowerCase() === 'off') return undefined
  const span = /^[1-9][0-9]*[hdw]$/.test(text) ? parseTtl(text) : undefined
  if (span?.kind === 'span' && span.ms <= longestIntervalDays * msPerDay) return span.ms
  const problem = `must be off, or a positive whole number and h, d or w, at most ${longestIntervalDays} days`
  return fail(name, `${problem}, not ${shown(text)}`, '1h')
}

function urlOf(read: Read, name: SettingName, problemOf: (text: string) => string | undefined, example: string) {
  const text = read(name)
  const problem = text === undefined ? undefined : problemOf(text)
  return problem === undefined ? text : fail(name, problem, example)
}

function mcpUserOf(read: Read): string {
  const text = read('SERVICE_MCP_USER') ?? 'default'
  if (text.length <= 256 && !/\p{Cc}/u.test(text)) return text
  return fail('SERVICE_MCP_USER', 'must have at most 256 characters, and no control characters', 'alice')
}

/** An origin, because clients look for metadata at the root of the host. */
function oauthUrlOf(read: Read): string | undefined {
  const text = read('SERVICE_OAUTH_URL')?.replace(/\/$/, '')
  if (text === undefined) return undefined
  const example = 'https://memory.example.com'
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isLocal = url?.protocol === 'http:' && isLoopback(url.hostname.replace(/^\[(.*)\]$/, '$1'))
  if (url?.origin !== text || !(url.protocol === 'https:' || isLocal)) {
    fail('SERVICE_OAUTH_URL', 'must be the public https address of this service: host and port, no path', example)
  }
  if (!authenticationOf(read).authEnabled) {
    fail('SERVICE_OAUTH_URL', 'needs authentication: set SERVICE_MASTER_KEY too', example)
  }
  return text
}

function freezeDeeply<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) freezeDeeply(inner)
    Object.freeze(value)
  }
  return value
}
