/** How services ask the language model: within one budget a request, and never failing because of it. */
import { ServiceError } from '../../core/errors.js'
import { timed } from '../../core/meter.js'
import { isDoubted, type Screened } from '../../ingest/sanitize.js'
import { type LanguageModel, LanguageModelFailure } from '../../models/llm.js'
import type { Deps } from '../deps.js'

const defaultBudgetMs = 20_000

/** The model for one request, and what became of asking it. */
export class Consultation {
  private endsAt: number | undefined
  private failed = false
  private partly = false

  private constructor(
    private readonly deps: Deps,
    private readonly model: LanguageModel,
  ) {}

  /** Null where there is no model, or the guard distrusts or doubts the text: then nobody is asked. */
  static open(deps: Deps, screened: Screened): Consultation | null {
    return deps.languageModel === undefined || isDoubted(screened) ? null : new Consultation(deps, deps.languageModel)
  }

  get hasFailed(): boolean {
    return this.failed
  }

  /** Null where it failed: the caller goes on without. */
  async ask<Answer>(
    stage: 'read' | 'advise',
    ask: (model: LanguageModel, budgetMs: number) => Promise<Answer>,
  ): Promise<Answer | null> {
    // What is waited for is the model: the time runs from the first question on.
    this.endsAt ??= performance.now() + (this.deps.settings.languageModelBudgetMs ?? defaultBudgetMs)
    const leftMs = this.endsAt - performance.now()
    try {
      return await timed(this.deps.meter, `llm_${stage}`, () => ask(this.model, leftMs))
    } catch (error) {
      if (!(error instanceof LanguageModelFailure || error instanceof ServiceError)) throw error
      this.deps.log.warn({ err: error, stage }, 'the language model failed: the local path goes on alone')
      this.failed = true
      return null
    }
  }

  /** Counts only: what it answered is content. */
  doneWithout(figures: object, reason: string): void {
    this.deps.log.warn(figures, `the local path goes on without some of the language model's answer: ${reason}`)
    this.partly = true
  }

  /** What the answer says of it; counted once a request. */
  conclude(): readonly string[] {
    if (!this.failed && !this.partly) return []
    this.deps.meter.degraded('llm')
    return ['llm']
  }
}
