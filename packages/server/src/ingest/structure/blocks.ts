/** The memories of a document: each part of it with its headings and with the line that leads it. */
import type { Piece } from '../../language/sentences/sentences.js'
import { contentOf, groupPieces, isLong, longText, onOneLine, pack, packedLength, type SegmentSpan } from '../split.js'
import type { Outline, Part } from './outline.js'
import { rowWithNames } from './tables.js'

export interface Block {
  /** The pieces that it is made from, with the headings before it. */
  readonly span: SegmentSpan
  readonly words: SegmentSpan
  /** The pieces that its words stand under: headings, a line that leads a list, a remark. */
  readonly under: readonly number[]
  /** The piece with the names of the columns. */
  readonly header: number | null
  /** It says something even if its words alone do not: a setting, a row, an item, an answer, what is under a heading. */
  readonly isFiled: boolean
}

/** A memory of a text without headings. */
export function plainBlock(span: SegmentSpan): Block {
  return { span, words: span, under: [], header: null, isFiled: false }
}

/** A long text makes no more memories than one for so many characters. */
const leastLength = 24
const mostShort = 50

/** `isResolved`: see `groupPieces`. Null if the text has hardly more than headings and other marks. */
export function blocksOf(text: string, outline: Outline, isResolved: (piece: number) => boolean): Block[] | null {
  const blocks = new Blocks(text, outline, isResolved).result()
  return blocks.length > mostShort && blocks.length * leastLength > text.length ? null : blocks
}

const longestPath = 200
const longNames = 80
const mostInGroup = 4
const longestGroup = 240

class Blocks {
  private readonly made: Block[] = []
  private headings: { readonly level: number; readonly piece: number }[] = []
  private leads: number[] = []
  /** The headings and leads that stand in no memory yet. */
  private unused = false
  private readonly packedLength: number

  constructor(
    private readonly text: string,
    private readonly outline: Outline,
    private readonly isResolved: (piece: number) => boolean,
  ) {
    this.packedLength = packedLength(text)
  }

  result(): Block[] {
    const { parts, pieces } = this.outline
    for (const [index, part] of parts.entries()) this.read(part, parts[index + 1])
    this.flush()
    let next = 0
    return this.made.map((block, index) => {
      const isLast = index === this.made.length - 1
      const span: SegmentSpan = [next, isLast ? pieces.length - 1 : block.span[1]]
      next = block.span[1] + 1
      return { ...block, span }
    })
  }

  private read(part: Part, next: Part | undefined): void {
    switch (part.kind) {
      case 'heading':
        this.enter(part)
        return
      case 'lead':
        this.flushLead()
        this.leads = range([part.first, part.last])
        this.unused = true
        return
      case 'mark':
        return
      case 'table':
        this.readTable(part)
        break
      case 'pairs':
        this.readPairs(part)
        break
      case 'list':
        this.readList(part)
        break
      case 'question':
        this.readQuestion(part)
        break
      default:
        this.readProse(part, next)
        return
    }
    this.leads = []
  }

  private enter({ level, first }: Part): void {
    const above = this.headings.at(-1)
    if (above && above.level >= level) this.flush()
    else this.flushLead()
    this.headings = [...this.headings.filter((heading) => heading.level < level), { level, piece: first }]
    this.unused = true
  }

  /** A heading with nothing below it is a memory too. */
  private flush(): void {
    const last = this.leads.at(-1) ?? this.headings.at(-1)?.piece
    if (!this.unused || last === undefined) return
    const under = this.path().filter((piece) => piece !== last)
    this.made.push({ span: [last, last], words: [last, last], under, header: null, isFiled: true })
    this.unused = false
    this.leads = []
  }

  private flushLead(): void {
    if (this.leads.length > 0) this.flush()
  }

  /** The outer headings go first where there are too many. */
  private path(): number[] {
    const kept: number[] = []
    let length = 0
    for (const { piece } of this.headings.toReversed()) {
      length += this.lengthOf([piece, piece])
      if (kept.length > 0 && length > longestPath) break
      kept.unshift(piece)
    }
    return [...kept, ...this.leads]
  }

  private add(
    words: SegmentSpan,
    isFiled: boolean,
    header: number | null = null,
    remarks: readonly number[] = [],
  ): void {
    const under = [...this.path(), ...remarks]
    this.made.push({ span: words, words, under, header, isFiled: isFiled || under.length > 0 })
    this.unused = false
  }

  private readTable({ first, last }: Part): void {
    const isRow = (piece: number) => this.outline.kinds.get(piece) === 'row'
    const rows = range([first, last]).filter(isRow)
    const header = isRow(first) ? null : first
    if (rows.length === 0) this.add([first, last], true)
    else for (const span of this.inBatches(rows, header)) this.add(span, true, header)
  }

  /** A very long table or list of settings makes fewer memories. `header`: each of them repeats it, which matters if it is long. */
  private inBatches(pieces: readonly number[], header: number | null = null): SegmentSpan[] {
    const spans = pieces.map((piece): SegmentSpan => [piece, piece])
    const [first = 0, last = 0] = [pieces[0], pieces.at(-1)]
    const length = this.lengthOf([first, last])
    if (length <= longText) return spans
    const names = header === null ? 0 : this.lengthOf([header, header])
    const repeated = names > longNames ? pieces.length * names : 0
    return pack(this.outline.pieces, spans, (this.packedLength * length) / (length + repeated))
  }

