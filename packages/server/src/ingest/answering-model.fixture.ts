import type { LanguageModel, Question } from '../models/llm.js'

/** Answers with this, and remembers what it was asked. */
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
