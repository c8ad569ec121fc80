/**
 * Turns text into self-contained memories: splits it into turns and sentences, resolves references to other sentences,
 * and attaches small talk to its neighbours. A memory's content is the original wording with its speaker before it,
 * dates in brackets after "yesterday", and names in place of pronouns whose sentence is in another memory. The segments
 * keep the original text word for word.
 */
import { askedNote } from '../core/asked-note.js'
import { isBlank } from '../core/blank-text.js'
import { dateEdits } from '../language/dates/resolve-dates.js'
import { type PeopleEdit, PeopleResolver } from '../language/people/resolve-people.js'
import { applied, type Edit } from '../language/sentences/edits.js'
import type { Piece } from '../language/sentences/sentences.js'
import { turnBreak } from '../storage/ports/memory-writes.js'
import type { TurnBefore } from '../storage/ports/vector-upkeep.js'
import { isShortAnswer, questionOf } from './answers.js'
import { type WrittenTurn, writtenTurns } from './dialogue.js'
import { isSmallTalk } from './small-talk.js'
import {
  bullet,
  contentOf,
  groupPieces,
  isLong,
  longestMemory,
  onOneLine,
  piecesOf,
  type SegmentSpan,
  together,
} from './split.js'

export interface Message {
  readonly role: 'user' | 'assistant' | 'system' | 'tool'
  readonly content: string
  readonly name?: string
  readonly createdAt?: number
}

export type SubmittedText = { readonly content: string } | { readonly messages: readonly Message[] }

export interface Divided {
  /** Consecutive pieces; joined they are the original text, word for word. A `\n` segment separates turns. */
  readonly segments: readonly string[]
  readonly memories: readonly DividedMemory[]
}

export interface DividedMemory {
  readonly content: string
  /** The same with names instead of pronouns and without inserted dates: for fact extraction. */
  readonly meant: string
  readonly segments: SegmentSpan
  /** The name given with the turn, otherwise null. */
  readonly speaker: string | null
  readonly role: Message['role']
  readonly createdAt: number | null
  /** The previous turn in the form of a memory; null for the first. */
  readonly before: string | null
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

/** `now`: the time of the statement if the text gives none. */
export function divide(text: SubmittedText, now: number, steps: Steps = allSteps): Divided {
  const turns = turnsOf(text)
  return new Division(turns, now, steps).result()
}

interface Turn {
  /** The words that name the speaker in the original text, which the prefix repeats: `Ann: `. */
  readonly lead: string
  /** The words of the turn, without its lead. */
  readonly text: string
  readonly speaker: string | null
  readonly role: Message['role']
  readonly createdAt: number | null
  readonly prefix: string
  /** True for a turn of a dialogue, false for a plain text. */
  readonly spoken: boolean
}

function turnsOf(text: SubmittedText): Turn[] {
  if ('messages' in text)
    return text.messages.filter(({ content }) => !isBlank(content)).map((message) => turnOf(message, message.content))
  return writtenTurns(text.content)?.map(writtenTurn) ?? [plainTurn(text.content)]
}

function turnOf(message: Pick<Message, 'role' | 'name' | 'createdAt'>, text: string, lead = ''): Turn {
  const { role, name, createdAt = null } = message
  return { lead, text, speaker: name ?? null, role, createdAt, prefix: prefixOf(message), spoken: true }
}

function writtenTurn({ text, lead, name, isSpeaker }: WrittenTurn): Turn {
  if (name === null) return plainTurn(text)
  const turn = turnOf(isSpeaker ? namedRole(name) : { role: 'user', name }, text.slice(lead), text.slice(0, lead))
  return isSpeaker ? turn : { ...turn, speaker: null }
}

function plainTurn(text: string): Turn {
  return { lead: '', text, speaker: null, role: 'user', createdAt: null, prefix: '', spoken: false }
}

/** "User:" and "Assistant:" of a transcript are the roles of `messages`. */
function namedRole(name: string): Pick<Message, 'role' | 'name'> {
  if (/^(?:user|human|me)$/i.test(name)) return { role: 'user' }
  if (/^(?:assistant|ai|bot|chatgpt)$/i.test(name)) return { role: 'assistant' }
  return /^(?:system|tool)$/i.test(name)
    ? { role: name.toLowerCase() === 'tool' ? 'tool' : 'system' }
    : { role: 'user', name }
}

/** "I" of a user without a name is the user; statements of others must name their speaker. */
function prefixOf(turn: Pick<Message, 'role' | 'name'>): string {
  const name = turn.name?.replace(/\s+/gu, ' ').trim()
  if (name) return `${name}: `
  if (turn.role === 'assistant') return 'Assistant: '
  return turn.role === 'tool' ? 'Tool: ' : ''
}

/** A turn that is hours older belongs to another conversation. */
const longestPauseMs = 6 * 3_600_000

interface Memory {
  readonly turn: number
  /** The turn in which its segments begin: earlier than its own turn if preceding small talk belongs to it. */
  from: number
  span: [first: number, last: number]
  readonly content: string
  readonly meant: string
  readonly small: boolean
  readonly parts: readonly Memory[]
}

/** The state of dividing one request; one per call. */
class Division {
  private readonly segments: string[] = []
  private readonly memories: Memory[] = []
  private readonly people = new PeopleResolver()
  private readonly names: readonly string[]

  constructor(
    private readonly turns: readonly Turn[],
    private readonly now: number,
    private readonly steps: Steps,
  ) {
    this.names = [...new Set(turns.flatMap(({ speaker }) => (speaker === null ? [] : [speaker])))]
  }

  result(): Divided {
    for (const [index, turn] of this.turns.entries()) this.readTurn(index, turn)
    return { segments: this.segments, memories: withoutSmallTalk(this.memories).map((memory) => this.told(memory)) }
  }

