/** What a service that can be reached says: whether it is Keepsake, whom it lets in, and how it is. */
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
          `Keepsake${version} says that it is unhealthy`,
          'the checks below, and its log, say why',
          unreachable,
        )
  return [answer, await checkKey(client, isLoopback), ...Object.entries(health.checks ?? {}).map(partFinding)]
}

function answerFault(error: KeepsakeError, hasKey: boolean): Finding {
  if (error instanceof AuthenticationError) return keyFault(hasKey)
  if (error instanceof RateLimitError) return limitFinding(error)
  if (error instanceof UnexpectedAnswerError) {
    const next = 'look at --url: another program answers there, or a proxy that does not pass /api/v1 on'
    return fault('answer', error.message, next, unreachable)
  }
  if (error instanceof UnavailableError) {
    return fault('answer', error.message, 'wait until it has started; else look at its log', unreachable)
  }
  if (error instanceof ConnectionError || error instanceof TimeoutError) {
    return fault('answer', error.message, 'does it speak https? Else look at its log', unreachable)
  }
  return fault('answer', error.message, 'look at its log')
}

function keyFault(hasKey: boolean): Finding {
  return hasKey
    ? fault('authentication', 'the key is wrong or revoked', 'keepsake keys create makes another one', refused)
    : fault('authentication', 'it asks for a key', 'set KEEPSAKE_API_KEY; keepsake keys create makes one', refused)
}

async function checkKey(client: Keepsake, isLoopback: boolean): Promise<Finding> {
  try {
    await client.listPage({ limit: 1, maxRetries: 0 })
  } catch (error) {
    if (error instanceof RateLimitError) return limitFinding(error)
    if (!(error instanceof KeepsakeError)) throw error
    if (!(error instanceof AuthenticationError)) return answerFault(error, client.hasApiKey)
    return client.hasApiKey && (await isMasterKey(client))
      ? ok('authentication', 'the master key is right; it manages keys and does not read memories')
      : keyFault(client.hasApiKey)
  }
  if (client.hasApiKey) return ok('authentication', 'the key is right')
  if (isLoopback) return ok('authentication', 'off: everyone on this machine can read and write')
  return warning('authentication', 'off, and not on this machine only', 'set SERVICE_MASTER_KEY where the service runs')
}

function limitFinding({ retryAfter }: RateLimitError): Finding {
  const next = `wait ${retryAfter ?? 60} s; failed authentications are limited too`
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
  storage: 'look at the disk, or at the database that SERVICE_DATABASE_URL names, and at the log of the service',
  models: 'look at the log of the service, and at SERVICE_EMBEDDING_BASE_URL where embeddings are remote',
  llm: 'look at SERVICE_LLM_BASE_URL and its key; all works without it, memories are cut by rules',
  rate_limit_backend: 'look at SERVICE_REDIS_URL; each instance counts by itself until then',
}

const fine = new Set(['ok', 'memory', 'redis', 'off'])

function partFinding([name, state]: [string, string]): Finding {
  if (fine.has(state)) return ok(name, state)
  const next = nextOf[name] ?? 'look at the log of the service'
  // Without storage there is no service; without the rest it goes on.
  return name === 'storage' ? fault(name, state, next) : warning(name, state, next)
}
