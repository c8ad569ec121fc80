/** Wires the rooms. The only file that knows all of them. */
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { openAuditLog } from './audit/open-audit-log.js'
import { banner } from './boot/banner.js'
import { healthOf } from './boot/health.js'
import { openLogger } from './boot/logger.js'
import { type Live, openLive } from './boot/open-live.js'
import { openEmbedder, openLanguageModel, openModels, taggerOver, warmUp } from './boot/open-models.js'
import { type Config, ConfigError, readConfig } from './config/config.js'
import { type Clock, systemClock } from './core/clock.js'
import { idSource } from './core/ids.js'
import { redact } from './core/redact.js'
import { maxBodyBytes } from './http/body/json-body.js'
import { listEndpoints } from './http/endpoints.js'
import { openRateLimiter } from './http/limits/open-rate-limiter.js'
import { operationCatalogue } from './http/mcp/catalogue.js'
import { prometheusMetrics } from './http/metrics/metrics.js'
import { type Performer, performer } from './http/perform.js'
import { buildServer, type HttpOptions } from './http/server.js'
import { type McpDoor, openMcpDoor } from './mcp/door.js'
import { openContentGuard } from './models/content-guard.js'
import { openCrossEncoder } from './models/cross-encoder.js'
import type { Embedder, Reranker } from './models/models.js'
import { openSpanReader, type SpanReader } from './models/span-reader.js'
import { openTokenCounter } from './models/token-counter.js'
import { openUserIndexes } from './retrieval/index/user-index.js'
import { defaultFusion } from './retrieval/rank/fuse.js'
import { announcing } from './service/announcing-storage.js'
import type { Deps } from './service/deps.js'
import { keyedMutex } from './service/keyed-mutex.js'
import { bcryptThread } from './service/keys/bcrypt-thread.js'
import { keyVerifier } from './service/keys/key-verifier.js'
import { accessRecorder } from './service/recall/access-recorder.js'
import { keysInFlight } from './service/store/store-once.js'
import { claimedWork } from './service/upkeep/claimed-work.js'
import { cleanupSchedule } from './service/upkeep/cleanup-schedule.js'
import { reEmbedding } from './service/upkeep/re-embed.js'
import { inboxRecovery } from './service/upkeep/recover-inbox.js'
import type { CallWebhook } from './service/webhooks/webhook-call.js'
import type { Storage } from './storage/ports/storage.js'
import { openSqliteStorage } from './storage/sqlite/sqlite-storage.js'
import type { StartWorker } from './storage/sqlite/thread.js'

/** Three times what a store may wait for a language model: whatever is in the inbox longer, nobody waits for any more. */
const inboxPatienceMs = 60_000

export interface Service {
  readonly app: FastifyInstance
  readonly deps: Deps
  /** For a connection that is not HTTP: the door, and what it may ask for. */
  readonly mcp: { readonly door: McpDoor; readonly performFor: Performer }
  listen(): Promise<AddressInfo>
  readonly live: Live
  /** Goes on in a new audit log where the old one was renamed. */
  reopenAuditLog(): Promise<void>
  /**
   * Finishes what is in flight, writes what waits, closes the store. For `graceMs` it still takes
   * connections, so that requests already on their way get an answer (503) instead of a reset.
   */
  close(graceMs?: number): Promise<void>
}

/** What tests replace. */
export interface Overrides {
  readonly clock?: Clock
  readonly logger?: Logger
  readonly openEmbedder?: () => Promise<Embedder>
  readonly openReranker?: () => Promise<Reranker>
  readonly languageModelBudgetMs?: number
  readonly inboxPatienceMs?: number
  /** Null: rules alone tag. */
  readonly openSpanReader?: () => Promise<SpanReader | null>
  readonly writeAuditLine?: (line: string) => void
  readonly holdFailures?: boolean
  readonly bcryptCost?: number
  /** 0: events are looked after only when a test asks. */
  readonly eventTickMs?: number
  readonly callWebhook?: CallWebhook
  readonly startStorageThread?: StartWorker
  readonly validatorCompiler?: HttpOptions['validatorCompiler']
  /** This process has compiled its regular expressions. */
  readonly isWarm?: boolean
}