  private readTurn(index: number, turn: Turn): void {
    const previous = this.turns[index - 1]
    if (index > 0) this.segments.push(turnBreak)
    if (Math.abs(this.timeOf(turn) - (previous ? this.timeOf(previous) : this.timeOf(turn))) > longestPauseMs)
      this.people.forget()
    const offset = this.segments.length
    const pieces = piecesOf(turn.text)
    for (const { start, end } of pieces)
      this.segments.push((start === 0 ? turn.lead : '') + turn.text.slice(start, end))
    const edits = pieces.map((piece, place) => this.editsOf(turn, index, piece, offset + place))
    const isResolved = (piece: number) => edits[piece]?.people.some(({ meant }) => meant.start <= 1) === true
    const groups = groupPieces(turn.text, pieces, isResolved)
    const length = turn.spoken ? this.steps.turnLength : 0
    for (const span of together(turn.text, pieces, groups, length)) {
      const inside =
        turn.spoken && !isLong(turn.text) ? groups.filter(([first, last]) => first >= span[0] && last <= span[1]) : []
      const parts = inside.length > 1 ? inside : []
      const memory = (part: SegmentSpan) => this.memoryOf(index, turn, part, pieces, edits, offset)
      this.memories.push({ ...memory(span), parts: parts.map((part) => ({ ...memory(part), parts: [] })) })
    }
  }

  private memoryOf(
    index: number,
    turn: Turn,
    span: SegmentSpan,
    pieces: readonly Piece[],
    edits: readonly PieceEdits[],
    offset: number,
  ): Omit<Memory, 'parts'> {
    const first = span[0] + offset
    const contentBy = (edited: (edits: PieceEdits) => readonly Edit[]) =>
      turn.prefix +
      contentOf(pieces, span, (piece) => wordsOf(turn, pieces[piece], edited(needed(edits[piece], first))))
    return {
      turn: index,
      from: index,
      span: [first, span[1] + offset],
      content: contentBy(({ people, dates }) => [...people, ...dates]) + this.asked(index, span, pieces),
      meant: contentBy(({ people }) => people.map(({ meant }) => meant)),
      small: this.steps.smallTalk && this.isSmall(index, turn, span, pieces),
    }
  }

  private timeOf(turn: Turn): number {
    return turn.createdAt ?? this.now
  }

  private editsOf(turn: Turn, index: number, piece: Piece, position: number): PieceEdits {
    if (piece.blank || piece.kind === 'code') return { people: [], dates: [] }
    const text = turn.text.slice(piece.start, piece.end)
    const { speaker } = turn
    const addressee =
      this.names.length === 2 && speaker !== null ? this.names.find((name) => name !== speaker) : undefined
    const people = this.steps.people ? this.people.read({ text, piece: position, turn: index, speaker, addressee }) : []
    const dates = this.steps.dates ? dateEdits(text, this.timeOf(turn)) : []
    return { people, dates }
  }

  private isSmall(index: number, turn: Turn, [first, last]: SegmentSpan, pieces: readonly Piece[]): boolean {
    const said = turn.text.slice(pieces[first]?.start ?? 0, pieces[last]?.end)
    if (!isSmallTalk(said, this.names)) return false
    // "Yes!" is small talk unless it answers a question.
    return this.questionBefore(index, first, pieces) === null || !isShortAnswer(said, this.names)
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
    if (this.timeOf(turn) - this.timeOf(previous) > longestPauseMs) return null
    return questionOf(previous.text)
  }

  private told({ turn: index, from, span, content, meant, parts }: Memory): DividedMemory {
    const [turn, previous] = [this.turns[index], this.turns[from - 1]]
    if (!turn) throw new Error('a memory without a turn')
    const before = previous ? previous.prefix + onOneLine(previous.text.slice(0, longestMemory)) : null
    const { speaker, role, createdAt } = turn
    return {
      content,
      meant,
      segments: span,
      speaker,
      role,
      createdAt,
      before,
      parts: this.toldParts(parts, from, span),
    }
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

interface PieceEdits {
  readonly people: readonly PeopleEdit[]
  readonly dates: readonly Edit[]
}

function firstWords(pieces: readonly Piece[]): number {
  return pieces.findIndex(({ blank }) => !blank)
}

function lastWords(pieces: readonly Piece[]): number {
  return pieces.findLastIndex(({ blank }) => !blank)
}

/** A person named in the memory itself, which begins at `first`, is known. */
function needed(edits: PieceEdits | undefined, first: number): PieceEdits {
  if (!edits) return { people: [], dates: [] }
  return { people: edits.people.filter(({ antecedent }) => antecedent < first), dates: edits.dates }
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

/**
 * Reconstructs the previous turn from stored data: the text has no speaker, but a memory made from it starts with the
 * name.
 */
export function retoldTurn({ text, memory }: TurnBefore): string {
  const turn = onOneLine(text.slice(0, longestMemory))
  const [prefix = ''] = /^[\p{L}\p{N}][^:\n]{0,63}: /u.exec(memory?.content ?? '') ?? []
  const said = onOneLine(memory?.text ?? '')
  const body = memory?.content.slice(prefix.length) ?? ''
  // The text may itself start like a name; then it is impossible to say whether the prefix belongs to it.
  if (said === '' || turn.startsWith(prefix) || said.startsWith(prefix)) return turn
  const begins = [said, said.replace(bullet, '')].some((form) => isAlike(body, form))
  return (begins ? prefix : '') + turn
}

/** Same words, apart from inserted names and dates. */
function isAlike(content: string, said: string): boolean {
  const length = Math.min(8, said.length)
  return content.startsWith(said.slice(0, length)) || content.endsWith(said.slice(-length))
}
