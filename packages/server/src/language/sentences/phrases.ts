/** The objects of a taste verb: "hiking, green tea and ⟦0⟧" are three. */
import { conceptName } from './concept-name.js'

export type Phrase =
  | { readonly kind: 'name'; readonly index: number }
  /** `name`: what the thing is called, or null for words that name nothing ("waiting at the vet"). */
  | { readonly kind: 'thing'; readonly text: string; readonly name: string | null }

const mostWords = 4
const mostPhrases = 6
const ends = new Set(
  `and or but because when while if since so that which who whom where in on at with for from by than as after before
during every very more most too especially although though until about over between under to is are was were will
would can could has have had do does did now today lately here there how what not these just really both it him her
them you he she they we i this those someone everyone anyone something anything everything nothing me us one ones much
well better best and/or like even also then once whenever without within into through again always never ever`.split(
    /\s+/u,
  ),
)
const leading = new Set(
  'the a an some any all my our his their its your to going lots plenty kinds types sorts'.split(' '),
)

/** "I love the idea of …" names no thing that is liked. */
const empty = new Set('idea way fact thought look feel sense sound part kind type lot bit vibe concept you'.split(' '))

/** `rest` starts right after the verb; `restore` returns the words behind a mark. */
export function phrasesIn(rest: string, restore: (index: number) => string): Phrase[] {
  const phrases: Phrase[] = []
  const clause = (/^[^.!?;:()\n"—]*/u.exec(rest)?.[0] ?? '').slice(0, 300)
  for (const part of clause.split(
    /,? and (?!⟦(?:\d+|s)⟧ (?!(?:at|in|on|for|as|too|because|with|every|when|a lot)\b)\p{Ll})|,? or |, /u,
  )) {
    if (phrases.length === mostPhrases) break
    const taken = takeWords(part.trim(), phrases.length > 0)
    if (taken.words.length === 0) break
    if (taken.words.at(-1) === 'of' || empty.has(bare(taken.words[0]))) break
    phrases.push(phraseOf(taken, restore))
    // Something followed the phrase, so the words after the next comma are another clause.
    if (taken.cut) break
  }
  return phrases
}

interface Taken {
  readonly words: readonly string[]
  /** Something follows the words. */
  readonly cut: boolean
  /** What follows belongs to the phrase. */
  readonly unfinished?: boolean
  readonly infinitive?: boolean
}

function takeWords(part: string, later: boolean): Taken {
  const tokens = part.split(' ').filter((word) => word !== '')
  const words: string[] = []
  let index = 0
  while (
    index < tokens.length &&
    (leading.has(bare(tokens[index])) || tokens[index] === "⟦s⟧'s" || (bare(tokens[index]) === 'of' && index > 0))
  )
    index += 1
  const infinitive = tokens[index - 1] === 'to'
  for (; index < tokens.length && words.length < mostWords; index += 1) {
    const word = tokens[index] ?? ''
    // "Listening to jazz" names jazz.
    if (word === 'to' && /^listen(?:ing)?$/u.test(words.at(-1) ?? '')) continue
    if (
      ends.has(bare(word)) ||
      word.startsWith('⟦s⟧') ||
      !/^(?:⟦\d+⟧(?:'s)?|[\p{L}\p{N}][\p{L}\p{N}\p{M}'&+#/-]*)$/u.test(word)
    )
      return { words, cut: true, infinitive }
    words.push(word)
  }
  const cut = index < tokens.length
  // A long later part is a separate clause ("…, Anna plays the piano well"), not one more thing.
  return later && cut
    ? { words: [], cut: true }
    : { words, cut, infinitive, unfinished: cut && !ends.has(bare(tokens[index])) }
}

function bare(word: string | undefined): string {
  return (word ?? '').toLowerCase()
}

function phraseOf(taken: Taken, restore: (index: number) => string): Phrase {
  const { words } = taken
  const only = words.length === 1 ? /^⟦(\d+)⟧$/u.exec(words[0] ?? '') : null
  if (only) return { kind: 'name', index: Number(only[1]) }
  const textOf = (all: readonly string[]) =>
    all
      .join(' ')
      .replace(/⟦(\d+)⟧/gu, (_, index: string) => restore(Number(index)))
      .toLowerCase()
      .replace(/'s$/u, '')
  const name = conceptName({ ...taken, words: words.map((word) => word.replace(/(?<!⟧)'s$/u, '')) })
  return { kind: 'thing', text: textOf(words), name: name && textOf(name) }
}