export async function compose(config: Config, overrides: Overrides = {}): Promise<Service> {
  const clock = overrides.clock ?? systemClock
  const logger = overrides.logger ?? openLogger(config.logLevel)
  const startedAt = clock.now()
  const dataDir = resolve(config.dataDir)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  let live: Live | undefined
  const storage = announcing(await openStorage(config, dataDir, logger, overrides.startStorageThread), {
    changed: (userId) => live?.changed(userId),
    revoked: (keyId) => live?.revoked(keyId),
  })
  // Before the embedder: leaving while the model's thread is deep in native code may end in a crash instead.
  const audit = await openAuditLog({
    clock,
    ...(config.auditLog === undefined ? {} : { file: config.auditLog }),
    ...(config.auditLogMaxBytes === undefined ? {} : { maxFileBytes: config.auditLogMaxBytes }),
    ...(overrides.writeAuditLine === undefined ? {} : { write: overrides.writeAuditLine }),
    onError: (error) => logger.error({ err: error }, 'an audit line could not be written'),
  })
  // Before the models with threads, for the same reason.
  const guard = await openContentGuard()
  const opening = openModels(
    overrides.openEmbedder ?? (() => openEmbedder(config)),
    overrides.openReranker ?? openCrossEncoder,
    overrides.openSpanReader ?? openSpanReader,
  )
  // The models load in their own threads; meanwhile this one compiles what the first request would wait for.
  if (!overrides.isWarm) await warmUp(guard)
  const [models, countTokens] = await Promise.all([opening, openTokenCounter()])
  const { embedder, reranker, spanReader } = models
  const tagger = taggerOver(spanReader, logger)
  const languageModel = openLanguageModel(config)
  const whileClaimed = claimedWork({ claims: storage, log: logger, holder: randomUUID() })
  const anew = reEmbedding({ storage, embedder, log: logger, clock, whileClaimed })
  const indexes = openUserIndexes({
    feed: {
      changes(scope, since, limit) {
        anew.prefer(scope.userId)
        return storage.changes(scope, since, limit)
      },
    },
    dimensions: embedder.dimensions,
    modelId: embedder.modelId,
    memoryBudgetBytes: config.indexMemoryBytes,
  })
  const metrics = prometheusMetrics({
    modelQueue: () => embedder.queueLength() + reranker.queueLength(),
    index: () => indexes.stats(),
    outdatedVectors: () => anew.left(),
    eventStreams: () => live?.streams.count() ?? 0,
    storage: () => storage.stats(),
  })
  const hashing = bcryptThread()
  const limiter = await openRateLimiter(config, logger, metrics)
  const deps: Deps = {
    storage,
    indexes,
    embedder,
    tagger,
    guard,
    reranker,
    languageModel,
    countTokens,
    accesses: accessRecorder(storage, logger),
    keyVerifier: keyVerifier({
      storage,
      clock,
      log: logger,
      compare: hashing.compare,
      ...(overrides.bcryptCost === undefined ? {} : { cost: overrides.bcryptCost }),
    }),
    userLocks: keyedMutex(),
    keysInFlight: keysInFlight(),
    audit,
    meter: metrics,
    log: logger,
    clock,
    ids: idSource(clock),
    settings: {
      trust: config.trust,
      decay: config.decay,
      defaultTtlDays: config.defaultTtlDays,
      fusion: defaultFusion,
      ...(overrides.languageModelBudgetMs === undefined
        ? {}
        : { languageModelBudgetMs: overrides.languageModelBudgetMs }),
    },
  }
  const lifecycle = { isReady: true, isDraining: false }
  const version = packageVersion()
  // Where several instances share a store, what another of them does must be looked for.
  const isShared = config.databaseUrl !== undefined
  const opened = openLive(deps, metrics, {
    limits: config.eventStreams,
    allowPrivate: config.webhookAllowPrivate,
    isShared,
    version,
    ...(overrides.eventTickMs === undefined ? {} : { tickMs: overrides.eventTickMs }),
    ...(overrides.callWebhook === undefined ? {} : { call: overrides.callWebhook }),
  })
  live = opened
  const endpoints = listEndpoints(version)
  const operations = operationCatalogue()
  const mcp = openMcpDoor({ version, operations, log: logger, maxMessageBytes: maxBodyBytes })
  const http: HttpOptions = {
    deps,
    version,
    settings: config,
    limiter,
    holdFailures: overrides.holdFailures ?? true,
    metrics,
    logger,
    startedAt,
    health: () => healthOf(deps, { embedder, tagger, reranker, languageModel, anew }, limiter.backend()),
    lifecycle: { ready: () => lifecycle.isReady, draining: () => lifecycle.isDraining },
    mcp,
    validatorCompiler: overrides.validatorCompiler,
    live: {
      streams: opened.streams,
      webhooks: { allowPrivate: config.webhookAllowPrivate },
      wakeDelivery: opened.wakeDelivery,
    },
  }
  const app = await buildServer(http, endpoints)
  const schedule = cleanupSchedule(deps, config.cleanupIntervalMs, whileClaimed)
  await anew.start()
  const patienceMs = overrides.inboxPatienceMs ?? inboxPatienceMs
  const recovery = inboxRecovery(deps, isShared ? { shared: { patienceMs, whileClaimed } } : {})
  await recovery.start()
  opened.start()

  let closing: Promise<void> | undefined
  async function shutDown(graceMs: number): Promise<void> {
    lifecycle.isReady = false
    lifecycle.isDraining = true
    // Stores that wait for the language model go on by the local path at once.
    await Promise.all([schedule.close(), anew.close(), recovery.close(), opened.close(), languageModel?.close()])
    if (graceMs > 0) await new Promise((resolve) => setTimeout(resolve, graceMs))
    await app.close()
    await deps.keyVerifier.close()
    await hashing.close()
    await deps.accesses.close()
    await Promise.all([indexes.close(), limiter.close()])
    await storage.close()
    await audit.close()
    // Last: whatever a native module does as its thread ends, all that must last is on disk by now.
    await Promise.all([embedder.close(), reranker.close(), tagger.close()])
  }
  return {
    app,
    deps,
    live: opened,
    mcp: { door: mcp, performFor: performer(app, http) },
    async listen() {
      await app.listen({ host: config.host, port: config.port })
      const address = app.server.address()
      if (address === null || typeof address === 'string') throw new Error('listening without an address')
      return address
    },
    reopenAuditLog: () => audit.reopen(),
    close: (graceMs = 0) => {
      closing ??= shutDown(graceMs)
      return closing
    },
  }
}

