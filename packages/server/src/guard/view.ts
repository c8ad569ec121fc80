/**
 * A text as a reader of instructions would see it: compatibility forms, accents, look-alike letters, invisible
 * characters, digits for letters and l e t t e r  s p a c i n g are undone, letters are lower case, and runs of white
 * space become one space or line break. Every character keeps its original position. Takes linear time.
 */
import { surpriseOf } from './letter-pairs.js'
import { latinFor } from './look-alikes.js'

export interface View {
  readonly text: string
  /** `at[i]`: index in the original of the character that gave `text[i]`; one more entry for the end. */
  readonly at: Uint32Array
  /** The text spelled by invisible characters; empty for nearly all texts. */
  readonly hidden: readonly HiddenText[]
}

interface HiddenText {
  readonly start: number
  readonly end: number
  readonly text: string
}

// Format characters, fillers and variation selectors, all of them invisible.
const invisible =
  /\p{Cf}|\u034f|[\u115f\u1160]|[\u17b4\u17b5]|[\u180b-\u180e]|\u2800|\u3164|[\ufe00-\ufe0f]|\uffa0|[\u{e0100}-\u{e01ef}]/u
const marks = /(?:[\u0300-\u036f]|[\u20d0-\u20ff])+/gu
const space = /^\s+$/u
const lineBreak = /[\n\r\u2028\u2029]/

export function viewOf(original: string): View {
  const folded = fold(original)
  const spaced = withoutLetterSpacing(folded)
  return { text: unmasked(spaced.text), at: spaced.at, hidden: folded.hidden }
}

interface Folded {
  readonly text: string
  readonly at: Uint32Array
}

/** Grows while it is written, because some characters expand to several. */
class Builder {
  private units = new Uint16Array(64)
  private places = new Uint32Array(64)
  private size = 0

  constructor(expected: number) {
    this.reserve(expected + 64)
  }

  get isEmpty(): boolean {
    return this.size === 0
  }

  add(code: number, place: number): void {
    if (this.size + 1 >= this.units.length) this.reserve(this.units.length * 2)
    this.units[this.size] = code
    this.places[this.size] = place
    this.size += 1
  }

  done(end: number): Folded {
    const text = Buffer.from(this.units.buffer, 0, this.size * 2).toString('utf16le')
    this.places[this.size] = end
    return { text, at: this.places.slice(0, this.size + 1) }
  }

  private reserve(size: number): void {
    const units = new Uint16Array(size)
    const places = new Uint32Array(size)
    units.set(this.units.subarray(0, this.size))
    places.set(this.places.subarray(0, this.size))
    this.units = units
    this.places = places
  }
}

function fold(original: string): Folded & { readonly hidden: readonly HiddenText[] } {
  const builder = new Builder(original.length)
  const hidden = new HiddenSpeller()
  const known = new Map<number, string>()
  // 0: none, 1: one space, 2: several, 3: a line break among them, 4: several.
  let gap = 0
  let gapAt = 0
  for (let index = 0; index < original.length; ) {
    const start = index
    let code = original.charCodeAt(index)
    index += 1
    let folded: string | null = null
    if (code >= 0x7f) {
      code = original.codePointAt(start) ?? code
      if (code > 0xffff) index += 1
      const character = original.slice(start, index)
      if (hidden.take(code, start, index)) continue
      folded = known.get(code) ?? null
      if (folded === null) {
        folded = invisible.test(character) ? '' : foldWide(character, code)
        known.set(code, folded)
      }
      if (folded === '') continue
    }
    if (folded === null ? code <= 32 : space.test(folded)) {
      if (gap === 0) gapAt = start
      const isBreak = code === 10 || code === 13 || (folded !== null && lineBreak.test(folded))
      gap = isBreak ? (gap >= 3 ? 4 : 3) : gap >= 3 ? gap : gap === 0 ? 1 : 2
      continue
    }
    if (gap > 0 && builder.isEmpty) gap = 0
    if (gap > 0) {
      // Two spaces or breaks stay two until spaced letters are joined, because they separate the words.
      const mark = gap >= 3 ? 10 : 32
      builder.add(mark, gapAt)
      if (gap === 2 || gap === 4) builder.add(mark, gapAt)
      gap = 0
    }
    if (folded === null) builder.add(code >= 65 && code <= 90 ? code + 32 : code, start)
    else for (let unit = 0; unit < folded.length; unit += 1) builder.add(folded.charCodeAt(unit), start)
  }
  return { ...builder.done(original.length), hidden: hidden.done() }
}

