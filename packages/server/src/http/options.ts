import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { LanguageSupport } from '../core/languages.js'
import type { RateLimits } from '../core/settings.js'
import type { Tracer } from '../core/trace.js'
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
    /** Addresses whose `X-Forwarded-For` is trusted. */
    readonly trustedProxies: readonly string[]
    readonly corsOrigins: readonly string[]
    /** The address that the service listens on. Without authentication, it is a valid Host. */
    readonly host?: string
    /** Other valid Hosts without authentication. */
    readonly allowedHosts?: readonly string[]
    /** Maximum number of requests in progress. */
    readonly maxRequests: number
    /** Unlimited by default, for tests without sockets. */
    readonly maxConnections?: number
    /** The user of an MCP client that names none while authentication is off. */
    readonly mcpUser?: string
  }
  readonly limiter: RateLimiter
  /** False: failed authentications are answered without delay. Only for tests, which make many. */
  readonly holdFailures?: boolean
  readonly metrics: Metrics
  /** Absent: no spans are recorded. */
  readonly tracer?: Tracer | undefined
  readonly logger: FastifyBaseLogger
  readonly startedAt: number
  /** `checks` has `ok` or a short description of the problem for each part. */
  readonly health: () => Promise<{
    readonly healthy: boolean
    /** Whether this instance should receive requests even if it is not healthy. */
    readonly serves: boolean
    readonly checks: Readonly<Record<string, string>>
    readonly languages: readonly LanguageSupport[]
  }>
  readonly lifecycle: { ready(): boolean; draining(): boolean }
  /** Event streams and webhooks. If absent, events can be read but not streamed. */
  readonly live?: {
    readonly streams: EventStreams
    readonly webhooks: WebhookRules
    /** Call this when a webhook was created or has events to deliver. */
    wakeDelivery(): void
  }
  /** Answers `/mcp`. If absent, there is no `/mcp`. */
  readonly mcp?: McpHandler
  /** The compiler of another server that has compiled the same schemas. For tests, which start many servers. */
  readonly validatorCompiler?: FastifyInstance['validatorCompiler'] | undefined
}
