/** Texts as tokens, the way MiniLM reads them: `[CLS] text [SEP]`, and for a pair `[CLS] query [SEP] text [SEP]`. */
import { readFile } from 'node:fs/promises'
import { Tokenizer } from '@huggingface/tokenizers'
import type { TokenRow } from './encoder-session.js'

export interface WordPieces {
  text(text: string): readonly number[]
  /** The query is tokenized once for all its texts. */
  pairsOf(query: string): (text: string) => TokenRow
  /** Whether the vocabulary has this piece. */
  has(piece: string): boolean
}

/** Maximum share of a query in a pair: a text that is cut to nothing can't be judged. */
const queryShare = 0.75

export async function openWordPieces(path: string, maxTokens: number): Promise<WordPieces> {
  const file = JSON.parse(await readFile(path, 'utf8'))
  const tokenizer = new Tokenizer(file, {})
  const encode = (text: string) => tokenizer.encode(text).ids
  return {
    text: (text) => shortened(encode(text), maxTokens),
    pairsOf(query) {
      const first = shortened(encode(query), Math.floor(maxTokens * queryShare))
      return (text) => {
        // Without [CLS], because the query already has one.
        const second = shortened(encode(text).slice(1), maxTokens - first.length)
        return { tokens: [...first, ...second], secondSegment: first.length }
      }
    },
    has: (piece) => Object.hasOwn(file.model.vocab, piece),
  }
}

/** Keeps the separator at the end. */
function shortened(tokens: readonly number[], maxTokens: number): readonly number[] {
  const separator = tokens.at(-1)
  if (tokens.length <= maxTokens || separator === undefined) return tokens
  return [...tokens.slice(0, maxTokens - 1), separator]
}