  private readPairs(part: Part): void {
    for (const { remarks, pairs } of this.groupsOf(part)) {
      const [first, last] = [pairs[0], pairs.at(-1)]
      if (first === undefined || last === undefined) continue
      const isNamed = remarks.length > 0 || this.path().length > 0
      const isShort = pairs.length <= mostInGroup && this.lengthOf([first, last]) <= longestGroup
      for (const span of isNamed && isShort ? [[first, last] as const] : this.inBatches(pairs))
        this.add(span, true, null, remarks)
    }
  }

  /** Settings under one remark, or between empty lines. */
  private groupsOf({ first, last }: Part): { remarks: number[]; pairs: number[] }[] {
    const groups: { remarks: number[]; pairs: number[] }[] = []
    let ended = true
    for (const piece of range([first, last])) {
      const isPair = this.outline.kinds.get(piece) === 'pair'
      const group = groups.at(-1)
      if (!group || ended || (!isPair && group.pairs.length > 0)) groups.push({ remarks: [], pairs: [] })
      groups.at(-1)?.[isPair ? 'pairs' : 'remarks'].push(piece)
      const words = this.wordsOf([piece, piece])
      ended = words.slice(words.trimEnd().length).split('\n').length > 2
    }
    return groups
  }

  /** Items under a heading or a lead are one memory, up to a good size for search; others are one each. */
  private readList({ first, last }: Part): void {
    const { pieces } = this.outline
    const items: SegmentSpan[] = []
    let outermost = Number.POSITIVE_INFINITY
    for (const piece of range([first, last])) {
      const indent = /^[ \t]*/u.exec(this.wordsOf([piece, piece]))?.[0].length ?? 0
      const isOuter = pieces[piece]?.kind === 'item' && indent < outermost + 2
      const item = items.at(-1)
      const fits = item !== undefined && this.lengthOf([item[0], piece]) <= this.packedLength
      if (isOuter) outermost = Math.min(outermost, indent)
      if (item && fits && !isOuter) items[items.length - 1] = [item[0], piece]
      else items.push([piece, piece])
    }
    const isLed = this.path().length > 0
    for (const span of isLed ? pack(pieces, items, this.packedLength) : items) this.add(span, true)
  }

  /** A question with its answer; before each part of a long answer. */
  private readQuestion({ first, last }: Part): void {
    // Another question ends what a heading asked.
    if (this.isAsked() && !this.unused) this.headings.pop()
    if (this.lengthOf([first, last]) <= this.packedLength) {
      this.add([first, last], true)
      return
    }
    const rest = range([first + 1, last]).map((piece): SegmentSpan => [piece, piece])
    for (const span of pack(this.outline.pieces, rest, this.packedLength)) this.add(span, true, null, [first])
  }

  private readProse({ first, last }: Part, next: Part | undefined): void {
    const own = this.outline.pieces.slice(first, last + 1)
    const groups = groupPieces(this.text, own, (piece) => this.isResolved(piece + first)).map(
      ([from, to]): SegmentSpan => [from + first, to + first],
    )
    const end = groups.at(-1)
    const isLead = end !== undefined && isLedBy(next) && /[:：][*_]{0,3}\s*$/u.test(this.wordsOf(end).slice(-40))
    if (isLead) groups.pop()
    const isPacked = isLong(this.text) || this.isAsked()
    for (const span of isPacked ? pack(this.outline.pieces, groups, this.packedLength) : groups) this.add(span, false)
    if (groups.length > 0) this.leads = []
    if (isLead) this.leads = [...this.leads, ...range(end)]
    this.unused ||= isLead
  }

  /** The innermost heading is a question. */
  private isAsked(): boolean {
    const heading = this.headings.at(-1)
    return heading !== undefined && /[?？؟][\s#*_]*$/u.test(this.wordsOf([heading.piece, heading.piece]))
  }

  private wordsOf([first, last]: SegmentSpan): string {
    return this.text.slice(this.outline.pieces[first]?.start ?? 0, this.outline.pieces[last]?.end ?? 0)
  }

  private lengthOf([first, last]: SegmentSpan): number {
    return (this.outline.pieces[last]?.end ?? 0) - (this.outline.pieces[first]?.start ?? 0)
  }
}

function isLedBy(part: Part | undefined): boolean {
  return part?.kind === 'list' || part?.kind === 'table' || part?.kind === 'pairs'
}

function range([first, last]: SegmentSpan): number[] {
  return Array.from({ length: last - first + 1 }, (_, step) => first + step)
}

/** A title without marks needs a colon. */
function titled(words: string): string {
  return /^[#*_;]|[\p{P}\p{S}]$/u.test(words) ? words : `${words}:`
}

/** `wordsOf`: the words of a piece, edited or as written. `gap`: what separates its words from those they stand under. */
export function blockContent(
  pieces: readonly Piece[],
  { words, under, header }: Block,
  wordsOf: (piece: number) => string,
  gap: string,
): string {
  const path = under.map((piece) => titled(onOneLine(wordsOf(piece)))).join(' ')
  const own =
    header === null
      ? contentOf(pieces, words, wordsOf)
      : range(words)
          .map((row) => rowWithNames(wordsOf(header), wordsOf(row)))
          .join('\n')
  if (path === '') return own
  // After a heading, the bullet shows where the words begin.
  const isItem = words[0] === words[1] && pieces[words[0]]?.kind === 'item' && !/[:：][*_]{0,3}$/u.test(path)
  const shown = isItem ? onOneLine(wordsOf(words[0])) : own
  return path + (pieces[words[0]]?.kind === 'code' ? '\n' : gap) + shown
}
