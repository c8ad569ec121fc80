/** How a new text relates to an old memory, as the judging model sees it, and its form between threads. */

/** In the order of the model's outputs. `refines`: says it again and more. */
export const relations = ['same', 'refines', 'replaces', 'ends', 'adds', 'unrelated'] as const
export type Relation = (typeof relations)[number]

export interface PairToJudge {
  readonly old: string
  readonly fresh: string
  /** The new text follows the old one in the same conversation, so it may lean on it ("no, the 14th"). */
  readonly follows: boolean
}

/** A message alone, with the one before it. */
export interface TurnToJudge {
  readonly before: string | null
  readonly text: string
  readonly isAssistant: boolean
}

/** What the model reads: two texts, and what it is asked about them. */
export interface TextsToJudge {
  readonly old: string
  readonly fresh: string
  readonly mark: 'later' | 'next' | 'turn' | 'reply'
}

export interface Judgement {
  /** Adds up to 1. */
  readonly chances: Readonly<Record<Relation, number>>
  /** The words of the old text, and the chance that each becomes outdated. */
  readonly words: readonly JudgedWord[]
}

/** What the model says about a message alone. */
export interface TurnJudgement {
  /** The chance that it says something worth keeping. */
  readonly worth: number
  /** The chance that it changes something that was said before. */
  readonly changes: number
}

export interface JudgedWord {
  readonly start: number
  readonly end: number
  readonly outdated: number
}

/** The model reads at most 160 tokens of a pair, so later words have no value. */
const mostWords = 120
export const worthAt = relations.length
export const changesAt = worthAt + 1
export const wordsAt = changesAt + 1
export const judgementWidth = wordsAt + mostWords

export function wordRanges(text: string): { readonly start: number; readonly end: number }[] {
  const ranges: { start: number; end: number }[] = []
  for (const match of text.matchAll(/\S+/gu)) {
    if (ranges.length === mostWords) break
    ranges.push({ start: match.index, end: match.index + match[0].length })
  }
  return ranges
}

export function readJudgement(values: Float32Array, offset: number, old: string): Judgement {
  const chances = Object.fromEntries(relations.map((relation, at) => [relation, values[offset + at] ?? 0]))
  return {
    chances: chances as Record<Relation, number>,
    words: wordRanges(old).map((range, at) => ({
      ...range,
      outdated: values[offset + wordsAt + at] ?? 0,
    })),
  }
}
