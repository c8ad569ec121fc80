/** Decay and expiry of memories. */
import type { DecaySettings } from '../../core/decay.js'
import type { Scope } from '../../core/scope.js'

export interface TemporalReads {
  /** Lowest score first. */
  decayReport(scope: Scope, query: DecayQuery): Promise<DecayReport>
  /** The memories that `purgeExpired` would erase: their number, and the first `limit` of them. */
  expired(scope: Scope, now: number, limit: number): Promise<{ total: number; memories: ExpiredMemory[] }>
}

export interface DecayQuery {
  readonly now: number
  readonly settings: DecaySettings
  readonly limit: number
  readonly offset: number
  /** Days from now to forecast; none by default. */
  readonly forecastDays?: readonly number[]
}

/** The number of memories per status. */
interface DecayCounts {
  readonly healthy: number
  readonly decaying: number
  readonly expired: number
}

export interface DecayReport extends DecayCounts {
  readonly total: number
  /** The number of scores in each tenth from 0 to 1; 1 is in the last. */
  readonly distribution: readonly number[]
  /** In the order of `forecastDays`, if nothing is accessed, added or removed until then. */
  readonly forecast: readonly (DecayCounts & { readonly days: number })[]
  readonly memories: readonly {
    readonly id: string
    readonly content: string
    readonly decayScore: number
    readonly lastAccessed: number | null
  }[]
  /** The offset of the next page; null: there is none. */
  readonly next: number | null
}

export interface ExpiredMemory {
  readonly id: string
  readonly content: string
  readonly expiredAt: number
}
