/** Cuts a text into consecutive pieces: sentences, list items and code, none longer than a limit. */
import { pattern } from '../../core/pattern.js'

export interface Piece {
  readonly start: number
  readonly end: number
  readonly kind: 'sentence' | 'item' | 'code'
  readonly blank: boolean
}

interface Span {
  start: number
  end: number
  kind: Piece['kind']
}

export function sentencesOf(text: string, longest: number): Piece[] {
  const spans = regions(text)
    .flatMap((region) => (region.kind === 'code' ? [region] : withoutIndented(text, region)))
    .flatMap((region) => (region.kind === 'code' ? [region] : repaired(text, region)))
  return attachBlanks(text, spans).flatMap((span) => cut(text, span, longest))
}

/** Separates fenced code from prose. */
function regions(text: string): Span[] {
  const found: Span[] = []
  let proseStart = 0
  let fence: { start: number; mark: string } | null = null
  for (const match of text.matchAll(/^[ \t]{0,12}(`{3,}|~{3,})[^\n]*(?:\n|$)/gm)) {
    const mark = match[1]?.[0] ?? ''
    if (fence === null) fence = { start: match.index, mark }
    else if (fence.mark === mark) {
      if (fence.start > proseStart) found.push({ start: proseStart, end: fence.start, kind: 'sentence' })
      proseStart = match.index + match[0].length
      found.push({ start: fence.start, end: proseStart, kind: 'code' })
      fence = null
    }
  }
  // A fence that never closes is prose.
  if (proseStart < text.length) found.push({ start: proseStart, end: text.length, kind: 'sentence' })
  return found
}

/** Two or more lines indented by four: code without a fence. A list may be indented too. */
const indented =
  /(?:(?<![^\n])(?: {4}|\t)(?![ \t]*(?:[-*+•‣–]|\d{1,3}[.)]|[a-z][.)])[ \t])[^\S\n]*\S[^\n]*(?:\n|$)){2,}/gu

function withoutIndented(text: string, region: Span): Span[] {
  const prose = text.slice(region.start, region.end)
  const found: Span[] = []
  let done = region.start
  for (const match of prose.matchAll(indented)) {
    const start = region.start + match.index
    if (start > done) found.push({ start: done, end: start, kind: 'sentence' })
    done = start + match[0].length
    found.push({ start, end: done, kind: 'code' })
  }
  if (done < region.end) found.push({ start: done, end: region.end, kind: 'sentence' })
  return found
}

const itemStart = /^\s*(?:[-*+•‣–]|\d{1,3}[.)]|[a-z][.)])\s+\S/u
const tailLength = 40

function repaired(text: string, region: Span): Span[] {
  const spans: Span[] = []
  // A text without capitals also starts sentences without them.
  const small = !/\p{Lu}/u.test(text.slice(region.start, region.end))
  const numbered = numberedItems(text, region)
  for (const { start, end } of breaks(text, region, small)) {
    const previous = spans.at(-1)
    if (previous && belongTogether(text, previous, start, end, small)) previous.end = end
    else spans.push({ start, end, kind: kindOf(text.slice(start, Math.min(end, start + 80)), numbered.has(start)) })
  }
  return spans
}

function kindOf(head: string, numbered: boolean): Piece['kind'] {
  const isNumber = /^\s*\d/u.test(head)
  return startsItem(head) && (numbered || !isNumber) ? 'item' : 'sentence'
}

const listLine = /^[ \t]*(?:[-*+•‣–]|(\d{1,3})[.)])[ \t]+\S/gmu

/**
 * Where lines start whose number marks an item of a list: it continues the number of the item before or after it, or
 * that item has a bullet. A number alone is part of the text: "97. My mum won."
 */
function numberedItems(text: string, region: Span): ReadonlySet<number> {
  const lines = [...text.slice(region.start, region.end).matchAll(listLine)].map(({ index, 1: digits }) => ({
    start: region.start + index,
    number: digits === undefined ? null : Number(digits),
  }))
  const follows = (first: (typeof lines)[number] | undefined, second: (typeof lines)[number] | undefined) =>
    first !== undefined &&
    second !== undefined &&
    (first.number === null ||
      second.number === null ||
      second.number === first.number + 1 ||
      // Markdown numbers the items itself.
      (first.number === 1 && second.number === 1))
  return new Set(
    lines.flatMap((line, at) =>
      line.number !== null && (follows(lines[at - 1], line) || follows(line, lines[at + 1])) ? [line.start] : [],
    ),
  )
}

/** Making one costs more than cutting a short text. */
const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })

/**
 * Sentence boundaries according to Unicode. The segmenter costs about 20 µs per step, so lines that do not need it skip
 * it.
 */
function* breaks(text: string, region: Span, small: boolean): Generator<{ start: number; end: number }> {
  for (const line of text.slice(region.start, region.end).matchAll(/[^\n\r\u0085\u2028\u2029]*(?:\r\n|[\s\S])?/gu)) {
    const start = region.start + line.index
    if (!/\p{Sentence_Terminal}[\s\S]*\S/u.test(line[0])) {
      if (line[0] !== '') yield { start, end: start + line[0].length }
      continue
    }
    // Unicode does not know that French puts a space before a closing quotation mark.
    const shown = line[0].replace(/[ \u00a0\u202f]»/gu, ')»')
    for (const { index, segment: like } of segmenter.segment(shown)) {
      const segment = line[0].slice(index, index + like.length)
      if (small) yield* smallSentences(segment, start + index)
      else yield { start: start + index, end: start + index + segment.length }
    }
  }
}

/** Unicode ends no sentence before a lower-case letter, so this does. */
function* smallSentences(text: string, offset: number): Generator<{ start: number; end: number }> {
  let done = 0
  for (const { index } of text.matchAll(/(?<=[.!?]["'”’)]?\s{1,8})(?=\p{Ll})/gu)) {
    yield { start: offset + done, end: offset + index }
    done = index
  }
  if (done < text.length) yield { start: offset + done, end: offset + text.length }
}

function startsItem(head: string): boolean {
  return itemStart.test(head) || isBareMarker(head)
}

function isLineStart(text: string, place: number): boolean {
  return place === 0 || /[\n\r\u0085\u2028\u2029]/u.test(text[place - 1] ?? '')
}

function isBareMarker(segment: string): boolean {
  return segment.length < 16 && /^\s*(?:\d{1,3}|[a-z])[.)]\s*$/u.test(segment)
}

const abbreviation = new RegExp(
  pattern`
    (?:^|[\s("'“‘[])(?:(?:Dr|Mr|Mrs|Ms|Mx|Prof|Rev|Hon|Sr|Jr|St|Mt|Ft|Gen|Col|Capt|Lt|Sgt|Gov|Sen|Rep|Pres|Fr|vs
    |etc|e\.g|i\.e|cf|approx|ca|al|No|Nr|Vol|Fig|Figs|Eq|Sec|Ch|pp|Inc|Ltd|Corp|Co|Bros|dept|est|tel|ext|Ave|Blvd
    |Rd|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec|Mon|Tue|Wed|Thu|Fri|Sat|Sun|a\.m|p\.m|Ph\.D|M\.D|B\.A|M\.A
    |U\.S|U\.K|U\.N|E\.U|D\.C|bzw|z\.B|d\.h|usw|Hr|Fr|Str|Sra?|Dra|Mme|Mlle|resp)\.|(?:\p{Lu}\.){1,4}|\.{2,}|…)\s*$
  `,
  'u',
)
/** Abbreviations of other languages that are no English words. */
const foreignAbbreviation = new RegExp(
  pattern`
    (?:^|[\s("'“„«[])(?:ej|EE|dott|sig|sigg|ecc|bijv|blz|enz|pág|págs|núm|Avda|Uds?|Exmo|Exma|Dña|Ing|Abb|Bd|Hrsg|Jh|Mio|Mrd|evtl|ggf|inkl|zzgl|u\. ?a
    |d\. ?h|i\. ?d\. ?R|o\. ?Ä|p\. ?ej|p\. ?ex|n\.-o|o\.a|d\.w\.z|ул|пр|д|кв|им|г|гг|стр|рис|руб|тыс|млн|млрд|др|т\. ?е|т\. ?к|т\. ?д|т\. ?п)\.\s*$
  `,
  'u',
)
/** "z. B." and "S. 12" are two parts of one abbreviation. */
const halves = /(?:^|[\s("'„«])(?:z\.\s+B\.|[SsPp]\.\s+\d)/u

/** Abbreviations that often end a sentence as well: a capitalised ordinary word after them starts a new one. */
const mayEnd = /(?:etc|a\.m|p\.m|Inc|Ltd|Corp|Co|Ph\.D|Jr|Sr|\p{Lu})\.\s*$/u
const freshStart =
  /^\s*["'“‘(]?(?:I|We|You|He|She|They|It|The|This|That|My|Our|His|Her|Their|In|On|At|But|And|So|If|When|There|What|Who|Where|Why|How|A|An)(?![\p{L}.])/u

/**
 * After a company name, a capitalised word followed by a lower-case one starts a sentence: "at Acme Corp. Mary likes
 * tea".
 */
const company = /(?:Inc|Ltd|Corp|Co)\.\s*$/u
const subjectAndVerb = /^\s*\p{Lu}\p{Ll}+ \p{Ll}/u

function belongTogether(text: string, previous: Span, start: number, end: number, small: boolean): boolean {
  const tail = text.slice(Math.max(previous.start, start - tailLength), start)
  const head = text.slice(start, Math.min(end, start + tailLength))
  const body = tail.trimEnd()
  if (body === '') return false
  const gap = tail.slice(body.length)
  // "1. " of an item, or "97. " at the start of a line.
  if (
    (previous.kind === 'item' || isLineStart(text, previous.start)) &&
    isBareMarker(text.slice(previous.start, Math.min(start, previous.start + 16))) &&
    previous.end - previous.start < 16
  )
    return !gap.includes('\n')
  if (/[\n\r\u2028\u2029]/u.test(gap)) return isWrapped(text, previous, body, gap, head)
  // Inside a URL or a number: Unicode breaks after ? and ! even without a space.
  if (gap === '') {
    if (/[.?!;:][)\]"'”’]*$/u.test(body) && !/^\s/u.test(head)) return true
    // "「行きます。」と言った": what was said belongs to who said it.
    return isOpenQuote(text, previous, start) || (/[」』]$/u.test(body) && /^(?:と|って|という|、)/u.test(head))
  }
  if (small && isSmallStart(body, head)) return false
  if (/^\p{Ll}/u.test(head) || isOpenQuote(text, previous, start)) return true
  if (/(?:^|\s)\d{1,2}\.$/u.test(body) && month.test(head)) return true
  if (isOrdinal(text, previous, body, start, end) || foreignAbbreviation.test(body)) return true
  if (halves.test(tail.slice(-8) + head.slice(0, 4))) return true
  if (company.test(body) && subjectAndVerb.test(head)) return false
  return abbreviation.test(body) && !(mayEnd.test(body) && freshStart.test(head))
}

const afterArticle = /(?<!\p{L})(?:der|den|dem|das|die|zum|zur|vom|beim|im|am|jeden|jeder) \d{1,3}\.$/iu
const german =
  /(?<!\p{L})(?:der|und|ist|ich|wir|nicht|eine?|meine?|frau|herr|mit|auf|von|wohnt|zum|zur|unsere?|haben?)(?!\p{L})/iu

/** "Im 2. Stock": German writes a full stop after an ordinal number. English has "I am 32." and "im 32." */
function isOrdinal(text: string, previous: Span, body: string, start: number, end: number): boolean {
  return (
    afterArticle.test(body) &&
    german.test(text.slice(Math.max(previous.start, start - 200), Math.min(end, start + 200)))
  )
}

/** Ordinal dates such as "on 3. May". */
const month =
  /^(?:Jan(?:uary|uar)?|Feb(?:ruary|ruar)?|March|März|Apr(?:il)?|May|Mai|June?|Juni|July?|Juli|Aug(?:ust)?|Sept?(?:ember)?|O[ck]t(?:ober)?|Nov(?:ember)?|De[cz](?:ember)?)(?![\p{L}])/u

function isSmallStart(body: string, head: string): boolean {
  return (
    /[.!?]["'”’)]*$/u.test(body) &&
    !abbreviation.test(body) &&
    !/(?:^|\s)\p{Ll}{1,2}\.$/u.test(body) &&
    /^\p{Ll}/u.test(head)
  )
}

const longestQuote = 400
/** Marks that open a quotation, and those that close it. */
const quotes = [
  ['„', '“”'],
  ['«', '»'],
  ['「', '」'],
  ['『', '』'],
] as const

/** "“I am leaving. Do not wait,” she said.": a quotation stays in one sentence. */
function isOpenQuote(text: string, previous: Span, start: number): boolean {
  const before = text.slice(Math.max(previous.start, start - longestQuote), start)
  const after = text.slice(start, start + longestQuote)
  for (const [open, close] of quotes) {
    if (before.lastIndexOf(open) > Math.max(...[...close].map((mark) => before.lastIndexOf(mark))))
      return [...close].some((mark) => closesFirst(after, mark, open))
  }
  // A German quotation ends with the mark that begins an English one.
  const opened = before.replace(/„[^“”]{0,400}[“”]/gu, (part) => ' '.repeat(part.length)).lastIndexOf('“')
  if (opened > before.lastIndexOf('”')) return closesFirst(after, '”', '“')
  const straight = before.length < longestQuote && (before.split('"').length - 1) % 2 === 1
  return straight && after.includes('"') && !after.slice(0, after.indexOf('"')).includes('\n')
}

function closesFirst(text: string, close: string, open: string): boolean {
  const [closing, opening, line] = [text.indexOf(close), text.indexOf(open), text.indexOf('\n')]
  return closing !== -1 && (opening === -1 || closing < opening) && (line === -1 || closing < line)
}

/** A sentence that continues on the next line of hard-wrapped text. */
function isWrapped(text: string, previous: Span, body: string, gap: string, head: string): boolean {
  if ((gap.match(/\n/g)?.length ?? 0) !== 1 || /[.!?:;。！？।؟۔]["'”’“»」』)\]]*$/u.test(body)) return false
  const bodyEnd = previous.end - gap.length
  const lineStart = text.lastIndexOf('\n', bodyEnd - 1) + 1
  return (
    bodyEnd - Math.max(lineStart, previous.start) >= tailLength && /^[ \t]*\p{Ll}/u.test(head) && !itemStart.test(head)
  )
}

/** Attaches pieces of white space to the piece before them. */
function attachBlanks(text: string, spans: readonly Span[]): Span[] {
  const joined: Span[] = []
  for (const span of spans) {
    const previous = joined.at(-1)
    const blank = isBlank(text, span.start, span.end)
    if (previous && blank) previous.end = span.end
    else joined.push({ ...span })
  }
  return joined
}

function isBlank(text: string, start: number, end: number): boolean {
  return !/\S/u.test(text.slice(start, end))
}

/** Cuts overlong spans after white space, otherwise between grapheme clusters. */
function cut(text: string, span: Span, longest: number): Piece[] {
  const pieces: Piece[] = []
  let start = span.start
  while (span.end - start > longest) {
    const end = cutPoint(text, start, longest, span.kind === 'code')
    pieces.push({ start, end, kind: span.kind, blank: isBlank(text, start, end) })
    start = end
  }
  pieces.push({ start, end: span.end, kind: span.kind, blank: isBlank(text, start, span.end) })
  return pieces
}

function cutPoint(text: string, start: number, longest: number, code: boolean): number {
  const window = text.slice(start, start + longest)
  const line = code ? window.lastIndexOf('\n') : -1
  if (line > longest / 2) return start + line + 1
  const space = /\s\S*$/u.exec(window.slice(-longest / 2))
  if (space) return start + longest / 2 + space.index + 1
  const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
  const boundary = graphemes.segment(text.slice(start, start + longest + 64)).containing(longest)?.index ?? longest
  if (boundary > 0) return start + boundary
  // One grapheme as long as a memory: at least do not split a surrogate pair.
  return start + (/[\ud800-\udbff]$/.test(window) ? longest - 1 : longest)
}
