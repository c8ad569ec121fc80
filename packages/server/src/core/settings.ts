export interface TrustSettings {
  /** A memory whose trust score is below this is rejected or flagged. */
  readonly threshold: number
  /** A memory whose trust score is below this is stored as flagged, unless it is rejected. */
  readonly flagThreshold: number
  readonly policy: 'reject' | 'flag'
  /** False turns detection off, but never the checksum. */
  readonly sanitize: boolean
}

/** Requests per minute, by group of routes. */
export interface RateLimits {
  readonly enabled: boolean
  readonly store: number
  readonly recall: number
  readonly forget: number
  readonly default: number
}

export interface RemoteModelSettings {
  readonly baseUrl: string
  readonly model: string
  readonly apiKey: string | undefined
}
