import type { LanguageModel, Question } from '../../models/llm/llm.js'

/** Always gives this answer, and records its questions. */
export function answeringModel(answer: unknown): LanguageModel & { readonly asked: Question[] } {
  const asked: Question[] = []
  return {
    modelId: 'm',
    asked,
    async complete(question) {
      asked.push(question)
      return answer
    },
    queueLength: () => 0,
    close: async () => undefined,
  }
}
