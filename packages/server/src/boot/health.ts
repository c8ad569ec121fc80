/** The state of the store and the models, for `/health`. */
import { supportedLanguages } from '../core/languages.js'
import type { HybridTagger } from '../facts/tagging/hybrid-tagger.js'
import type { WatchedEmbedder } from '../models/embedder/watched-embedder.js'
import type { WatchedJudge } from '../models/judge/watched-judge.js'
import type { WatchedLanguageModel } from '../models/llm/watched-llm.js'
import type { WatchedReranker } from '../models/reranker/watched-reranker.js'
import type { Deps } from '../service/deps.js'
import type { ReEmbedding } from '../service/upkeep/re-embed.js'
import { problems, reasonOf } from '../storage/sql/refusals.js'
import { localModels } from './local-models.js'

interface Watched {
  readonly embedder: WatchedEmbedder
  readonly tagger: HybridTagger
  readonly reranker: WatchedReranker
  readonly judge: WatchedJudge
  readonly languageModel: WatchedLanguageModel | undefined
  readonly reEmbed: ReEmbedding
}

export async function healthOf(deps: Deps, watched: Watched, rateLimitBackend: string) {
  const { languageModel } = watched
  let [storage, serves] = ['ok', true]
  try {
    await deps.storage.ping()
    const refusal = deps.storage.refusesWrites()
    if (refusal !== null) storage = `writes are refused: ${refusal}`
  } catch (error) {
    deps.log.warn({ err: error }, 'the store does not respond')
    storage = unreachable(error)
    serves = false
  }
  const local = localModels(watched)
  const canEmbed = watched.embedder.loading?.state() !== 'failed'
  return {
    languages: supportedLanguages(watched.embedder.loading !== undefined),
    healthy: storage === 'ok' && canEmbed,
    // Reads still work: taking an instance out of service because its disk is full would help nobody.
    serves: serves && canEmbed,
    checks: {
      storage,
      models: modelsCheck(watched),
      ...(local.length === 0 ? {} : { loaded_models: loadedOf(local) }),
      // Never makes the service unhealthy: everything works without it.
      ...(languageModel === undefined ? {} : { llm: languageModel.state() }),
      rate_limit_backend: rateLimitBackend,
    },
  }
}

/** Several hosts and no primary: the operator has to act, so the reason is shown. It names no host. */
function unreachable(error: unknown): string {
  const reason = error instanceof Error ? reasonOf(error) : undefined
  return reason === undefined || reason === problems.away ? 'unreachable' : `unreachable: ${reason}`
}

function loadedOf(models: ReturnType<typeof localModels>): string {
  const loaded = models.filter(([, model]) => model.state() === 'loaded').map(([name]) => name)
  return loaded.join(', ') || 'none'
}

function modelsCheck(watched: Watched): string {
  const { embedder, tagger, reranker, judge, reEmbed } = watched
  const failures = [
    ...localModels(watched)
      .filter(([, model]) => model.state() === 'failed')
      .map(([name]) => `the ${name} cannot be loaded, see the log`),
    ...(embedder.lastCallFailed() ? ['the last call of the embedder failed'] : []),
    ...(tagger.lastCallFailed() ? ['the last call of the tagger failed, tagging by rules only'] : []),
    ...(reranker.lastCallFailed() ? ['the last call of the reranker failed, recalls continue without it'] : []),
    ...(judge.lastCallFailed() ? ['the last call of the judge failed, changes are found by rules only'] : []),
  ]
  const state = failures.join('; ') || 'ok'
  return reEmbed.isRunning() ? `${state}; ${reEmbed.left()} versions of memories are being re-embedded` : state
}
