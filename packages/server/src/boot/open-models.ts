/** Opens the configured models, and closes all of them if one cannot be opened. */
import type { Logger } from 'pino'
import type { Config } from '../config/config.js'
import { type HybridTagger, hybridTagger } from '../facts/tagging/hybrid-tagger.js'
import { openLocalEmbedder } from '../models/embedder/local-embedder.js'
import { openRemoteEmbedder } from '../models/embedder/remote-embedder.js'
import { watchEmbedder } from '../models/embedder/watched-embedder.js'
import { watchJudge } from '../models/judge/watched-judge.js'
import { openRemoteLanguageModel } from '../models/llm/remote-llm.js'
import { type WatchedLanguageModel, watchLanguageModel } from '../models/llm/watched-llm.js'
import type { Embedder, Judge, Reranker } from '../models/models.js'
import { watchReranker } from '../models/reranker/watched-reranker.js'
import type { SpanReader } from '../models/tagger/span-reader.js'
import type { TextWork } from '../service/texts/text-work.js'

export function openEmbedder(config: Config): Promise<Embedder> {
  return config.embedding === undefined ? openLocalEmbedder() : openRemoteEmbedder(config.embedding)
}

export function openLanguageModel({ languageModel }: Config): WatchedLanguageModel | undefined {
  return languageModel && watchLanguageModel(openRemoteLanguageModel(languageModel))
}

/** Finds their files; `load-models.ts` loads them. If one is missing, the others are closed first. */
export async function openModels(
  openEmbedder: () => Promise<Embedder>,
  openReranker: () => Promise<Reranker>,
  openSpanReader: () => Promise<SpanReader | null>,
  openJudge: () => Promise<Judge>,
) {
  const opened = await Promise.allSettled([openEmbedder(), openReranker(), openSpanReader(), openJudge()])
  const [embedder, reranker, spanReader, judge] = opened
  if (
    embedder.status === 'fulfilled' &&
    reranker.status === 'fulfilled' &&
    spanReader.status === 'fulfilled' &&
    judge.status === 'fulfilled'
  ) {
    return {
      embedder: watchEmbedder(embedder.value),
      reranker: watchReranker(reranker.value),
      spanReader: spanReader.value,
      judge: watchJudge(judge.value),
    }
  }
  const failures: unknown[] = []
  for (const model of opened) {
    if (model.status === 'fulfilled') await model.value?.close()
    else failures.push(model.reason)
  }
  throw failures[0]
}

export function taggerOver(reader: SpanReader | null, texts: Pick<TextWork, 'tag'>, log: Logger): HybridTagger {
  const applyRules = texts.tag
  if (reader === null) {
    const tag: HybridTagger['tag'] = async (items) => [...(await applyRules(items))]
    return { tag, lastCallFailed: () => false, close: async () => undefined }
  }
  return hybridTagger(reader, {
    applyRules,
    onFailure: (error) => log.warn({ err: error }, 'the tagging model failed; tagging by rules only'),
  })
}
