import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { RateLimits } from '../core/settings.js'
import type { Deps } from '../service/deps.js'
import type { EventStreams } from '../service/event-streams.js'
import type { WebhookRules } from '../service/webhooks/webhooks.js'
import type { RateLimiter } from './limits/rate-limit.js'
import type { McpHandler } from './mcp/mcp-handler.js'
import type { Metrics } from './metrics/metrics.js'

export interface HttpOptions {
  readonly deps: Deps
  readonly version: string
  readonly settings: {
    readonly authEnabled: boolean
    readonly masterKey: string | undefined
    readonly rateLimit: RateLimits
    /** Addresses whose `X-Forwarded-For` counts. */
    readonly trustedProxies: readonly string[]
    readonly corsOrigins: readonly string[]
    /** Requests that are worked on at once. */
    readonly maxRequests: number
    /** Whose memories an MCP client means that names nobody while authentication is off. */
    readonly mcpUser?: string
  }
  readonly limiter: RateLimiter
  /** False: failed authentications are answered at once. Only for tests, which make many. */
  readonly holdFailures?: boolean
  readonly metrics: Metrics
  readonly logger: FastifyBaseLogger
  readonly startedAt: number
  /** `checks` has `ok` or a short problem for each part. */
  readonly health: () => Promise<{
    readonly healthy: boolean
    /** Whether requests should be sent here all the same. */
    readonly serves: boolean
    readonly checks: Readonly<Record<string, string>>
  }>
  readonly lifecycle: { ready(): boolean; draining(): boolean }
  /** Followers and webhooks; absent: events can be read, not followed. */
  readonly live?: {
    readonly streams: EventStreams
    readonly webhooks: WebhookRules
    /** There is a webhook, or something for one. */
    wakeDelivery(): void
  }
  /** Answers at `/mcp`; absent: nothing does. */
  readonly mcp?: McpHandler
  /** Of another server, which has compiled the same schemas. For tests, which start many. */
  readonly validatorCompiler?: FastifyInstance['validatorCompiler'] | undefined
}
