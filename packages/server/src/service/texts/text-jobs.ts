/** The work of understanding a text that only computes: no I/O, no state. It runs in this thread or in those of `text-pool.ts`. */
import type { StatedFact } from '../../core/fact.js'
import type { StatementModel } from '../../facts/statements/model.js'
import { factsStatedIn, type Told } from '../../facts/statements/state.js'
import { type ReadText, tagged } from '../../facts/tagging/rule-tagger.js'
import { type Circumstances, type Divided, divide, type Steps } from '../../ingest/divide.js'
import type { SubmittedText } from '../../ingest/turns.js'
import type { Guard, Tagged, Verdict } from '../../models/models.js'

/** What goes into each kind of job, and what comes out. Threads exchange both, so they are plain data. */
export interface TextJobs {
  readonly inspect: { readonly input: readonly string[]; readonly output: readonly Verdict[] }
  readonly divide: { readonly input: ToDivide; readonly output: Divided }
  readonly tag: { readonly input: readonly ReadText[]; readonly output: readonly Tagged[] }
  readonly state: { readonly input: readonly Told[]; readonly output: readonly (readonly StatedFact[])[] }
}

interface ToDivide {
  readonly text: SubmittedText
  /** The time of the statement if the text gives none. */
  readonly now: number
  readonly steps: Steps | undefined
  readonly circumstances: Circumstances
}

export type TextJobKind = keyof TextJobs

export interface TextModels {
  readonly guard: Guard
  readonly statements: StatementModel
}

export type RunTextJob = <Kind extends TextJobKind>(
  kind: Kind,
  input: TextJobs[Kind]['input'],
) => TextJobs[Kind]['output']

export function textJobs({ guard, statements }: TextModels): RunTextJob {
  const jobs: { readonly [Kind in TextJobKind]: (input: TextJobs[Kind]['input']) => TextJobs[Kind]['output'] } = {
    inspect: (texts) => texts.map((text) => guard.inspect(text)),
    divide: ({ text, now, steps, circumstances }) => divide(text, now, steps, circumstances),
    tag: (texts) => texts.map(tagged),
    state: (told) => told.map((each) => factsStatedIn(statements, each)),
  }
  return (kind, input) => jobs[kind](input)
}
