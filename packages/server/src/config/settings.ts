import type { DecaySettings } from '../core/decay.js'
import type { SecretPolicy } from '../core/redacted-kind.js'
import type { RateLimits, RemoteModelSettings, TrustSettings } from '../core/settings.js'
import type { TraceSettings } from './telemetry.js'

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

export const logFormats = ['auto', 'text', 'json'] as const

export interface Config {
  readonly host: string
  readonly port: number
  readonly dataDir: string
  readonly databaseUrl: string | undefined
  readonly databasePartitions: number
  /** Connections of this instance. The default depends on the machine. */
  readonly databasePool: number | undefined
  readonly databaseReplicas: boolean
  readonly maxRequests: number
  readonly maxConnections: number
  /** Threads that understand long texts. */
  readonly textThreads: number
  readonly masterKey: string | undefined
  readonly authEnabled: boolean
  readonly rateLimit: RateLimits
  /** May contain a password: never shown. */
  readonly redisUrl: string | undefined
  readonly trust: TrustSettings
  readonly secrets: SecretPolicy
  readonly defaultTtlDays: number | undefined
  readonly decay: DecaySettings
  /** How many of the best memories every recall reads with the reranker. */
  readonly readFirst: number
  readonly auditLog: string | undefined
  readonly auditLogMaxBytes: number | undefined
  readonly logLevel: (typeof logLevels)[number]
  /** `auto`: text on a terminal, JSON elsewhere. */
  readonly logFormat: (typeof logFormats)[number]
  readonly trustedProxies: readonly string[]
  readonly corsOrigins: readonly string[]
  /** Values of the Host header that are accepted while authentication is off, besides our own. */
  readonly allowedHosts: readonly string[]
  readonly embedding: RemoteModelSettings | undefined
  readonly languageModel: RemoteModelSettings | undefined
  readonly cleanupIntervalMs: number | undefined
  readonly consolidationIntervalMs: number | undefined
  /** A larger SQLite store is not vacuumed automatically after erasures. */
  readonly vacuumMaxBytes: number
  /** Versions of one memory. */
  readonly versionsKept: number
  /** Of one user's memories. */
  readonly userQuotaBytes: number | undefined
  /** Memory limit of the search indexes of active users. */
  readonly indexMemoryBytes: number
  /** A user with more memories is searched in the storage instead of in memory. */
  readonly indexUserMemories: number
  /** The user of an MCP client, if neither a key nor the client names one. */
  readonly mcpUser: string
  /** The public address of this service. Undefined: OAuth is off. */
  readonly oauthUrl: string | undefined
  /** Limits on open event streams. */
  readonly eventStreams: { readonly inAll: number; readonly perUser: number }
  /** Webhooks may point into the operator's own network, and use plain http. */
  /** Undefined: no spans for OpenTelemetry are recorded. */
  readonly traces: TraceSettings | undefined
  readonly webhookAllowPrivate: boolean
}
