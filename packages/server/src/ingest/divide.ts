/**
 * Turns text into self-contained memories: splits it into turns and sentences, resolves references to other sentences,
 * and attaches small talk to its neighbours. A memory's content is the original wording with its speaker before it,
 * dates in brackets after "yesterday", and names in place of pronouns whose sentence is in another memory. The segments
 * keep the original text word for word.
 */
import { askedNote } from '../core/asked-note.js'
import { isBlank } from '../core/blank-text.js'
import { longestPauseMs, mostTurnsKept } from '../core/conversation.js'
import { dateEdits } from '../language/dates/resolve-dates.js'
import { type PeopleEdit, PeopleResolver } from '../language/people/resolve-people.js'
import { noteEdits } from '../language/sentences/asked-to-note.js'
import { applied, type Edit } from '../language/sentences/edits.js'
import type { Piece } from '../language/sentences/sentences.js'
import { turnBreak } from '../storage/ports/memory-writes.js'
import { isShortAnswer, leansOnOthers, questionOf } from './answers.js'
import { isFiller, statesNothing } from './chatter.js'
import { contextOf } from './embedding-text.js'
import { isSmallTalk } from './small-talk.js'
import {
  groupPieces,
  isLong,
  longestMemory,
  onOneLine,
  piecesOf,
  type SegmentSpan,
  together,
  togetherInLines,
} from './split.js'
import { type Block, blockContent, blocksOf, plainBlock } from './structure/blocks.js'
import { outlineOf } from './structure/outline.js'
import { needed, noEdits, overlap, type PieceEdits } from './structure/piece-edits.js'
import {
  earlierTurn,
  isDocument,
  isWriting,
  keptTurn,
  type Message,
  type SaidTurn,
  type SubmittedText,
  type Turn,
  turnsOf,
} from './turns.js'

export interface Divided {
  /** Consecutive pieces; joined they are the original text, word for word. A `\n` segment separates turns. */
  readonly segments: readonly string[]
  readonly memories: readonly DividedMemory[]
  /** Segments that make no memory: they belong to a neighbouring one. */
  readonly chatter: ReadonlySet<number>
  /** The last turns of the text, as context for the next ones. Empty if it is a document rather than a turn. */
  readonly turns: readonly SaidTurn[]
  /** Whether earlier turns are the context of a memory. */
  readonly continues: boolean
}

export interface DividedMemory {
  readonly content: string
  /** The same with names instead of pronouns and without inserted dates: for fact extraction. */
  readonly meant: string
  readonly segments: SegmentSpan
  /** Index of its turn in the request. */
  readonly turn: number
  /** The name given with the turn, otherwise null. */
  readonly speaker: string | null
  readonly role: Message['role']
  readonly createdAt: number | null
  /** The turns before it, as `contextOf` gives them; null for the first. */
  readonly before: string | null
  /** It is part of a written text, in which nothing is chatter. */
  readonly written?: boolean
  /** It stands in a document under a heading, in a table or among settings, so it is no chatter. */
  readonly isFiled?: boolean
  /** For a turn of several statements: each statement as a separate memory. */
  readonly parts: readonly DividedMemory[]
}

/** The steps besides splitting. Only measurements turn any of them off. */
export interface Steps {
  readonly people: boolean
  readonly dates: boolean
  readonly smallTalk: boolean
  readonly answers: boolean
  /** Sentences of one turn form one memory up to this many characters. */
  readonly turnLength: number
}

export const allSteps: Steps = { people: true, dates: true, smallTalk: true, answers: true, turnLength: longestMemory }

export interface Circumstances {
  /** Turns of the same conversation, sent before. */
  readonly earlier?: readonly SaidTurn[]
  /** Everything that the assistant says becomes memories, not only what is worth remembering. */
  readonly remembersAssistant?: boolean
}

/** `now`: the time of the statement if the text gives none. */
export function divide(
  text: SubmittedText,
  now: number,
  steps: Steps = allSteps,
  { earlier = [], remembersAssistant = false }: Circumstances = {},
): Divided {
  const turns = turnsOf(text)
  const heard = turns.some(isDocument) ? [] : earlier.map(earlierTurn)
  return new Division(turns, heard, now, { ...steps, remembersAssistant }).result()
}

