/** Texts as tokens, the way MiniLM reads them: `[CLS] text [SEP]`, and for a pair `[CLS] query [SEP] text [SEP]`. */
import { readFile } from 'node:fs/promises'
import { Tokenizer } from '@huggingface/tokenizers'
import type { TokenRow } from './encoder-session.js'

export interface WordPieces {
  text(text: string): readonly number[]
  /** The query is tokenized once for all its texts. */
  pairsOf(query: string): (text: string) => TokenRow
}

/** A query of a pair takes at most this share: a text of which nothing is left can't be judged. */
const queryShare = 0.75

export async function openWordPieces(path: string, maxTokens: number): Promise<WordPieces> {
  const tokenizer = new Tokenizer(JSON.parse(await readFile(path, 'utf8')), {})
  const encode = (text: string) => tokenizer.encode(text).ids
  return {
    text: (text) => shortened(encode(text), maxTokens),
    pairsOf(query) {
      const first = shortened(encode(query), Math.floor(maxTokens * queryShare))
      return (text) => {
        // Without its [CLS]: the query has brought one.
        const second = shortened(encode(text).slice(1), maxTokens - first.length)
        return { tokens: [...first, ...second], secondSegment: first.length }
      }
    },
  }
}

/** The separator at the end stays. */
function shortened(tokens: readonly number[], maxTokens: number): readonly number[] {
  const separator = tokens.at(-1)
  if (tokens.length <= maxTokens || separator === undefined) return tokens
  return [...tokens.slice(0, maxTokens - 1), separator]
}

/**
 * The beginning of a very long text: models read a few hundred tokens, and tokenizing is work too. White space only separates
 * tokens; a page of it must not push the words out.
 */
export function beginningOf(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text
  const collapsed = text.replace(/\s+/gu, ' ').slice(0, maxCharacters)
  // Half of a surrogate pair would be another character.
  return /[\uD800-\uDBFF]$/.test(collapsed) ? collapsed.slice(0, -1) : collapsed
}
