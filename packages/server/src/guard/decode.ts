/**
 * Finds text hidden in base64, hex, binary, character codes, escapes, HTML entities, shifted or reversed letters. Decoded
 * text is used only if it reads more like language than its source: ids, hashes and pictures decode to noise, and
 * unfiltered decoding would find something everywhere. All of it takes linear time.
 */
import { pattern } from '../core/pattern.js'
import { dividedRuns } from './divided-runs.js'
import { pairColumns, plainPairs, reversedPairs, shiftedPairs, surpriseOf } from './letter-pairs.js'
import type { View } from './view.js'

export interface Decoded {
  /** Half-open range of the encoded text. */
  readonly start: number
  readonly end: number
  readonly text: string
}

const longestRun = 16_384
const mostRuns = 64
/** Maximum nesting of encodings: base64 inside base64. */
const deepest = 2

// Each pattern starts at its first character and has no two parts that match the same characters, so matching is
// linear.
const base64Run = /[A-Za-z0-9+/_-]{16,}(?:\r?\n[A-Za-z0-9+/_-]{4,})*={0,2}/g
const hexRun = /(?<![0-9a-z])(?:(?:0x|\\x)?[0-9a-f]{2}[ :.,-]{0,2}){10,}/gi
const binaryRun = /(?:[01]{8}[ ,]{0,2}){6,}/g
const codeRun = /(?:\d{2,3}[ ,]{1,2}){9,}\d{2,3}/g

/** Payloads in the original text. */
export function decodedRuns(text: string, depth = 0): Decoded[] {
  return [
    ...runs(text.matchAll(base64Run), base64Texts, depth),
    ...runs(dividedRuns(text), base64Texts, depth),
    ...runs(text.matchAll(hexRun), hexTexts, depth),
    ...runs(text.matchAll(binaryRun), (run) => [utf8(bytesOf(run.match(/[01]{8}/g), 2))], depth),
    ...runs(text.matchAll(codeRun), (run) => [utf8(bytesOf(run.match(/\d+/g), 10))], depth),
    ...unescaped(text),
  ]
}

interface Run {
  readonly 0: string
  readonly index: number
  /** In the text, if it is not that of the characters. */
  readonly span?: number
}

function runs(found: Iterable<Run>, read: (run: string) => (string | null)[], depth: number): Decoded[] {
  const texts: Decoded[] = []
  let seen = 0
  for (const match of found) {
    seen += 1
    if (seen > mostRuns) break
    const span = { start: match.index, end: match.index + (match.span ?? match[0].length) }
    const source = match[0].slice(0, longestRun)
    for (const decoded of read(source)) {
      if (decoded === null) continue
      if (readsBetter(decoded, source)) texts.push({ ...span, text: decoded })
      else if (depth + 1 < deepest) {
        for (const inner of decodedRuns(decoded, depth + 1)) texts.push({ ...span, text: inner.text })
      }
    }
  }
  return texts
}

/** The decoded text as it is, ROT13-decoded and reversed. */
function base64Texts(run: string): (string | null)[] {
  const compact = run.replace(/\s+/g, '')
  // A run without digits or mixed case is a word or a path, not base64.
  if (!(/[a-z]/.test(compact) && /[A-Z0-9]/.test(compact))) return []
  const plain = utf8(Buffer.from(compact, 'base64'))
  if (plain !== null) return [plain]
  const turned = [rot13(compact), reversed(compact)].map((text) => utf8(Buffer.from(text, 'base64')))
  if (turned.some((text) => text !== null)) return turned
  // The last part of a URL or a path.
  const parts = compact.split(/[/+_-]/).filter((part) => part.length >= 16)
  return parts.length > 0 && parts.length < 8 ? parts.map((part) => utf8(Buffer.from(part, 'base64'))) : []
}

/** A word such as "be" may precede the run. */
function hexTexts(run: string): (string | null)[] {
  const read = (text: string) => utf8(Buffer.from(text.replace(/0x|[^0-9a-f]/gi, ''), 'hex'))
  return [read(run) ?? read(run.slice(run.indexOf(' ') + 1))]
}

function bytesOf(numbers: RegExpMatchArray | null, radix: number): Buffer {
  return Buffer.from((numbers ?? []).map((digits) => Math.min(255, Number.parseInt(digits, radix))))
}

