/**
 * The judging model: a cross-encoder that reads an old memory and a new text together, in its own thread
 * (`judge-worker.ts`). The thread starts with the first pair.
 */
import { workerUrl } from '../../core/worker-url.js'
import type { Judge, Loadable } from '../models.js'
import { beginningOf } from '../runtime/beginning-of.js'
import { LazyThread } from '../runtime/lazy-thread.js'
import { checkModelSizes, type LocalModel, readLocalModel } from '../runtime/model-files.js'
import {
  changesAt,
  type Judgement,
  judgementWidth,
  type PairToJudge,
  readJudgement,
  type TextsToJudge,
  type TurnJudgement,
  type TurnToJudge,
  worthAt,
} from './judgement.js'

export interface LocalJudgeOptions {
  /** A directory with a `model.json` instead of `models/keepsake-judge`. */
  readonly directory?: string
  readonly maxWaitingPairs?: number
  /** The thread's program; tests replace it with one that crashes. */
  readonly script?: URL
}

/** A pair has 160 tokens, and few tokens are longer than a dozen characters. */
const maxCharacters = 2_000

/** Rejects with a one-line message that names the file if one is missing or truncated. */
export async function openLocalJudge(options: LocalJudgeOptions = {}): Promise<Judge> {
  const model = await readLocalModel('judge', 'keepsake-judge', options.directory)
  await checkModelSizes(model)
  return new LocalJudge(model, options)
}

class LocalJudge implements Judge {
  readonly modelId: string
  private readonly thread: LazyThread<readonly TextsToJudge[]>

  constructor(model: LocalModel, options: LocalJudgeOptions) {
    this.modelId = model.id
    this.thread = new LazyThread({
      purpose: 'judging',
      script: options.script ?? workerUrl(import.meta.url, './judge-worker.js'),
      model,
      maxWaiting: options.maxWaitingPairs ?? 2_000,
    })
  }

  get loading(): Loadable {
    return this.thread
  }

  async judge(pairs: readonly PairToJudge[]): Promise<Judgement[]> {
    if (pairs.length === 0) return []
    const asked = pairs.map(
      ({ old, fresh, follows }): TextsToJudge => ({
        // Not `beginningOf`, which removes white space: the words are located in the original.
        old: old.slice(0, maxCharacters),
        fresh: beginningOf(fresh, maxCharacters),
        mark: follows ? 'next' : 'later',
      }),
    )
    const values = await this.thread.ask(asked, asked.length)
    return asked.map(({ old }, index) => readJudgement(values, index * judgementWidth, old))
  }

  async weigh(turns: readonly TurnToJudge[]): Promise<TurnJudgement[]> {
    if (turns.length === 0) return []
    const asked = turns.map(
      ({ before, text, isAssistant }): TextsToJudge => ({
        old: beginningOf(before ?? '', maxCharacters),
        fresh: beginningOf(text, maxCharacters),
        mark: isAssistant ? 'reply' : 'turn',
      }),
    )
    const values = await this.thread.ask(asked, asked.length)
    return asked.map((_, index) => ({
      worth: values[index * judgementWidth + worthAt] ?? 1,
      changes: values[index * judgementWidth + changesAt] ?? 1,
    }))
  }

  close(): Promise<void> {
    return this.thread.close()
  }
}
