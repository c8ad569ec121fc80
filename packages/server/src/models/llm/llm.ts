/** The interface of a language model, which is optional: the operator enables it. */
export interface LanguageModel {
  readonly modelId: string
  /**
   * The JSON value of the answer: untrusted, and not yet checked against the schema.
   *
   * @throws LanguageModelFailure if there is none within the budget, which includes waiting and retries.
   */
  complete(question: Question, budgetMs: number): Promise<unknown>
  /** Number of questions that wait or run now. */
  queueLength(): number
  /** Aborts calls in flight, so that nothing waits for them. */
  close(): Promise<void>
}

export interface Question {
  /** A short name for the schema, for example `memories`. */
  readonly name: string
  /** Written by us: never contains anything that a caller sent. */
  readonly instructions: string
  /** Callers' input as JSON: text inside it is data and can't terminate it. */
  readonly data: string
  /** JSON schema of the answer. */
  readonly schema: object
}

/** The message contains no content, no key and no URL. */
export class LanguageModelFailure extends Error {
  override readonly name = 'LanguageModelFailure'
}
