/** The turns of a submitted text, and turns as context for later ones. */
import { isBlank } from '../core/blank-text.js'
import type { KeptTurn } from '../core/conversation.js'
import { startOf } from '../language/words/start-of.js'
import type { TurnBefore } from '../storage/ports/vector-upkeep.js'
import { type WrittenTurn, writtenTurns } from './dialogue.js'
import { bullet, longestMemory, onOneLine } from './split.js'
import { outlineOf } from './structure/outline.js'

export interface Message {
  readonly role: 'user' | 'assistant' | 'system' | 'tool'
  readonly content: string
  readonly name?: string
  readonly createdAt?: number
}

export type SubmittedText = { readonly content: string } | { readonly messages: readonly Message[] }

/** A turn as context for later ones. */
export type SaidTurn = Omit<KeptTurn, 'expiresAt'>

export interface Turn {
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

export function turnsOf(text: SubmittedText): Turn[] {
  if ('messages' in text) {
    const turns = text.messages
      .filter(({ content }) => !isBlank(content))
      .map((message) => turnOf(message, message.content))
    return turns.length === 1 ? turns.map(asDocument) : turns
  }
  return spokenIn(text.content)?.map(writtenTurn) ?? [plainTurn(text.content)]
}

function spokenIn(text: string): WrittenTurn[] | null {
  const turns = writtenTurns(text)
  return turns !== null && outlineOf(text)?.isSettings ? null : turns
}

/** A document that a user sends as the only message is divided like any other. */
function asDocument(turn: Turn): Turn {
  if (turn.role !== 'user' || turn.speaker !== null || outlineOf(turn.text)?.isSure !== true) return turn
  return spokenIn(turn.text) === null ? { ...turn, spoken: false } : turn
}

export function earlierTurn({ role, speaker, prefix, spoken, text, at }: SaidTurn): Turn {
  return { lead: '', text, speaker, role, createdAt: at, prefix, spoken }
}

/** A long text or one with paragraphs, and without speakers: it neither continues a conversation nor is one. */
export function isDocument({ spoken, text }: Turn): boolean {
  return !spoken && (text.length > longestMemory || /\n\s*\n/u.test(text))
}

const markdownLine = /^\s{0,3}(?:#{1,6} |[-*+•] |\d{1,3}[.)] |```|\|.*\|)/u
const fullStop = /\p{L}\.(?=\s|$)/gu
const fewestSentences = 3
const fewestLines = 3
const fewestMarkdownLines = 2

/** A guide, notes or a list rather than something said to an assistant: its sentences belong together, also those that would ask for something. */
export function isWriting(turn: Turn): boolean {
  if (turn.role !== 'user' || turn.speaker !== null) return false
  const lines = turn.text.split('\n').filter((line) => line.trim() !== '')
  if (lines.filter((line) => markdownLine.test(line)).length >= fewestMarkdownLines) return true
  if (turn.spoken) return false
  return isDocument(turn) || lines.length >= fewestLines || (turn.text.match(fullStop)?.length ?? 0) >= fewestSentences
}

function turnOf(message: Pick<Message, 'role' | 'name' | 'createdAt'>, text: string, lead = ''): Turn {
  const { role, name, createdAt = null } = message
  return { lead, text, speaker: name ?? null, role, createdAt, prefix: prefixOf(message), spoken: true }
}

function writtenTurn({ text, lead, name, isSpeaker }: WrittenTurn): Turn {
  if (name === null) return plainTurn(text)
  const turn = turnOf(isSpeaker ? namedRole(name) : { role: 'user', name }, text.slice(lead), text.slice(0, lead))
  return isSpeaker ? turn : { ...turn, speaker: null, prefix: labelOf(turn) }
}

/** A label keeps the space that French puts before the colon: "Voiture : …". */
function labelOf({ lead, prefix }: Turn): string {
  return /\p{L} :/u.test(lead) ? prefix.replace(/:/u, ' :') : prefix
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

const longestKept = 2_000
const keptAtEnd = 800

/** A turn as context. Of a long one the beginning, which says what it is about, and the end, which may ask something. */
export function keptTurn({ role, speaker, prefix, spoken, text }: Turn, at: number): SaidTurn {
  return { role, speaker, prefix, spoken, text: abridged(text), at }
}

function abridged(text: string): string {
  if (text.length <= longestKept) return text
  const start = startOf(text, longestKept - keptAtEnd - 1)
  return `${start}\n${text.slice(-keptAtEnd).replace(/^[\uDC00-\uDFFF]/, '')}`
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