/** Null unless the bytes are text without control characters. */
function utf8(bytes: Buffer): string | null {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
  const odd = text.match(/[^\p{L}\p{M}\p{N}\p{P}\p{Zs}\p{S}\n\r\t]/gu)?.length ?? 0
  return text.length >= 6 && odd <= text.length * 0.02 ? text : null
}

/** Letter pairs are known for Latin letters only; in other alphabets, the share of letters and spaces decides. */
function readsBetter(decoded: string, source: string): boolean {
  const letters = decoded.match(/[\p{L}\s]/gu)?.length ?? 0
  if (letters < decoded.length * 0.6 || (decoded.match(/\p{L}{2,}/gu)?.length ?? 0) < 2) return false
  const wide = decoded.match(/\P{ASCII}/gu)?.length ?? 0
  return wide > letters / 2 || surpriseOf(decoded.toLowerCase()) < surpriseOf(source.toLowerCase())
}

const entities: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  colon: ':',
  sol: '/',
  period: '.',
  comma: ',',
  excl: '!',
  NewLine: '\n',
  Tab: '\t',
  lbrack: '[',
  rbrack: ']',
  vert: '|',
  num: '#',
}
const escapes =
  /%([0-9a-f]{2})|\\x([0-9a-f]{2})|\\u\{?([0-9a-f]{4,5})\}?|&#(\d{1,6});?|&#x([0-9a-f]{1,5});?|&([a-z]{2,8});/gi
const fewestEscapes = 3
/** Bits per letter; English has 3.5, German 4.2. */
const languageSurprise = 4.6

/** The whole text with its escapes decoded, if it has any. */
function unescaped(text: string): Decoded[] {
  let count = 0
  let start = -1
  let end = 0
  const undone = text.replace(escapes, (match: string, ...groups: unknown[]) => {
    // The pattern has six groups; the offset of the match follows them.
    const [percent, byte, unit, decimal, hex, name] = groups as (string | undefined)[]
    const offset = groups[6] as number
    const code = decimal === undefined ? Number.parseInt(percent ?? byte ?? unit ?? hex ?? '', 16) : Number(decimal)
    const character =
      name === undefined ? (code >= 9 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined) : entities[name]
    if (character === undefined) return match
    count += 1
    if (start < 0) start = offset
    end = offset + match.length
    return character
  })
  if (count < fewestEscapes) return []
  // Form encoding writes spaces as plus signs.
  const spaced = /\s/.test(text) ? undone : undone.replace(/\+/g, ' ')
  // The words between the escapes may read well already; then the decoded text only has to be language.
  const most = Math.max(surpriseOf(text.toLowerCase()), languageSurprise)
  return surpriseOf(spaced.toLowerCase()) <= most ? [{ start, end, text: spaced }] : []
}

const shifted = (text: string, places: number) =>
  text.replace(/[a-z]/gi, (letter) => {
    const first = letter < 'a' ? 65 : 97
    return String.fromCharCode(((letter.charCodeAt(0) - first + places) % 26) + first)
  })
const rot13 = (text: string) => shifted(text, 13)
const reversed = (text: string) => [...text].reverse().join('')

/** Number of bits by which a disguise must explain a passage better than the plain reading. */
const rot13Gain = 24
const reversedGain = 14
/** One of 24 shifts may fit by chance. */
const caesarGain = 30
/** Bits per letter from which a word does not read like language. */
const unreadable = 4.6
/** Bits by which a passage must exceed that before its letters are shifted by each number of places. */
const leastUnreadable = 8

/** Passages of a view that read like language only after a shift of their letters (ROT13, Caesar) or from right to left. */
export function disguised({ text }: View): Decoded[] {
  const found: Decoded[] = []
  const { turned, worst, backwards } = bestPassages(text)
  if (turned.gain >= rot13Gain) {
    const passage = wholeOr(text, turned)
    found.push({ ...passage, text: rot13(text.slice(passage.start, passage.end)) })
  }
  if (worst.gain >= leastUnreadable) found.push(...caesar(text, wholeOr(text, worst)))
  if (backwards.gain >= reversedGain) {
    const passage = wholeOr(text, backwards)
    const written = text.slice(passage.start, passage.end)
    found.push({ ...passage, text: reversed(written) }, { ...passage, text: written.replace(/[a-z]+/g, reversed) })
  }
  return found
}