function foldWide(character: string, code: number): string {
  // Flag letters (regional indicators).
  if (code >= 0x1f1e6 && code <= 0x1f1ff) return String.fromCharCode(code - 0x1f1e6 + 97)
  const simple = character.normalize('NFKD').replace(marks, '').toLowerCase()
  return simple
    .replace(/[‘’‛′`´]/gu, "'")
    .replace(/[“”„‟″]/gu, '"')
    .replace(/[‐‑‒–—―−]/gu, '-')
}

/** Fewer hidden letters than this are accidental. */
const fewestHidden = 4

/**
 * Reads the text spelled by tag characters (invisible ASCII) over the whole text, whatever is between them, and by runs
 * of variation selectors (one byte each).
 */
class HiddenSpeller {
  private readonly found: HiddenText[] = []
  private readonly tags: number[] = []
  private tagsStart = 0
  private tagsEnd = 0
  private selectors: number[] = []
  private selectorsEnd = 0
  private flagEnd = -1

  /** True if the character belongs to hidden text. */
  take(code: number, start: number, end: number): boolean {
    if (code >= 0xe0020 && code <= 0xe007f) {
      // After a black flag, tag characters are part of an emoji.
      if (start === this.flagEnd) this.flagEnd = end
      else {
        if (this.tags.length === 0) this.tagsStart = start
        this.tags.push(code - 0xe0000)
        this.tagsEnd = end
      }
      return true
    }
    if (code === 0x1f3f4) this.flagEnd = end
    const byte =
      code >= 0xe0100 && code <= 0xe01ef ? code - 0xe00f0 : code >= 0xfe00 && code <= 0xfe0f ? code - 0xfe00 : null
    if (byte === null) return false
    if (start !== this.selectorsEnd) this.endSelectors()
    this.selectors.push(byte)
    this.selectorsEnd = end
    return true
  }

  done(): readonly HiddenText[] {
    this.endSelectors()
    this.keep(this.tags, this.tagsStart, this.tagsEnd)
    return this.found
  }

  private endSelectors(): void {
    const length = this.selectors.reduce((sum, byte) => sum + (byte < 16 ? 1 : 2), 0)
    this.keep(this.selectors, this.selectorsEnd - length, this.selectorsEnd)
    this.selectors = []
  }

  private keep(bytes: readonly number[], start: number, end: number): void {
    if (bytes.length < fewestHidden) return
    const text = Buffer.from(bytes).toString('utf8')
    if (/\p{L}{2}/u.test(text)) this.found.push({ start, end, text })
  }
}

const spacedLetters = /(?<![\p{L}\p{N}])[\p{L}\p{N}$@!](?:[ \n._*|/~\\-]{1,2}[\p{L}\p{N}$@!](?![\p{L}\p{N}])){4,}/gu
const separator = /(?<! ) (?! )|(?<!\n)\n(?!\n)|[._*|/~\\-]/g

/** `i g n o r e` and `i.g.n.o.r.e` become `ignore`; requires five single letters in a row. */
function withoutLetterSpacing({ text, at }: Folded): Folded {
  const drop = new Set<number>()
  const spaces = new Set<number>()
  for (const run of text.matchAll(spacedLetters)) {
    // A double space separated two words: it stays, and becomes one space below.
    for (const mark of run[0].matchAll(separator)) drop.add(run.index + mark.index)
    for (const mark of run[0].matchAll(/\n\n/g)) {
      spaces.add(run.index + mark.index)
      drop.add(run.index + mark.index + 1)
    }
  }
  if (drop.size === 0 && !/ {2}|\n\n/.test(text)) return { text, at }
  const builder = new Builder(text.length)
  let before = 0
  for (let index = 0; index < text.length; index += 1) {
    const code = spaces.has(index) ? 32 : text.charCodeAt(index)
    if (drop.has(index) || ((code === 32 || code === 10) && code === before)) continue
    before = code
    builder.add(code, at[index] ?? 0)
  }
  return builder.done(at[text.length] ?? 0)
}

const masks: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '2': 'z',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '6': 'g',
  '7': 't',
  '8': 'b',
  '9': 'g',
  $: 's',
  '€': 'e',
  '@': 'a',
  '!': 'i',
  '|': 'i',
  '+': 't',
}
const maskedWord = /[^\s"'()[\]{}<>,;:?#*=/\\.]+/gu
const anyMask = /[a-z][0-9$!@€|+]|[0-9$@€|+][a-z]|\P{ASCII}/u
/** Bits per letter: above this a text is not English. */
const languageSurprise = 4.6
/** Above this a word whose digits are read as letters is not a word. */
const mostSurprise = 5.3

/** Spells out words that mix scripts or hide letters behind digits; lengths don't change. */
function unmasked(text: string): string {
  if (!anyMask.test(text)) return text
  const wide = text.match(/\P{ASCII}/gu) ?? []
  // A letter that resembles no Latin one means that the text uses another alphabet, so its words are left alone.
  const isForeign =
    wide.some((letter) => latinFor(letter) === undefined && /\p{L}/u.test(letter)) ||
    (!/[a-z]/.test(text) &&
      surpriseOf(text.replace(/\P{ASCII}/gu, (letter) => latinFor(letter) ?? letter)) > languageSurprise)
  return text.replace(maskedWord, (word) => {
    if (!anyMask.test(word)) return word
    const isFake = /\P{ASCII}/u.test(word) && (!isForeign || /[a-z]/.test(word))
    return withoutMasks(isFake ? word.replace(/\P{ASCII}/gu, (letter) => latinFor(letter) ?? letter) : word)
  })
}

function withoutMasks(word: string): string {
  const letters = word.match(/[a-z]/g)?.length ?? 0
  if (
    word.length < 3 ||
    letters === 0 ||
    letters === word.length ||
    word.length > 40 ||
    /@[^@]*\.|\d{5}|^\|.*\|$/.test(word)
  )
    return word
  if (!/[0-9$€@|+]|!(?=\w)/.test(word)) return word
  const spell = (one: string) =>
    word.replace(/[0-9$€@|+]|!(?=\w)/g, (mask) =>
      mask === '1' || mask === '|' || mask === '!' ? one : (masks[mask] ?? mask),
    )
  const [withI, withL] = [spell('i'), spell('l')]
  const best = surpriseOf(withL) < surpriseOf(withI) ? withL : withI
  return surpriseOf(best) < mostSurprise ? best : word
}
