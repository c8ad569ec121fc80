/** Opens everything that the service runs on: store, audit log, content guard and models. `close.ts` closes it. */
import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Logger } from 'pino'
import { type OpenAuditLog, openAuditLog } from '../audit/open-audit-log.js'
import type { Config } from '../config/config.js'
import { type Clock, systemClock } from '../core/clock.js'
import { skipExpressionBytecode } from '../core/expression-code.js'
import { openStatementModel } from '../facts/statements/model.js'
import type { HybridTagger } from '../facts/tagging/hybrid-tagger.js'
import { openContentGuard } from '../guard/content-guard.js'
import type { WatchedEmbedder } from '../models/embedder/watched-embedder.js'
import { openLocalJudge } from '../models/judge/judge.js'
import type { WatchedJudge } from '../models/judge/watched-judge.js'
import type { WatchedLanguageModel } from '../models/llm/watched-llm.js'
import type { Guard } from '../models/models.js'
import { openCrossEncoder } from '../models/reranker/cross-encoder.js'
import type { WatchedReranker } from '../models/reranker/watched-reranker.js'
import { openSpanReader } from '../models/tagger/span-reader.js'
import { lazyTokenCounter } from '../models/token-counter.js'
import type { TokenCounter } from '../retrieval/rank/assemble.js'
import { Announcements } from '../service/announcements.js'
import { announcing } from '../service/announcing-storage.js'
import { type BcryptThread, bcryptThread } from '../service/keys/bcrypt-thread.js'
import { TextPool } from '../service/texts/text-pool.js'
import { type TextWork, textWork } from '../service/texts/text-work.js'
import type { Storage } from '../storage/ports/storage.js'
import { openLogger } from './logger.js'
import { openEmbedder, openLanguageModel, openModels, taggerOver } from './open-models.js'
import { openStorage } from './open-storage.js'
import type { Overrides } from './overrides.js'

export interface Opened {
  readonly clock: Clock
  readonly logger: Logger
  readonly startedAt: number
  readonly storage: Storage
  /** Announces the changes that `storage` makes. */
  readonly announcements: Announcements
  readonly audit: OpenAuditLog
  readonly guard: Guard
  readonly texts: TextWork
  readonly textPool: TextPool
  readonly embedder: WatchedEmbedder
  readonly reranker: WatchedReranker
  readonly judge: WatchedJudge
  readonly tagger: HybridTagger
  readonly languageModel: WatchedLanguageModel | undefined
  readonly countTokens: TokenCounter
  readonly hashing: BcryptThread
}

export async function open(config: Config, overrides: Overrides): Promise<Opened> {
  const clock = overrides.clock ?? systemClock
  const logger = overrides.logger ?? openLogger(config.logLevel)
  const startedAt = clock.now()
  const dataDir = resolve(config.dataDir)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const announcements = new Announcements()
  const storage = announcing(await openStorage(config, dataDir, logger, overrides.startStorageThread), announcements)
  const audit = await openAudit(config, overrides, clock, logger)
  skipExpressionBytecode()
  const guard = await openContentGuard()
  const statements = await openStatementModel()
  const textPool = new TextPool({ threads: config.textThreads, log: logger })
  const texts = textWork({ guard, statements }, textPool)
  const { embedder, reranker, spanReader, judge } = await openModels(
    overrides.openEmbedder ?? (() => openEmbedder(config)),
    overrides.openReranker ?? openCrossEncoder,
    overrides.openSpanReader ?? openSpanReader,
    overrides.openJudge ?? openLocalJudge,
  )
  return {
    clock,
    logger,
    startedAt,
    storage,
    announcements,
    audit,
    guard,
    texts,
    textPool,
    embedder,
    reranker,
    judge,
    tagger: taggerOver(spanReader, texts, logger),
    languageModel: openLanguageModel(config),
    countTokens: lazyTokenCounter(),
    hashing: bcryptThread(),
  }
}

function openAudit(config: Config, overrides: Overrides, clock: Clock, logger: Logger): Promise<OpenAuditLog> {
  const { auditLog: file, auditLogMaxBytes: maxFileBytes } = config
  const { writeAuditLine: write } = overrides
  return openAuditLog({
    clock,
    ...(file === undefined ? {} : { file }),
    ...(maxFileBytes === undefined ? {} : { maxFileBytes }),
    ...(write === undefined ? {} : { write }),
    onError: (error) => logger.error({ err: error }, 'an audit line could not be written'),
  })
}
