import type { DecaySettings } from '../core/decay.js'
import type { RateLimits, RemoteModelSettings, TrustSettings } from '../core/settings.js'

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

export interface Config {
  readonly host: string
  readonly port: number
  readonly dataDir: string
  readonly databaseUrl: string | undefined
  readonly databasePartitions: number
  /** Connections of this instance; by default from the machine. */
  readonly databasePool: number | undefined
  readonly maxRequests: number
  readonly masterKey: string | undefined
  readonly authEnabled: boolean
  readonly rateLimit: RateLimits
  /** May hold a password: never shown. */
  readonly redisUrl: string | undefined
  readonly trust: TrustSettings
  readonly defaultTtlDays: number | undefined
  readonly decay: DecaySettings
  readonly auditLog: string | undefined
  readonly auditLogMaxBytes: number | undefined
  readonly logLevel: (typeof logLevels)[number]
  readonly trustedProxies: readonly string[]
  readonly corsOrigins: readonly string[]
  readonly embedding: RemoteModelSettings | undefined
  readonly languageModel: RemoteModelSettings | undefined
  readonly cleanupIntervalMs: number | undefined
  /** A larger embedded store is not written anew by itself after erasures. */
  readonly vacuumMaxBytes: number
  /** How much the search index of active users may take. */
  readonly indexMemoryBytes: number
  /** Whose memories an MCP client means where neither a key nor the client says it. */
  readonly mcpUser: string
  /** How many followers of events there may be at once. */
  readonly eventStreams: { readonly inAll: number; readonly perUser: number }
  /** Webhooks may lead into the operator's own network, and without encryption. */
  readonly webhookAllowPrivate: boolean
}
