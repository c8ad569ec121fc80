/** Understands texts: short ones at once, long ones in the threads of a pool. */
import { type TextJobKind, type TextJobs, type TextModels, textJobs } from './text-jobs.js'
import type { TextPool } from './text-pool.js'

type Output<Kind extends TextJobKind> = Promise<TextJobs[Kind]['output']>

export interface TextWork {
  /** The model of `state`: facts of another one are read again. */
  readonly statementModelId: string
  /** The guard's verdict on each text. */
  inspect(texts: TextJobs['inspect']['input']): Output<'inspect'>
  divide(input: TextJobs['divide']['input']): Output<'divide'>
  /** Entities, relationships and slots of each text. */
  tag(texts: TextJobs['tag']['input']): Output<'tag'>
  /** The lasting facts in each content. */
  state(told: TextJobs['state']['input']): Output<'state'>
  /** The same, but short texts are read in other threads too: a batch has many of them. */
  readonly inThreads: Omit<TextWork, 'inThreads'>
}

/** A text of this length takes about ten milliseconds. Handing it over and starting a thread for it takes longer. */
const shortCharacters = 400

/** `pool` null: everything happens in this thread. */
export function textWork(models: TextModels, pool: Pick<TextPool, 'run'> | null): TextWork {
  const inline = textJobs(models)
  const work = (longestHere: number): Omit<TextWork, 'inThreads'> => {
    async function run<Kind extends TextJobKind>(kind: Kind, characters: number, input: TextJobs[Kind]['input']) {
      return pool === null || characters <= longestHere ? inline(kind, input) : pool.run(kind, input)
    }
    return {
      statementModelId: models.statements.modelId,
      inspect: (texts) =>
        run(
          'inspect',
          lengthOf(texts, (text) => text),
          texts,
        ),
      divide: (input) => run('divide', lengthOfSubmitted(input.text), input),
      tag: (texts) =>
        run(
          'tag',
          lengthOf(texts, ({ text }) => text),
          texts,
        ),
      state: (told) =>
        run(
          'state',
          lengthOf(told, ({ content }) => content),
          told,
        ),
    }
  }
  return { ...work(shortCharacters), inThreads: work(0) }
}

export function lengthOf<Item>(items: readonly Item[], textOf: (item: Item) => string): number {
  return items.reduce((sum, item) => sum + textOf(item).length, 0)
}

export function lengthOfSubmitted(text: TextJobs['divide']['input']['text']): number {
  return 'content' in text ? text.content.length : lengthOf(text.messages, ({ content }) => content)
}