async function openStorage(
  config: Config,
  dataDir: string,
  logger: Logger,
  startWorker?: StartWorker,
): Promise<Storage> {
  const log = (message: string) => logger.info(message)
  const { databaseUrl: url, databasePartitions: partitions, databasePool: poolSize, vacuumMaxBytes: maxBytes } = config
  if (url === undefined) return openSqliteStorage({ dataDir, log, vacuum: { maxBytes }, startWorker })
  // Only here: few starts need its modules.
  const { openPostgresStorage } = await import('./storage/postgres/postgres-storage.js')
  return openPostgresStorage({ url, partitions, log, ...(poolSize === undefined ? {} : { poolSize }) })
}

function packageVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  const parsed: unknown = JSON.parse(text)
  if (typeof parsed === 'object' && parsed !== null && 'version' in parsed) return String(parsed.version)
  throw new Error('package.json has no version')
}

/** How long requests that left their sender before the signal may take to arrive. */
const drainGraceMs = 250
/** How long requests in flight may take after a signal before the process leaves anyway. */
const drainTimeoutMs = 30_000

async function run(): Promise<void> {
  // Memories are nobody else's to read, also in a data directory that others made and may enter.
  process.umask(0o077)
  const { config, warnings } = readConfig()
  const logger = openLogger(config.logLevel)
  for (const warning of warnings) logger.warn(warning)
  const service = await compose(config, { logger })
  const stop = (signal: string): void => {
    logger.info({ signal }, 'stopping: requests in flight are answered first')
    setTimeout(() => {
      logger.error('requests in flight took too long; leaving')
      process.exit(1)
    }, drainTimeoutMs).unref()
    service.close(drainGraceMs).then(
      () => process.exit(0),
      (error) => {
        logger.error({ err: error }, 'stopping failed')
        process.exit(1)
      },
    )
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
  if (config.auditLog !== undefined) process.on('SIGHUP', () => void reopen(service, logger))
  const address = await service.listen()
  process.stdout.write(banner(config, address, packageVersion()))
}

/** What logrotate sends after it has renamed the audit log. */
async function reopen(service: Service, logger: Logger): Promise<void> {
  try {
    await service.reopenAuditLog()
    logger.info('asked to reopen the audit log')
  } catch (error) {
    logger.error({ err: error }, 'the audit log could not be reopened; the old file is kept')
  }
}

export async function main(): Promise<void> {
  try {
    await run()
  } catch (error) {
    process.stderr.write(`keepsake: ${redact(lineFor(error))}\n`)
    process.exit(1)
  }
}

// The real path: a module's URL has no symbolic links, what was typed may have.
const [, typed = ''] = process.argv
if (existsSync(typed) && import.meta.url === pathToFileURL(realpathSync(typed)).href) await main()

/** One line for what the operator can mend, with the setting to change; the stack only for what is our fault. */
export function lineFor(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { message } = error
  if (error instanceof ConfigError || 'operatorMessage' in error) return message
  // The system's refusals (a port that is taken, a directory that is none) have a `syscall`.
  if (!('syscall' in error)) return error.stack ?? message
  if ('code' in error && error.code === 'EADDRINUSE')
    return `SERVICE_PORT: another process listens there (${message}); for example SERVICE_PORT=8788`
  if (error.syscall === 'mkdir')
    return `SERVICE_DATA_DIR: must be a directory that can be made or written (${message}); for example SERVICE_DATA_DIR=./data`
  return message
}
