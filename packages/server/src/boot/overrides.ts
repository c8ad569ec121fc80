import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Clock } from '../core/clock.js'
import type { Embedder, Judge, Reranker } from '../models/models.js'
import type { SpanReader } from '../models/tagger/span-reader.js'
import type { CallWebhook } from '../service/webhooks/webhook-call.js'
import type { StartWorker } from '../storage/sqlite/thread.js'

/** Parts that tests and benchmarks replace. */
export interface Overrides {
  readonly clock?: Clock
  readonly logger?: Logger
  readonly openEmbedder?: () => Promise<Embedder>
  readonly openReranker?: () => Promise<Reranker>
  readonly openJudge?: () => Promise<Judge>
  readonly languageModelBudgetMs?: number
  readonly inboxPatienceMs?: number
  /** Null: tagging by rules only. */
  readonly openSpanReader?: () => Promise<SpanReader | null>
  readonly writeAuditLine?: (line: string) => void
  readonly holdFailures?: boolean
  readonly bcryptCost?: number
  /** The clock of rate limits in milliseconds. By default a monotonic one, whatever `clock` says. */
  readonly limitsNow?: () => number
  /** 0: events are processed only when a test calls `tick`. */
  readonly eventTickMs?: number
  readonly callWebhook?: CallWebhook
  readonly startStorageThread?: StartWorker
  readonly validatorCompiler?: FastifyInstance['validatorCompiler'] | undefined
}
