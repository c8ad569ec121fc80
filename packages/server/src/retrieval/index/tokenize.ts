/**
 * Splits text into the terms that keyword search compares, in the same way for memories and queries. Compatibility forms, case and
 * accents are folded, English inflection is stripped, and other scripts are cut to the beginning of a word, or to pairs or triples of characters
 * where there are no spaces. A text in another language with Latin letters gets the beginnings of its words as additional terms: whole words
 * still match a query that is too short to tell its language. The choices were made by measurement (docs/benchmarks/languages.md). It scans
 * character codes, because a regular expression with Unicode classes takes several times as long, and loading a user tokenizes all of
 * the user's text.
 */
import { foreignness, functionWordsOfOtherScripts } from '../../language/words/foreign-words.js'
import { scriptStem } from '../../language/words/script-stem.js'
import { indexStem, isPlain } from '../../language/words/stem.js'

const longestToken = 40

export function tokenize(text: string): string[] {
  const folded = fold(text)
  const tokens: string[] = []
  // Above 0 if the text is not English.
  let foreign = beyondAscii.test(text) ? accentsIn(text) : 0
  let index = 0
  while (index < folded.length) {
    const kind = kindAt(folded, index)
    if (kind === Kind.word) {
      index = readWord(folded, index, tokens)
      foreign += foreignness(tokens.at(-1) ?? '')
    } else if (kind === Kind.separator) index += widthAt(folded, index)
    else index = kind === Kind.triples ? readTriples(folded, index, tokens) : readPairs(folded, index, tokens)
  }
  if (foreign > 0) addForeignTerms(text, tokens)
  return tokens
}

/** Takes a token as `tokenize` returns it. */
export function isStopWord(token: string): boolean {
  return stopWords.has(token)
}

/* ------------------------------------------------------------------ other languages in Latin letters */

const accentedLetters = /[\u00c0-\u024f]/g
const vietnameseLetters = /[ơưƠƯ\u1ea0-\u1ef9]/
const beginningLength = 5
const longestSyllable = 7

function accentsIn(text: string): number {
  const composed = text.normalize('NFC')
  return (composed.match(accentedLetters)?.length ?? 0) + (vietnameseLetters.test(composed) ? 1 : 0)
}

/** Vietnamese words are short and have no endings, but most consist of two parts with a space between them. */
function addForeignTerms(text: string, tokens: string[]): void {
  const { length } = tokens
  const isVietnamese = vietnameseLetters.test(text.normalize('NFC'))
  for (let place = 0; place < length; place++) {
    const token = tokens[place] ?? ''
    if (isVietnamese) {
      const before = tokens[place - 1] ?? ''
      if (place > 0 && before.length <= longestSyllable && token.length <= longestSyllable)
        tokens.push(`${before}_${token}`)
    } else if (token.length > beginningLength && isPlain(token)) tokens.push(`${token.slice(0, beginningLength)}*`)
  }
}

/* ------------------------------------------------------------------ folding */

const beyondAscii = /[\u0080-\uffff]/
const accents = /[\u0300-\u036f]+/g
const letterLike = /[ßæœøłđðþıʼ‘’]/g
const plainForms: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
}

function fold(text: string): string {
  if (!beyondAscii.test(text)) return text.toLowerCase()
  // Removes only Latin, Greek and Cyrillic accents: in Hindi or Thai the marks are vowels. NFC recomposes what NFD took apart
  // (Hangul, kana).
  const bare = text.normalize('NFKC').toLowerCase().normalize('NFD').replace(accents, '').normalize('NFC')
  return bare.replace(letterLike, (letter) => plainForms[letter] ?? "'")
}

/* ------------------------------------------------------------------ characters */

const Kind = { separator: 0, word: 1, pairs: 2, han: 3, triples: 4 } as const

const wordPattern = /[\p{L}\p{N}\p{M}]/u
// Hangul has spaces, but particles are attached to the word. Pairs find the word without them.
const pairsPattern =
  /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u
const hanPattern = /\p{Script=Han}/u
const thaiPattern = /\p{Script=Thai}/u

function kindOf(character: string): number {
  if (!wordPattern.test(character)) return Kind.separator
  if (hanPattern.test(character)) return Kind.han
  if (thaiPattern.test(character)) return Kind.triples
  return pairsPattern.test(character) ? Kind.pairs : Kind.word
}

/** One more than the kind, by character; 0 until the character was met. Looking up all of them took 30 ms of every start. */
const kinds = new Uint8Array(0x10000)

