import type { AuditLog } from '../audit/audit-log.js'
import type { Clock } from '../core/clock.js'
import type { DecaySettings } from '../core/decay.js'
import type { IdSource } from '../core/ids.js'
import type { Log } from '../core/log.js'
import type { Meter } from '../core/meter.js'
import type { SecretPolicy } from '../core/redacted-kind.js'
import type { TrustSettings } from '../core/settings.js'
import type { Steps } from '../ingest/divide.js'
import type { LanguageModel } from '../models/llm/llm.js'
import type { Embedder, Judge, Reranker, Tagger } from '../models/models.js'
import type { UserIndexes } from '../retrieval/index/user-indexes.js'
import type { TokenCounter } from '../retrieval/rank/assemble.js'
import type { FusionSettings } from '../retrieval/rank/fuse.js'
import type { Storage } from '../storage/ports/storage.js'
import type { KeyedMutex } from './keyed-mutex.js'
import type { KeyVerifier } from './keys/key-verifier.js'
import type { OAuth } from './oauth/oauth.js'
import type { AccessRecorder } from './recall/access-recorder.js'
import type { KeysInFlight } from './store/keys-in-flight.js'
import type { TextLanes } from './texts/text-lanes.js'
import type { TextWork } from './texts/text-work.js'

/** Everything a service may use. `boot/wire.ts` builds it once; tests build their own. */
export interface Deps {
  readonly storage: Storage
  readonly indexes: UserIndexes
  /** The same for items. */
  readonly itemIndexes: UserIndexes
  readonly embedder: Embedder
  readonly tagger: Tagger
  readonly texts: TextWork
  /** Users take turns with their texts. */
  readonly textLanes: TextLanes
  readonly reranker: Reranker
  readonly judge: Judge
  /** If the operator has configured one. */
  readonly languageModel?: LanguageModel | undefined
  readonly countTokens: TokenCounter
  readonly accesses: AccessRecorder
  readonly keyVerifier: KeyVerifier
  /** If the operator has enabled it. */
  readonly oauth?: OAuth | undefined
  /** Reconciles the stores of one user one after another. */
  readonly userLocks: KeyedMutex
  /** Stores with an idempotency key that are in progress. */
  readonly keysInFlight: KeysInFlight
  readonly audit: AuditLog
  readonly meter: Meter
  readonly log: Log
  readonly clock: Clock
  readonly ids: IdSource
  readonly settings: {
    readonly trust: TrustSettings
    readonly secrets: SecretPolicy
    readonly decay: DecaySettings
    readonly defaultTtlDays: number | undefined
    /** How signals become a score. Benchmarks leave some out. */
    readonly fusion: FusionSettings
    /** How many of the best memories every recall reads with the reranker; none if left out. */
    readonly readFirst?: number
    /** The total time that a store may wait for the language model. */
    readonly languageModelBudgetMs?: number
    /** The steps of splitting a text; all by default. Benchmarks leave some out. */
    readonly steps?: Steps
  }
}
