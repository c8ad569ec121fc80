/**
 * Connects everything that `open.ts` has opened: the search indexes, the services' dependencies, and the HTTP and MCP interfaces.
 */
import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/config.js'
import type { Actor } from '../core/actor.js'
import { idSource } from '../core/ids.js'
import type { Caller } from '../http/access/caller-scope.js'
import { type LazyValidators, lazyValidators } from '../http/body/lazy-validators.js'
import { listEndpoints } from '../http/endpoints.js'
import { openRateLimiter } from '../http/limits/open-rate-limiter.js'
import type { RateLimiter } from '../http/limits/rate-limit.js'
import { followMemories } from '../http/mcp/follow.js'
import type { Follower } from '../http/mcp/mcp-handler.js'
import { type Metrics, prometheusMetrics } from '../http/metrics/metrics.js'
import type { HttpOptions } from '../http/options.js'
import { type Performer, performer } from '../http/perform.js'
import { buildServer } from '../http/server.js'
import { openUserIndexes } from '../retrieval/index/user-index.js'
import type { UserIndexes, UserIndexOptions } from '../retrieval/index/user-indexes.js'
import { defaultFusion } from '../retrieval/rank/fuse.js'
import type { Deps } from '../service/deps.js'
import { keyedMutex } from '../service/keyed-mutex.js'
import { keyVerifier } from '../service/keys/key-verifier.js'
import { type OAuth, openOAuth } from '../service/oauth/oauth.js'
import { accessRecorder } from '../service/recall/access-recorder.js'
import { keysInFlight } from '../service/store/keys-in-flight.js'
import { textLanes } from '../service/texts/text-lanes.js'
import { claimedWork, type WhileClaimed } from '../service/upkeep/claimed-work.js'
import { type ReEmbedding, reEmbedding } from '../service/upkeep/re-embed.js'
import { noting, type Searched } from '../service/upkeep/warm-indexes.js'
import type { IndexFeed } from '../storage/ports/index-feed.js'
import { healthOf } from './health.js'
import { lazyMcp } from './lazy-mcp.js'
import type { Opened } from './open.js'
import { type Live, openLive } from './open-live.js'
import { openTraces, type Traces } from './open-traces.js'
import type { Overrides } from './overrides.js'
import { packageVersion } from './package-version.js'

export interface Wired {
  readonly app: FastifyInstance
  readonly deps: Deps
  readonly live: Live
  /** For MCP connections that are not HTTP. */
  readonly mcp: {
    readonly performFor: Performer
    follow(caller: Caller, actor: Actor): Promise<Follower>
  }
  readonly traces: Traces
  readonly validators: LazyValidators
  readonly limiter: RateLimiter
  readonly indexes: UserIndexes
  readonly searched: Searched
  readonly reEmbedding: ReEmbedding
  readonly whileClaimed: WhileClaimed
  /** Other instances may write to the same store. */
  readonly isShared: boolean
  readonly lifecycle: Lifecycle
}

/** `close.ts` changes it; requests and the readiness check look at it. */
interface Lifecycle {
  isReady: boolean
  isDraining: boolean
}

export async function wire(config: Config, overrides: Overrides, opened: Opened): Promise<Wired> {
  const { storage, embedder, clock, logger: log } = opened
  const version = packageVersion()
  const isShared = config.databaseUrl !== undefined
  const whileClaimed = claimedWork({ claims: storage, log, holder: randomUUID() })
  const reEmbed = reEmbedding({ storage, embedder, log, clock, whileClaimed })
  const searched: Searched = new Set()
  const indexes = noting(
    wireIndexes(config.indexMemoryBytes, opened, reEmbed, opened.storage, {
      segments: opened.storage.indexSegments,
      mostVersionsInMemory: config.indexUserMemories,
    }),
    searched,
  )
  // Its thread starts with the first search for items.
  const itemIndexes = wireIndexes(config.indexMemoryBytes / 4, opened, reEmbed, opened.storage.items)
  const metrics = wireMetrics(opened, indexes, reEmbed, () => live.streams.count())
  const limiter = await openRateLimiter(config, log, metrics, overrides.limitsNow)
  const traces = openTraces(config, version, log, metrics)
  const deps = wireDeps(config, overrides, opened, { indexes, itemIndexes }, metrics)
  const live = wireLive(config, overrides, deps, metrics, version)
  opened.announcements.listen(live)
  const lifecycle = { isReady: true, isDraining: false }
  const doors = await wireDoors(config, overrides, opened, {
    version,
    deps,
    metrics,
    limiter,
    live,
    lifecycle,
    reEmbed,
    traces,
  })
  return {
    ...doors,
    deps,
    live,
    traces,
    limiter,
    indexes,
    searched,
    reEmbedding: reEmbed,
    whileClaimed,
    isShared,
    lifecycle,
  }
}

