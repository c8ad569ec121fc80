/**
 * A text in the form that the tagging model reads: words with their positions, word pieces, and the shape of each
 * word's letters, because the pieces are lower case. `training/tagger/dataset.py` does the same for training;
 * `tag-words.test.ts` checks that both agree.
 */
export interface TagRow {
  readonly tokens: readonly number[]
  /** Per token the shape of its word and the kind of text, as one number. */
  readonly looks: readonly number[]
  /** Index of each word's first token. */
  readonly begins: readonly number[]
  readonly words: readonly Range[]
}

export interface Range {
  readonly start: number
  readonly end: number
}

/** Kinds of text in the training data; the sets of each kind have different labelling habits. */
export const textKinds = ['news', 'wire', 'post', 'web', 'wiki', 'facts', 'report', 'notes', 'any'] as const
export type TextKind = (typeof textKinds)[number]

const lookNames = [
  'none',
  'lower',
  'capital',
  'capitals',
  'letter',
  'mixed',
  'number',
  'with number',
  'sign',
  'other',
  'shout',
  'headline',
] as const
type Look = (typeof lookNames)[number]
export const lookCount = lookNames.length

const signPattern = /^[!-/:-@[-`{-~\p{P}]$/u
/**
 * Contents of classes. Han, Hiragana and signs: each is a word, because in Japanese a name and its particle stand together. Some limits
 * are written as codes, because these letters change when a file is normalized.
 */
const single = String.raw`!-\/:-@\[-\x60\{-~\p{P}\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\u{20000}-\u{2FA1F}々-〇ぁ-ゖ\u309B-ゟ`
const katakana = 'ァ-ヺー-ヿㇰ-ㇿｦ-ﾟ'
/** A vowel that is written before its consonant begins a word. */
const thaiStart = String.raw`\u0E40-\u0E44`
const thaiRest = String.raw`\u0E00-\u0E3F\u0E45-\u0E4E\u0E50-\u0E59\u0E5C-\u0E7F`
/** Apart from Latin letters: in Korean a particle is written with the name before it. */
const hangul = String.raw`\u1100-\u11FF\u3130-\u318F\uAC00-\uD7AF`
/** Marks that NFD splits from their kana. */
const voiced = String.raw`\u3099\u309A`
const wordPattern = new RegExp(
  [
    String.raw`(?:https?:\/\/|www\.)\S+`,
    `[${single}][${voiced}]*`,
    `[${katakana}][${katakana}${voiced}]*`,
    `[${thaiStart}]+[${thaiRest}${voiced}]*|[${thaiRest}][${thaiRest}${voiced}]*`,
    `[${hangul}][${hangul}${voiced}]*`,
    String.raw`[^\s${single}${katakana}${thaiStart}${thaiRest}${hangul}]+`,
  ].join('|'),
  'gu',
)
const addressPattern = /^(?:https?:\/\/|www\.)\S+$/u
const longestWord = 100

export function wordsOf(text: string): Range[] {
  return [...text.matchAll(wordPattern)].map(({ index, 0: word }) => ({ start: index, end: index + word.length }))
}

export function looksOf(words: readonly string[]): Look[] {
  const looks = words.map(lookOf)
  const count = (look: Look) => looks.filter((other) => other === look).length
  const capitals = count('capitals')
  const cased = count('lower') + count('capital') + count('mixed') + capitals
  if (cased >= 3 && capitals >= 0.7 * cased) return looks.map((look) => (look === 'capitals' ? 'shout' : look))
  const long = looks.filter(
    (look, at) => [...(words[at] ?? '')].length > 3 && (look === 'lower' || look === 'capital' || look === 'mixed'),
  )
  if (long.length >= 4 && long.filter((look) => look === 'capital').length >= 0.8 * long.length)
    return looks.map((look) => (look === 'capital' ? 'headline' : look))
  return looks
}

function lookOf(word: string): Look {
  if (signPattern.test(word)) return 'sign'
  if (addressPattern.test(word)) return 'other'
  const letters = word.match(/\p{L}/gu) ?? []
  if (/\p{Nd}/u.test(word)) return letters.length > 0 ? 'with number' : 'number'
  if (letters.every((letter) => letter.toLowerCase() === letter.toUpperCase())) return 'other'
  const isLower = (letter: string) => letter === letter.toLowerCase()
  if (letters.every(isLower)) return 'lower'
  if (letters.every((letter) => letter === letter.toUpperCase())) return letters.length === 1 ? 'letter' : 'capitals'
  const [first = ''] = letters
  return !isLower(first) && letters.slice(1).every(isLower) ? 'capital' : 'mixed'
}

/**
 * Cuts words into the longest pieces of the vocabulary first, and caches the result. With `accents` it keeps them: the
 * vocabulary of all languages has letters with accents, the English one has not.
 */
export class WordCutter {
  private readonly known = new Map<string, readonly number[]>()
  private readonly unknown: readonly number[]
  private readonly first: number
  private readonly last: number

  constructor(
    private readonly vocabulary: ReadonlyMap<string, number>,
    private readonly accents = false,
  ) {
    this.unknown = [this.idOf('[UNK]')]
    this.first = this.idOf('[CLS]')
    this.last = this.idOf('[SEP]')
  }

  /** Words that do not fit into `maxTokens` are left out as a whole. */
  row(text: string, kind: TextKind, maxTokens: number): TagRow {
    const ranges = wordsOf(text)
    const looks = looksOf(ranges.map(({ start, end }) => text.slice(start, end)))
    const base = textKinds.indexOf(kind) * lookCount
    const row = { tokens: [this.first], looks: [base], begins: [] as number[], words: [] as Range[] }
    for (const [at, range] of ranges.entries()) {
      const pieces = this.piecesOf(text.slice(range.start, range.end))
      if (row.tokens.length + pieces.length >= maxTokens) break
      row.begins.push(row.tokens.length)
      row.words.push(range)
      row.tokens.push(...pieces)
      const look = base + lookNames.indexOf(looks[at] ?? 'none')
      for (const _ of pieces) row.looks.push(look)
    }
    row.tokens.push(this.last)
    row.looks.push(base)
    return row
  }

  private piecesOf(word: string): readonly number[] {
    const known = this.known.get(word)
    if (known) return known
    const pieces = this.cut(word)
    if (this.known.size > 20_000) this.known.clear()
    this.known.set(word, pieces)
    return pieces
  }

  private cut(word: string): readonly number[] {
    // A URL or address contains no name.
    if (addressPattern.test(word)) return [this.idOf('http')]
    const plain = this.accents
      ? word.normalize('NFC').toLowerCase()
      : word
          .toLowerCase()
          .normalize('NFD')
          .replace(/\p{Mn}/gu, '')
    const letters = [...plain]
    if (letters.length === 0 || letters.length > longestWord) return this.unknown
    const pieces: number[] = []
    for (let start = 0; start < letters.length; ) {
      let end = letters.length
      let piece: number | undefined
      for (; end > start; end -= 1) {
        piece = this.vocabulary.get((start > 0 ? '##' : '') + letters.slice(start, end).join(''))
        if (piece !== undefined) break
      }
      if (piece === undefined) return this.unknown
      pieces.push(piece)
      start = end
    }
    return pieces
  }

  private idOf(token: string): number {
    const id = this.vocabulary.get(token)
    if (id === undefined) throw new Error(`the vocabulary has no ${token}`)
    return id
  }
}

/** A cutter with the vocabulary and the letters of a `tokenizer.json`. */
export function wordCutter(tokenizer: unknown): WordCutter {
  const { normalizer } = (tokenizer ?? {}) as { readonly normalizer?: unknown }
  return new WordCutter(vocabularyOf(tokenizer), JSON.stringify(normalizer ?? null).includes('"NFC"'))
}

/** The vocabulary in a `tokenizer.json`. */
function vocabularyOf(tokenizer: unknown): ReadonlyMap<string, number> {
  const model = (tokenizer as { readonly model?: { readonly vocab?: unknown } } | null)?.model
  if (typeof model?.vocab !== 'object' || model.vocab === null) throw new Error('the tokenizer has no vocabulary')
  return new Map(Object.entries(model.vocab as Record<string, number>))
}
