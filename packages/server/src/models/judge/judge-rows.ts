/** Two texts as the judging model reads them: `[CLS] old [SEP] next: new [SEP]`, as in `training/judge/train.py`. */
import { readFile } from 'node:fs/promises'
import { Tokenizer } from '@huggingface/tokenizers'
import type { TokenRow } from '../runtime/encoder-session.js'
import { type TextsToJudge, wordRanges } from './judgement.js'

export interface JudgeRow extends TokenRow {
  /** Index of the first token of each word of the old text, then the end of the last one. */
  readonly wordStarts: readonly number[]
}

/** Maximum share of the old text, unless the new one is short. */
const oldShare = 0.6

export async function openJudgeRows(path: string, maxTokens: number): Promise<(pair: TextsToJudge) => JudgeRow> {
  const tokenizer = new Tokenizer(JSON.parse(await readFile(path, 'utf8')), {})
  return (pair) => {
    const [first = 0, ...rest] = tokenizer.encode(`${pair.mark}: ${pair.fresh}`).ids
    const roomForOld = Math.max(maxTokens - rest.length, Math.floor(maxTokens * oldShare))
    const tokens: number[] = [first]
    const wordStarts: number[] = []
    for (const { start, end } of wordRanges(pair.old)) {
      // Words are tokenized one by one, as the tokenizer does it with a whole text.
      const pieces = tokenizer.encode(pair.old.slice(start, end)).ids.slice(1, -1)
      if (tokens.length + pieces.length >= roomForOld) break
      wordStarts.push(tokens.length)
      tokens.push(...pieces)
    }
    wordStarts.push(tokens.length)
    const separator = rest.at(-1) ?? first
    tokens.push(separator)
    const secondSegment = tokens.length
    const fresh = rest.slice(0, Math.max(1, maxTokens - secondSegment))
    tokens.push(...fresh.slice(0, -1), separator)
    return { tokens, secondSegment, wordStarts }
  }
}
