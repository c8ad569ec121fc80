/** A fact that a memory states: who, what about, and the words that say it. It holds since its memory was created. */

export const topics = [
  'identity',
  'people',
  'home',
  'work',
  'health',
  'preferences',
  'possessions',
  'plans',
  'projects',
  'other',
] as const
export type Topic = (typeof topics)[number]

export interface StatedFact {
  /** Characters from `start` up to, but not including, `stop`, as UTF-16 offsets in the content. */
  readonly start: number
  readonly stop: number
  /** The words in that range. */
  readonly value: string
  /** Name of the person it is about; null: the user. */
  readonly subject: string | null
  /** The slot that the words fill ("diet", "works_at"), otherwise the topic. */
  readonly about: string
  readonly topic: Topic
  /** 0 to 1: how sure it is a lasting fact. */
  readonly confidence: number
}
