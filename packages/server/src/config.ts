export interface Config {
  readonly host: string
  readonly port: number
  readonly dataDir: string
  readonly masterKey: string | undefined
  readonly authEnabled: boolean
  readonly rateLimit: {
    readonly enabled: boolean
    /** Requests a minute. */
    readonly store: number
    readonly recall: number
    readonly forget: number
    readonly default: number
  }
  readonly trust: { readonly threshold: number; readonly policy: 'reject' | 'flag'; readonly sanitize: boolean }
  readonly defaultTtlDays: number | undefined
  readonly decay: { readonly enabled: boolean; readonly halfLifeDays: number; readonly accessBoostWeight: number }
  readonly auditLog: string | undefined
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
  readonly trustedProxies: readonly string[]
  readonly corsOrigins: readonly string[]
  readonly embedding:
    | { readonly baseUrl: string; readonly model: string; readonly apiKey: string | undefined }
    | undefined
  readonly languageModel:
    | { readonly baseUrl: string; readonly model: string; readonly apiKey: string | undefined }
    | undefined
  readonly cleanupIntervalMs: number | undefined
}