/** Returns a separator past the end. */
function kindAt(text: string, index: number): number {
  const code = text.charCodeAt(index)
  if (code >= 0xd800 && code < 0xdc00) return kindOf(String.fromCodePoint(text.codePointAt(index) ?? 0))
  const known = kinds[code]
  if (known) return known - 1
  if (known === undefined) return Kind.separator
  const kind = kindOf(String.fromCharCode(code))
  kinds[code] = kind + 1
  return kind
}

function widthAt(text: string, index: number): number {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1
}

function isDigitAt(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  return code >= 48 && code <= 57
}

/* ------------------------------------------------------------------ words */

/** The part of a contraction after the apostrophe. "t" stays with its word ("don't" becomes "dont"), the others are dropped. */
const clitic = /^(?:s|t|m|d|re|ve|ll)$/
const longestClitic = 2

function readWord(text: string, start: number, tokens: string[]): number {
  let end = endOfWord(text, start)
  let token = text.slice(start, Math.min(end, start + longestToken))
  const next = text.charCodeAt(end)
  if (next === 46 || next === 44) {
    // "3.5" and "192.168.0.1" are one token, and "1,000" becomes "1000".
    while (isNumberJoin(text, end)) {
      const partStart = end + 1
      const join = text.charCodeAt(end) === 46 ? '.' : ''
      end = endOfWord(text, partStart)
      if (token.length < longestToken) token = `${token}${join}${text.slice(partStart, end)}`.slice(0, longestToken)
    }
  } else if (next === 39) {
    const cliticEnd = endOfWord(text, end + 1)
    const tail = cliticEnd - end - 1 > longestClitic ? '' : text.slice(end + 1, cliticEnd)
    if (clitic.test(tail)) {
      if (tail === 't') token += tail
      end = cliticEnd
    }
  } else if (next === 43 || next === 35) {
    const suffix = programmingSuffix(text, end)
    token += suffix
    end += suffix.length
  }
  tokens.push(scriptStem(indexStem(token)))
  return end
}

function endOfWord(text: string, start: number): number {
  let index = start
  while (kindAt(text, index) === Kind.word) index += widthAt(text, index)
  return index
}

function isNumberJoin(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  return (code === 46 || code === 44) && isDigitAt(text, index - 1) && isDigitAt(text, index + 1)
}

/** "c++", "c#", but "issue#5" is two words. */
function programmingSuffix(text: string, index: number): string {
  const suffix = text.startsWith('++', index) ? '++' : text.startsWith('#', index) ? '#' : ''
  return kindAt(text, index + suffix.length) === Kind.separator ? suffix : ''
}

/**
 * Reads overlapping pairs, and Chinese characters also one by one: most are words, and a short note and a question about it often share only
 * these. A single character is a token of its own.
 */
function readPairs(text: string, start: number, tokens: string[]): number {
  let previous = start
  let index = start
  for (let kind = kindAt(text, start); isInPairs(kind); kind = kindAt(text, index)) {
    const end = index + widthAt(text, index)
    if (index > start) tokens.push(text.slice(previous, end))
    if (kind === Kind.han || (index === start && !isInPairs(kindAt(text, end)))) tokens.push(text.slice(index, end))
    previous = index
    index = end
  }
  return index
}

function isInPairs(kind: number): boolean {
  return kind === Kind.pairs || kind === Kind.han
}

/** Reads overlapping triples: in Thai a vowel or tone is a character too, so that a pair is less than a syllable. */
function readTriples(text: string, start: number, tokens: string[]): number {
  let end = start
  while (kindAt(text, end) === Kind.triples) end += 1
  if (end - start < 3) tokens.push(text.slice(start, end))
  for (let index = start; index + 3 <= end; index++) tokens.push(text.slice(index, index + 3))
  return end
}

/* ------------------------------------------------------------------ stop words */

const englishStopWords = `a about above after again all also am an and any are arent as at be because been before being below between both
  but by can cant could couldnt did didnt do does doesnt doing dont down during each few for from further had hadnt
  has hasnt have havent having he her here hers herself him himself his how i if im in into is isnt it its itself
  just me more most my myself no nor not now of off on once only or other our ours ourselves out over own please same
  she should shouldnt so some such t than that the their theirs them themselves then there these they this those
  through to too under until up us very was wasnt we were werent what when where which while who whom whose why will
  with wont would wouldnt you your yours yourself yourselves`

const stopWords: ReadonlySet<string> = new Set([
  ...englishStopWords.split(/\s+/).map(indexStem),
  ...functionWordsOfOtherScripts.map((word) => scriptStem(fold(word))),
])
