import type { DecaySettings } from './core/decay.js'
import type { RateLimits, RemoteModelSettings, TrustSettings } from './core/settings.js'

export interface Config {
  readonly host: string
  readonly port: number
  readonly dataDir: string
  readonly masterKey: string | undefined
  readonly authEnabled: boolean
  readonly rateLimit: RateLimits
  readonly trust: TrustSettings
  readonly defaultTtlDays: number | undefined
  readonly decay: DecaySettings
  readonly auditLog: string | undefined
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
  readonly trustedProxies: readonly string[]
  readonly corsOrigins: readonly string[]
  readonly embedding: RemoteModelSettings | undefined
  readonly languageModel: RemoteModelSettings | undefined
  readonly cleanupIntervalMs: number | undefined
}
