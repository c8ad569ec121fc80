/** Pauses a language model that keeps failing, so that stores do not each wait for it in vain. */
import { type LanguageModel, LanguageModelFailure } from './llm.js'

export interface WatchedLanguageModel extends LanguageModel {
  state(): 'ok' | 'failed at its last call' | 'left alone for a while after failing repeatedly'
}

const failuresBeforePause = 5
const pauseMs = 30_000

export function watchLanguageModel(model: LanguageModel, now = () => performance.now()): WatchedLanguageModel {
  let failures = 0
  let pausedUntil = Number.NEGATIVE_INFINITY
  return {
    modelId: model.modelId,
    queueLength: () => model.queueLength(),
    close: () => model.close(),
    async complete(question, budgetMs) {
      if (now() < pausedUntil) throw new LanguageModelFailure('The language model keeps failing and is paused')
      try {
        const answer = await model.complete(question, budgetMs)
        failures = 0
        return answer
      } catch (error) {
        failures += 1
        if (failures >= failuresBeforePause) pausedUntil = now() + pauseMs
        throw error
      }
    },
    state() {
      if (failures === 0) return 'ok'
      return now() < pausedUntil ? 'left alone for a while after failing repeatedly' : 'failed at its last call'
    },
  }
}
