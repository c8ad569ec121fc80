/** Checks of a reachable service: whether it is Keepsake, whether it accepts the key, and how healthy it is. */
import {
  AuthenticationError,
  ConnectionError,
  type Health,
  type Keepsake,
  KeepsakeError,
  RateLimitError,
  TimeoutError,
  UnavailableError,
  UnexpectedAnswerError,
} from '@keepsake/client'
import { exitCodes } from '../command.js'
import { type Finding, fault, ok, warning } from './finding.js'

const { unreachable, refused, limited } = exitCodes

export async function checkService(client: Keepsake, isLoopback: boolean): Promise<Finding[]> {
  let health: Health
  try {
    health = await client.health({ maxRetries: 0 })
  } catch (error) {
    if (error instanceof KeepsakeError) return [answerFault(error, client.hasApiKey)]
    throw error
  }
  const version = health.version === undefined ? '' : ` ${health.version}`
  const answer =
    health.status === 'healthy'
      ? ok('answer', `Keepsake${version} is healthy`)
      : fault(
          'answer',
          `Keepsake${version} reports that it is unhealthy`,
          'the checks below and its log show why',
          unreachable,
        )
  const parts = Object.entries(health.checks ?? {}).map(partFinding)
  return [answer, await checkKey(client, isLoopback), ...parts, ...languageFindings(health.languages ?? [])]
}

/** An older service reports no languages. */
function languageFindings(languages: NonNullable<Health['languages']>): Finding[] {
  if (languages.length === 0) return []
  const codes = (understanding: (typeof languages)[number]['understanding']) =>
    languages.filter((language) => language.understanding === understanding).map(({ code }) => code)
  const seen = [
    ['understood', codes('full')],
    ['partly (sentences, dates)', codes('partial')],
    ['stored and recalled only', codes('none')],
  ] as const
  const named = seen.filter(([, found]) => found.length > 0).map(([how, found]) => `${how}: ${found.join(' ')}`)
  const measured = languages.some(({ recall }) => recall === 'unmeasured')
    ? '; recall depends on the configured embedding model'
    : ''
  return [ok('languages', named.join('; ') + measured)]
}

function answerFault(error: KeepsakeError, hasKey: boolean): Finding {
  if (error instanceof AuthenticationError) return keyFault(hasKey)
  if (error instanceof RateLimitError) return limitFinding(error)
  if (error instanceof UnexpectedAnswerError) {
    const next = 'check --url: another program answers there, or a proxy does not forward /api/v1'
    return fault('answer', error.message, next, unreachable)
  }
  if (error instanceof UnavailableError) {
    return fault('answer', error.message, 'wait until it has started; otherwise check its log', unreachable)
  }
  if (error instanceof ConnectionError || error instanceof TimeoutError) {
    return fault('answer', error.message, 'does it use https? Otherwise check its log', unreachable)
  }
  return fault('answer', error.message, 'check its log')
}

function keyFault(hasKey: boolean): Finding {
  return hasKey
    ? fault('authentication', 'the key is wrong or revoked', 'create another one with keepsake keys create', refused)
    : fault(
        'authentication',
        'the service requires a key',
        'set KEEPSAKE_API_KEY; create a key with keepsake keys create',
        refused,
      )
}

async function checkKey(client: Keepsake, isLoopback: boolean): Promise<Finding> {
  try {
    await client.listPage({ limit: 1, maxRetries: 0 })
  } catch (error) {
    if (error instanceof RateLimitError) return limitFinding(error)
    if (!(error instanceof KeepsakeError)) throw error
    if (!(error instanceof AuthenticationError)) return answerFault(error, client.hasApiKey)
    return client.hasApiKey && (await isMasterKey(client))
      ? ok('authentication', 'the master key is valid; it manages keys and can’t read memories')
      : keyFault(client.hasApiKey)
  }
  if (client.hasApiKey) return ok('authentication', 'the key is valid')
  if (isLoopback) return ok('authentication', 'off: everyone on this machine can read and write')
  return warning(
    'authentication',
    'off, and the service is reachable over the network',
    'set SERVICE_MASTER_KEY where the service runs',
  )
}

function limitFinding({ retryAfter }: RateLimitError): Finding {
  const next = `wait ${retryAfter ?? 60} s; failed authentication attempts are limited too`
  return fault('authentication', 'too many requests', next, limited)
}

async function isMasterKey(client: Keepsake): Promise<boolean> {
  try {
    await client.keys.list({ userId: 'keepsake-doctor', maxRetries: 0 })
    return true
  } catch (error) {
    if (error instanceof KeepsakeError) return false
    throw error
  }
}

const nextOf: Readonly<Record<string, string>> = {
  storage: 'check the disk, or the database in SERVICE_DATABASE_URL, and the log of the service',
  models: 'check the log of the service, and SERVICE_EMBEDDING_BASE_URL if embeddings are remote',
  llm: 'check SERVICE_LLM_BASE_URL and its key; everything works without it, but text is split by rules',
  rate_limit_backend: 'check SERVICE_REDIS_URL; until it is back, each instance counts separately',
}

const fine = new Set(['ok', 'memory', 'redis', 'off'])

function partFinding([name, state]: [string, string]): Finding {
  if (fine.has(state)) return ok(name, state)
  const next = nextOf[name] ?? 'check the log of the service'
  // The service can't work without storage, but it can work without the other parts.
  return name === 'storage' ? fault(name, state, next) : warning(name, state, next)
}
