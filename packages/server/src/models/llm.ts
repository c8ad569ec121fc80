/** What is asked of a language model: an operator's choice, and never needed. */
export interface LanguageModel {
  readonly modelId: string
  /**
   * The JSON value that it answers with: a stranger's, not checked against the schema yet.
   * @throws LanguageModelFailure where there is none within the budget, waiting and trying again included.
   */
  complete(question: Question, budgetMs: number): Promise<unknown>
  /** Questions waiting or running now. */
  queueLength(): number
  /** Gives up what is under way, so that nothing waits for it any more. */
  close(): Promise<void>
}

export interface Question {
  /** A short name of the schema, for example `memories`. */
  readonly name: string
  /** Ours alone: nothing that a caller sent is ever part of it. */
  readonly instructions: string
  /** What callers sent, as JSON: text in it is data and can't end it. */
  readonly data: string
  /** JSON schema of the answer. */
  readonly schema: object
}

/** Its message holds no content, no key and no address. */
export class LanguageModelFailure extends Error {
  override readonly name = 'LanguageModelFailure'
}
