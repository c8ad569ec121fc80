/** What every data set is turned into: users with memories, and questions with the memories that answer them. */
import { divide, type Message } from '../../packages/server/src/ingest/divide.js'

export interface Document {
  /** Names the turn, session or abstract within its corpus. */
  readonly key: string
  /** The session it belongs to; several documents may share one. */
  readonly session: string
  readonly content: string
  /** Who says "I" in it; without it the user does. */
  readonly speakerName?: string
  /** The turn before it in its session, as the service would tell the embedder; null where there is none. */
  readonly before: string | null
  readonly createdAt: number
}

export interface Question {
  readonly id: string
  readonly text: string
  readonly category: string
  /** Keys (or sessions, by the task's unit) that answer it. */
  readonly gold: readonly string[]
  /** False: the corpus has no answer, and the best found should score low. Counts for abstention alone. */
  readonly answerable: boolean
  /** When it is asked: what "last May" means. Without it, the day after all was said. */
  readonly askedAt?: number
}

/** One user of the service. */
export interface Corpus {
  /** Corpora of one id have the same documents: they are written once. */
  readonly id: string
  readonly documents: readonly Document[]
  readonly questions: readonly Question[]
}

export interface RetrievalTask {
  readonly name: string
  readonly title: string
  /** What is ranked: each document, or each session by its best document. */
  readonly unit: 'key' | 'session'
  /** Asked of recall. More than 20 only where several documents make one unit. */
  readonly recallLimit: number
  /** What the small split leaves out. */
  readonly smallSplit: string
  load(source: Source): AsyncIterable<Corpus>
}

export interface Source {
  readonly directory: string
  readonly full: boolean
}

export const deepest = 20

/** At most so many, spread over all. */
export function evenly<T>(all: readonly T[], count: number): T[] {
  const every = Math.max(1, Math.floor(all.length / Math.max(1, count)))
  return all.filter((_, index) => index % every === 0).slice(0, count)
}

export interface Turn {
  readonly speaker: string
  readonly text: string
}

/**
 * A session's turns as the service stores a conversation: `divide` puts the same prefix before each
 * sentence. A nameless user's "I" is the user.
 */
export function turnsAsStored(turns: readonly Turn[]): Pick<Document, 'content' | 'speakerName' | 'before'>[] {
  return turns.map((turn, index) => ({ ...turnOf(turn), before: contextOf(turns[index - 1]) }))
}

export function turnOf({ speaker, text }: Turn): Pick<Document, 'content' | 'speakerName'> {
  if (speaker === 'user') return { content: text }
  const speakerName = speaker === 'assistant' ? 'Assistant' : speaker.replace(/\s+/gu, ' ').trim()
  return { content: `${speakerName}: ${text}`, speakerName }
}

/** Only the beginning of a turn is context: what is cut off here is never looked at, and would take long to split. */
const longestContext = 1_000

/** What the splitter itself says of the turn before an answer. */
function contextOf(previous: Turn | undefined): string | null {
  if (previous === undefined) return null
  const role = previous.speaker === 'user' || previous.speaker === 'assistant' ? previous.speaker : undefined
  const asking: Message = {
    role: role ?? 'user',
    content: previous.text.slice(0, longestContext),
    ...(role === undefined ? { name: previous.speaker } : {}),
  }
  // Two statements: small talk would make no memory.
  const { memories } = divide({ messages: [asking, { role: 'user', content: 'I have lived in a house.' }] }, 0)
  return memories.at(-1)?.before ?? null
}