interface Memory {
  readonly turn: number
  /** The turn in which its segments begin: earlier than its own turn if preceding small talk belongs to it. */
  from: number
  span: [first: number, last: number]
  readonly content: string
  readonly meant: string
  readonly small: boolean
  readonly isFiled: boolean
  readonly parts: readonly Memory[]
}

/** Sentences of earlier turns that are searched for people: each takes up to a millisecond. */
const mostHeard = 12

/** The state of dividing one request; one per call. */
class Division {
  private readonly segments: string[] = []
  private readonly memories: Memory[] = []
  private readonly people = new PeopleResolver()
  private readonly names: readonly string[]
  private continues = false
  /** One person who talks to an assistant, as far as the turns show; somebody with a name may talk to other people. */
  private readonly isWithAssistant: boolean
  private readonly writings: ReadonlySet<Turn>
  /** Earlier turns come first; they make no segments and no memories. */
  private readonly turns: readonly Turn[]

  constructor(
    own: readonly Turn[],
    private readonly earlier: readonly Turn[],
    private readonly now: number,
    private readonly steps: Steps & Pick<Circumstances, 'remembersAssistant'>,
  ) {
    this.turns = [...earlier, ...own]
    this.names = [...new Set(this.turns.flatMap(({ speaker }) => (speaker === null ? [] : [speaker])))]
    this.writings = new Set(own.filter(isWriting))
    const isAnswered = this.turns.some(({ role }) => role === 'assistant')
    this.isWithAssistant = this.names.length === 0 || (this.names.length === 1 && isAnswered)
  }

  result(): Divided {
    this.hearEarlier()
    for (const [index, turn] of this.turns.entries()) {
      if (index >= this.earlier.length) this.readTurn(index, turn)
    }
    const memories = withoutSmallTalk(this.memories).map((memory) => this.told(memory))
    const small = this.memories.filter((memory) => memory.small)
    const chatter = new Set(
      small.flatMap(({ span: [first, last] }) => Array.from({ length: last - first + 1 }, (_, step) => first + step)),
    )
    return { segments: this.segments, memories, chatter, turns: this.toKeep(), continues: this.continues }
  }

  /**
   * For the people that are mentioned, in the last sentences. The positions are those that the turns would have in one request, less
   * their number.
   */
  private hearEarlier(): void {
    const pieces = this.earlier.map(({ text }) => piecesOf(text))
    let position = -pieces.reduce((sum, each) => sum + each.length + 1, 0)
    let unheard = pieces.flat().filter(({ blank }) => !blank).length - mostHeard
    for (const [index, turn] of this.earlier.entries()) {
      this.pauseBefore(index, turn)
      for (const piece of pieces[index] ?? []) {
        if (!piece.blank) unheard -= 1
        if (unheard < 0) this.peopleIn(turn, index, piece, position)
        position += 1
      }
      position += 1
    }
  }

  private pauseBefore(index: number, turn: Turn): void {
    const previous = this.turns[index - 1]
    if (previous && this.isPause(previous, turn)) this.people.forget()
  }

  private isPause(previous: Turn, turn: Turn): boolean {
    return Math.abs(this.timeOf(turn) - this.timeOf(previous)) > longestPauseMs
  }

  private toKeep(): SaidTurn[] {
    const own = this.turns.slice(this.earlier.length)
    if (own.some(isDocument)) return []
    return own.slice(-mostTurnsKept).map((turn) => keptTurn(turn, this.timeOf(turn)))
  }

