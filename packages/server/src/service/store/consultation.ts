/** Asks the language model within one time budget per request. A request never fails because of the model. */
import { ServiceError } from '../../core/errors.js'
import { timed } from '../../core/meter.js'
import type { Trust } from '../../guard/memory-trust.js'
import { isDoubted } from '../../guard/sanitize.js'
import { type LanguageModel, LanguageModelFailure } from '../../models/llm/llm.js'
import type { Deps } from '../deps.js'

const defaultBudgetMs = 20_000

/** The model for one request, and how asking it went. */
export class Consultation {
  private endsAt: number | undefined
  private failed = false
  private partly = false

  private constructor(
    private readonly deps: Deps,
    private readonly model: LanguageModel,
  ) {}

  /** Null if there is no model, or if the guard flags or doubts the text: then no model is asked. */
  static open(deps: Deps, trust: Trust): Consultation | null {
    return deps.languageModel === undefined || isDoubted(trust) ? null : new Consultation(deps, deps.languageModel)
  }

  get hasFailed(): boolean {
    return this.failed
  }

  /** Null if it failed: the caller continues without it. */
  async ask<Answer>(
    stage: 'read' | 'advise',
    ask: (model: LanguageModel, budgetMs: number) => Promise<Answer>,
  ): Promise<Answer | null> {
    // The budget limits the wait for the model: it starts with the first question.
    this.endsAt ??= performance.now() + (this.deps.settings.languageModelBudgetMs ?? defaultBudgetMs)
    const leftMs = this.endsAt - performance.now()
    try {
      return await timed(this.deps.meter, `llm_${stage}`, () => ask(this.model, leftMs))
    } catch (error) {
      if (!(error instanceof LanguageModelFailure || error instanceof ServiceError)) throw error
      this.deps.log.warn({ err: error, stage }, 'the language model failed: continuing without it')
      this.failed = true
      return null
    }
  }

  /** Logs counts only: its answer is content. */
  doneWithout(figures: object, reason: string): void {
    this.deps.log.warn(figures, `continuing without part of the language model's answer: ${reason}`)
    this.partly = true
  }

  /** The entry of `degraded` in the response; counted once per request. */
  conclude(): readonly string[] {
    if (!this.failed && !this.partly) return []
    this.deps.meter.degraded('llm')
    return ['llm']
  }
}
