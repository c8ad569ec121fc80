/** What `/health` says of the store and the models. */
import type { HybridTagger } from './models/hybrid-tagger.js'
import type { WatchedEmbedder } from './models/watched-embedder.js'
import type { WatchedLanguageModel } from './models/watched-llm.js'
import type { Deps } from './service/deps.js'
import type { ReEmbedding } from './service/re-embed.js'

interface Watched {
  readonly embedder: WatchedEmbedder
  readonly tagger: HybridTagger
  readonly languageModel: WatchedLanguageModel | undefined
  readonly anew: ReEmbedding
}

export async function healthOf(
  deps: Deps,
  { embedder, tagger, languageModel, anew }: Watched,
  rateLimitBackend: string,
) {
  let storage = 'ok'
  try {
    await deps.storage.ping()
  } catch (error) {
    deps.log.warn({ err: error }, 'the store does not answer')
    storage = 'unreachable'
  }
  return {
    healthy: storage === 'ok',
    checks: {
      storage,
      models: modelsCheck(embedder, tagger, anew),
      // Never a reason to be unhealthy: everything works without it.
      ...(languageModel === undefined ? {} : { llm: languageModel.state() }),
      rate_limit_backend: rateLimitBackend,
    },
  }
}

function modelsCheck(embedder: WatchedEmbedder, tagger: HybridTagger, anew: ReEmbedding): string {
  const failures = [
    ...(embedder.lastCallFailed() ? ['the embedder failed at its last call'] : []),
    ...(tagger.lastCallFailed() ? ['the tagger failed at its last call, rules alone tag'] : []),
  ]
  const state = failures.join('; ') || 'ok'
  return anew.isRunning() ? `${state}; ${anew.left()} versions of memories are being embedded anew` : state
}