  private readTurn(index: number, turn: Turn): void {
    if (index > this.earlier.length) this.segments.push(turnBreak)
    this.pauseBefore(index, turn)
    const offset = this.segments.length
    const outline = turn.spoken ? null : outlineOf(turn.text)
    const pieces = outline?.pieces ?? piecesOf(turn.text)
    for (const { start, end } of pieces)
      this.segments.push((start === 0 ? turn.lead : '') + turn.text.slice(start, end))
    const last = lastWords(pieces)
    const edits = pieces.map((piece, place) => this.editsOf(turn, index, piece, offset + place, place === last))
    const isResolved = (piece: number) => edits[piece]?.people.some(({ meant }) => meant.start <= 1) === true
    const memory = (block: Block) => this.memoryOf(index, turn, block, pieces, edits, offset)
    const blocks = outline && blocksOf(turn.text, outline, isResolved)
    if (blocks) {
      for (const block of blocks) this.memories.push({ ...memory(block), parts: [] })
      return
    }
    const groups = groupPieces(turn.text, pieces, isResolved)
    const joined = turn.spoken ? together : togetherInLines
    for (const span of joined(turn.text, pieces, groups, this.steps.turnLength)) {
      const inside = isLong(turn.text) ? [] : groups.filter(([first, last]) => first >= span[0] && last <= span[1])
      const parts = inside.length > 1 ? inside : []
      const whole = memory(plainBlock(span))
      this.memories.push({ ...whole, parts: parts.map((part) => ({ ...memory(plainBlock(part)), parts: [] })) })
    }
  }

  private memoryOf(
    index: number,
    turn: Turn,
    block: Block,
    pieces: readonly Piece[],
    edits: readonly PieceEdits[],
    offset: number,
  ): Omit<Memory, 'parts'> {
    const { span, words, under, isFiled } = block
    const isShown = (place: number) => place >= words[0] + offset || under.includes(place - offset)
    const contentBy = (edited: (edits: PieceEdits) => readonly Edit[], gap: string) =>
      turn.prefix +
      blockContent(pieces, block, (at) => wordsOf(turn, pieces[at], edited(needed(edits[at], isShown))), gap)
    return {
      turn: index,
      from: index,
      span: [span[0] + offset, span[1] + offset],
      content:
        contentBy(({ people, dates, note }) => [...people, ...dates, ...note], ' ') + this.asked(index, words, pieces),
      // Facts are read line by line.
      meant: contentBy(({ people, note }) => [...people.map(({ meant }) => meant), ...note], '\n'),
      small: !isFiled && this.steps.smallTalk && this.isSmall(index, turn, words, pieces),
      isFiled,
    }
  }

  private timeOf(turn: Turn): number {
    return turn.createdAt ?? this.now
  }

  private editsOf(turn: Turn, index: number, piece: Piece, position: number, isLast: boolean): PieceEdits {
    if (piece.blank || piece.kind === 'code') return noEdits
    const text = turn.text.slice(piece.start, piece.end)
    const people = this.peopleIn(turn, index, piece, position)
    const dates = this.steps.dates ? dateEdits(text, this.timeOf(turn)) : []
    const mayNote = this.steps.smallTalk && turn.role === 'user' && this.isWithAssistant
    const note = mayNote ? noteEdits(text, isLast) : []
    return { people, dates, note: note.filter((edit) => ![...people, ...dates].some((other) => overlap(edit, other))) }
  }

  private peopleIn(turn: Turn, index: number, piece: Piece, position: number): PeopleEdit[] {
    if (!this.steps.people || piece.blank || piece.kind === 'code') return []
    const { speaker } = turn
    const addressee =
      this.names.length === 2 && speaker !== null ? this.names.find((name) => name !== speaker) : undefined
    const text = turn.text.slice(piece.start, piece.end)
    return this.people.read({ text, piece: position, turn: index, speaker, addressee })
  }

  private isSmall(index: number, turn: Turn, [first, last]: SegmentSpan, pieces: readonly Piece[]): boolean {
    const said = turn.text.slice(pieces[first]?.start ?? 0, pieces[last]?.end)
    if (this.isChatter(index, turn, said, turn.text.slice(pieces[last]?.end ?? 0))) return true
    if (!isSmallTalk(said, this.names)) return false
    // "Yes!" is small talk unless it answers a question.
    return this.questionBefore(index, first, pieces) === null || !isShortAnswer(said, this.names)
  }

  /**
   * Questions, requests and filler. A question that is followed by a statement may belong to it, so the turn must state nothing from
   * here to its end. People who talk to each other are left alone: what they ask tells about them.
   */
  private isChatter(index: number, turn: Turn, said: string, rest: string): boolean {
    if (turn.role === 'assistant') {
      if (this.steps.remembersAssistant) return false
      return isFiller(said, this.turns[index - 1]?.text ?? '')
    }
    if (turn.role !== 'user' || !this.isWithAssistant) return false
    if (this.writings.has(turn)) return statesNothing(turn.text, this.names)
    return statesNothing(said, this.names) && (isBlank(rest) || statesNothing(rest, this.names))
  }