function wireIndexes(
  memoryBudgetBytes: number,
  { embedder, logger: log }: Opened,
  reEmbed: ReEmbedding,
  feed: Pick<IndexFeed, 'changes'>,
  stored: Pick<UserIndexOptions, 'segments' | 'mostVersionsInMemory'> = {},
): UserIndexes {
  return openUserIndexes({
    feed: {
      changes(scope, since, limit, until) {
        reEmbed.prefer(scope.userId)
        return feed.changes(scope, since, limit, until)
      },
    },
    dimensions: embedder.dimensions,
    modelId: embedder.modelId,
    memoryBudgetBytes,
    ...stored,
    segmentFailed: (error) =>
      log.warn({ err: error }, 'a part of a search index is not stored; the next load takes longer'),
  })
}

function wireMetrics(
  { storage, embedder, reranker, judge }: Opened,
  indexes: UserIndexes,
  reEmbed: ReEmbedding,
  eventStreams: () => number,
): Metrics {
  return prometheusMetrics({
    modelQueue: () => embedder.queueLength() + reranker.queueLength() + judge.queueLength(),
    index: () => indexes.stats(),
    outdatedVectors: () => reEmbed.left(),
    eventStreams,
    storage: () => storage.stats(),
  })
}

function wireDeps(
  config: Config,
  { bcryptCost, languageModelBudgetMs }: Overrides,
  opened: Opened,
  { indexes, itemIndexes }: Pick<Deps, 'indexes' | 'itemIndexes'>,
  meter: Metrics,
): Deps {
  const { storage, clock, logger: log, hashing } = opened
  return {
    storage,
    indexes,
    itemIndexes,
    embedder: opened.embedder,
    tagger: opened.tagger,
    texts: opened.texts,
    textLanes: textLanes(Math.max(2, config.textThreads)),
    reranker: opened.reranker,
    judge: opened.judge,
    languageModel: opened.languageModel,
    countTokens: opened.countTokens,
    accesses: accessRecorder(storage, log),
    keyVerifier: keyVerifier({
      storage,
      clock,
      log,
      compare: hashing.compare,
      ...(bcryptCost === undefined ? {} : { cost: bcryptCost }),
    }),
    oauth: wireOAuth(config, opened),
    userLocks: keyedMutex(),
    keysInFlight: keysInFlight(),
    audit: opened.audit,
    meter,
    log,
    clock,
    ids: idSource(clock),
    settings: {
      trust: config.trust,
      secrets: config.secrets,
      decay: config.decay,
      defaultTtlDays: config.defaultTtlDays,
      fusion: defaultFusion,
      readFirst: config.readFirst,
      ...(languageModelBudgetMs === undefined ? {} : { languageModelBudgetMs }),
    },
  }
}

function wireOAuth(config: Config, { storage, clock, logger: log }: Opened): OAuth | undefined {
  if (config.oauthUrl === undefined) return undefined
  const version = packageVersion()
  return openOAuth({ issuer: config.oauthUrl, storage, clock, log, version, allowPrivate: config.webhookAllowPrivate })
}

function wireLive(
  config: Config,
  { eventTickMs, callWebhook }: Overrides,
  deps: Deps,
  metrics: Metrics,
  version: string,
): Live {
  return openLive(deps, metrics, {
    version,
    limits: config.eventStreams,
    allowPrivate: config.webhookAllowPrivate,
    ...(eventTickMs === undefined ? {} : { tickMs: eventTickMs }),
    ...(callWebhook === undefined ? {} : { call: callWebhook }),
  })
}

interface BehindTheDoors {
  readonly version: string
  readonly deps: Deps
  readonly metrics: Metrics
  readonly limiter: RateLimiter
  readonly live: Live
  readonly lifecycle: Lifecycle
  readonly reEmbed: ReEmbedding
  readonly traces: Traces
}

async function wireDoors(
  config: Config,
  { holdFailures = true, validatorCompiler }: Overrides,
  { logger, startedAt, embedder, tagger, reranker, judge, languageModel }: Opened,
  { version, deps, metrics, limiter, live, lifecycle, reEmbed, traces }: BehindTheDoors,
): Promise<Pick<Wired, 'app' | 'mcp' | 'validators'>> {
  const validators = lazyValidators()
  const endpoints = listEndpoints(version)
  const mcp = lazyMcp(version, logger)
  const options: HttpOptions = {
    deps,
    version,
    settings: config,
    limiter,
    holdFailures,
    metrics,
    tracer: traces.tracer,
    logger,
    startedAt,
    health: () => healthOf(deps, { embedder, tagger, reranker, judge, languageModel, reEmbed }, limiter.backend()),
    lifecycle: { ready: () => lifecycle.isReady, draining: () => lifecycle.isDraining },
    mcp,
    validatorCompiler: validatorCompiler ?? validators.compile,
    live: {
      streams: live.streams,
      webhooks: { allowPrivate: config.webhookAllowPrivate },
      wakeDelivery: () => live.wakeDelivery(),
    },
  }
  const app = await buildServer(options, endpoints)
  const follow = (caller: Caller, actor: Actor) => followMemories(options, caller, actor, undefined)
  return { app, validators, mcp: { performFor: performer(app, options), follow } }
}