/** The passage with its letters shifted by the number of places that makes it read best. Counts its pairs of letters once for all shifts. */
function caesar(text: string, passage: { readonly start: number; readonly end: number }): Decoded[] {
  const words = text.slice(passage.start, passage.end)
  const counts = new Uint32Array(plainPairs.length)
  eachWord(words, (letters) => {
    eachPair(letters, (pair) => {
      counts[pair] = (counts[pair] ?? 0) + 1
    })
  })
  const bits = (surprise: Uint8Array) =>
    counts.reduce((sum, count, pair) => (count === 0 ? sum : sum + count * (surprise[pair] ?? 0)), 0) / 2
  const plain = bits(plainPairs)
  let best = { places: 0, gain: 0 }
  for (let places = 1; places < 26; places += 1) {
    if (places === 13) continue
    const gain = plain - bits(shiftedPairs[places] ?? plainPairs)
    if (gain > best.gain) best = { places, gain }
  }
  return best.gain < caesarGain ? [] : [{ ...passage, text: shifted(words, best.places) }]
}

/** If the passage is most of the text, include the words at its ends that read well either way. */
function wholeOr(text: string, { start, end }: { start: number; end: number }): { start: number; end: number } {
  return end - start > text.length / 2 ? { start: 0, end: text.length } : { start, end }
}

/** The run of words with the largest sum of gains (Kadane's algorithm). */
class BestPassage {
  start = 0
  end = 0
  gain = 0
  private from = 0
  private sum = 0

  add(gain: number, from: number, end: number): void {
    if (this.sum <= 0) {
      this.sum = 0
      this.from = from
    }
    this.sum += gain
    if (this.sum <= this.gain) return
    this.start = this.from
    this.end = end
    this.gain = this.sum
  }
}

/** The passages that gain most by ROT13, by being read backwards, and that read worst, in one pass. */
function bestPassages(text: string) {
  const [turned, worst, backwards] = [new BestPassage(), new BestPassage(), new BestPassage()]
  const rot13Pairs = shiftedPairs[13] ?? plainPairs
  eachWord(text, (letters, from, end) => {
    let plain = 0
    let byRot13 = 0
    let reverse = 0
    eachPair(letters, (pair) => {
      plain += plainPairs[pair] ?? 0
      byRot13 += rot13Pairs[pair] ?? 0
      reverse += reversedPairs[pair] ?? 0
    })
    turned.add((plain - byRot13) / 2, from, end)
    worst.add(plain / 2 - unreadable * (letters.length + 1), from, end)
    backwards.add((plain - reverse) / 2, from, end)
  })
  return { turned, worst, backwards }
}

/** Calls back with the first 32 letters of each word, 1 to 26, and its range. The array is reused. */
function eachWord(text: string, take: (letters: Uint8Array, start: number, end: number) => void): void {
  const letters = new Uint8Array(32)
  for (let at = 0; at < text.length; ) {
    const from = at
    let size = 0
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (code < 97 || code > 122) break
      if (size < letters.length) {
        letters[size] = code - 96
        size += 1
      }
    }
    if (size === 0) {
      at += 1
      continue
    }
    take(letters.subarray(0, size), from, at)
  }
}

/** Calls back with the number of each pair of neighbours, including the boundaries of the word. */
function eachPair(letters: Uint8Array, take: (pair: number) => void): void {
  let before = 0
  for (const letter of letters) {
    take(before * pairColumns + letter)
    before = letter
  }
  take(before * pairColumns)
}

/** Commands that nobody encodes for a human reader. */
const executable = new RegExp(
  pattern`
    \b(?:curl|wget) (?:-\w+ )*['"]?https?:|\brm -rf\b|\bpowershell\b|\bos\.(?:system|popen)\b|\bsubprocess\.
    |\beval\(|\bexec\(|<script\b|\/bin\/(?:ba)?sh\b|\bbash -[ci]\b|\bchmod \+x\b|\bnc -e\b|\bbase64 (?:-d
    |--decode)\b|\bdocument\.cookie\b|\bdrop table\b
  `,
  'i',
)

export function isExecutable(text: string): boolean {
  return executable.test(text)
}