  /** The question that a turn answers without repeating it. */
  private asked(index: number, [first, last]: SegmentSpan, pieces: readonly Piece[]): string {
    const turn = this.turns[index]
    if (!this.steps.answers || !turn || last !== lastWords(pieces)) return ''
    const question = this.questionBefore(index, first, pieces)
    if (question === null || !isShortAnswer(turn.text, this.names)) return ''
    return askedNote(onOneLine(question).replace(/[“”]/gu, '"'))
  }

  private questionBefore(index: number, first: number, pieces: readonly Piece[]): string | null {
    const [turn, previous] = [this.turns[index], this.turns[index - 1]]
    if (!turn || !previous || first !== firstWords(pieces)) return null
    if (previous.speaker === turn.speaker && previous.role === turn.role) return null
    if (this.isPause(previous, turn)) return null
    return questionOf(previous.text, previous.role === 'assistant')
  }

  private told({ turn: index, from, span, content, meant, isFiled, parts }: Memory): DividedMemory {
    const turn = this.turns[index]
    if (!turn) throw new Error('a memory without a turn')
    const before = this.before(turn, index, from)
    const { speaker, role, createdAt } = turn
    return {
      content,
      meant,
      segments: span,
      turn: index,
      speaker,
      role,
      createdAt,
      before,
      written: this.writings.has(turn),
      ...(isFiled ? { isFiled } : {}),
      parts: this.toldParts(parts, from, span),
    }
  }

  /**
   * Plain texts that are stored one by one may have nothing to do with each other: then only one that leans on others has context. Of
   * the chatter that begins a memory, only a question is context.
   */
  private before(turn: Turn, index: number, from: number): string | null {
    const asked = this.turns[index - 1]
    const place = asked && questionOf(asked.text) !== null ? index - 1 : from - 1
    const [previous, older] = [this.turns[place], this.turns[place - 1]]
    if (!previous || this.isPause(previous, turn)) return null
    const isDialogue = turn.spoken || this.earlier.some(({ spoken }) => spoken)
    if (!isDialogue && !leansOnOthers(turn.text, this.names)) return null
    if (place < this.earlier.length) this.continues = true
    return contextOf(older && !this.isPause(older, previous) ? [told(previous), told(older)] : [told(previous)])
  }

  /** Together the parts cover the same segments as the whole. */
  private toldParts(parts: readonly Memory[], from: number, [first, last]: SegmentSpan): DividedMemory[] {
    const kept = withoutSmallTalk(parts)
    const [opening, closing] = [kept[0], kept.at(-1)]
    if (kept.length < 2 || !opening || !closing) return []
    opening.from = from
    opening.span[0] = first
    closing.span[1] = last
    return kept.map((part) => this.told(part))
  }
}

/** A turn in the form of a memory. */
function told({ prefix, text }: Turn): string {
  return prefix + onOneLine(text.slice(0, longestMemory))
}

function firstWords(pieces: readonly Piece[]): number {
  return pieces.findIndex(({ blank }) => !blank)
}

function lastWords(pieces: readonly Piece[]): number {
  return pieces.findLastIndex(({ blank }) => !blank)
}

function wordsOf(turn: Turn, piece: Piece | undefined, edits: readonly Edit[]): string {
  if (!piece) return ''
  return applied(turn.text.slice(piece.start, piece.end), edits)
}

/**
 * Attaches small talk to the memory before it, otherwise to the one after: its words stay in the provenance. Small talk
 * alone makes no memory.
 */
function withoutSmallTalk(memories: readonly Memory[]): Memory[] {
  const kept = memories.filter(({ small }) => !small)
  const result = kept.map((memory) => ({ ...memory, span: [...memory.span] as [number, number] }))
  let current = 0
  for (const memory of memories) {
    while (current + 1 < result.length && (result[current + 1]?.span[0] ?? 0) <= memory.span[0]) current += 1
    const owner = result[current]
    if (!owner) continue
    owner.from = Math.min(owner.from, memory.turn)
    owner.span[0] = Math.min(owner.span[0], memory.span[0])
    owner.span[1] = Math.max(owner.span[1], memory.span[1])
  }
  return result
}
