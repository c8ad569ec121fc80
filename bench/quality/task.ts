/** The common form of every data set: users with memories, and questions with the memories that answer them. */
import { divide } from '../../packages/server/src/ingest/divide.js'
import type { Message } from '../../packages/server/src/ingest/turns.js'

export interface Document {
  /** Identifies the turn, session or abstract within its corpus. */
  readonly key: string
  /** The session it belongs to; several documents may share one. */
  readonly session: string
  readonly content: string
  /** The person who says "I"; by default the user. */
  readonly speakerName?: string
  /** The previous turn in its session, as the service would pass it to the embedder; null if there is none. */
  readonly before: string | null
  readonly createdAt: number
}

export interface Question {
  readonly id: string
  readonly text: string
  readonly category: string
  /** Keys (or sessions, depending on the task's unit) that answer it. */
  readonly gold: readonly string[]
  /** False: the corpus has no answer, and the best result should score low. Counts only for abstention. */
  readonly answerable: boolean
  /** Number of documents that were stored when it was asked; by default all. Only `--door` observes it. */
  readonly seen?: number
  /** The time of the question, which "last May" refers to. By default the day after the last statement. */
  readonly askedAt?: number
  /** If given, only what was said until then is searched. `--door` stores no more than `seen` instead. */
  readonly asOf?: number
}

/** One user of the service. */
export interface Corpus {
  /** Corpora with the same id have the same documents and are written once. */
  readonly id: string
  readonly documents: readonly Document[]
  readonly questions: readonly Question[]
}

export interface RetrievalTask {
  readonly name: string
  readonly title: string
  /** The unit of ranking: each document, or each session by its best document. */
  readonly unit: 'key' | 'session'
  /** Number of memories requested from recall. More than 20 only if several documents form one unit. */
  readonly recallLimit: number
  /** Describes the small split. */
  readonly smallSplit: string
  load(source: Source): AsyncIterable<Corpus>
}

export interface Source {
  readonly directory: string
  readonly full: boolean
}

export const deepest = 20

/** At most this many, spread evenly. */
export function evenly<T>(all: readonly T[], count: number): T[] {
  const every = Math.max(1, Math.floor(all.length / Math.max(1, count)))
  return all.filter((_, index) => index % every === 0).slice(0, count)
}

export const turnsPerRequest = 20

/** Turns of one session, as many as an application would send at once. */
export function* requestsOf(documents: readonly Document[]): Generator<readonly Document[]> {
  for (let first = 0; first < documents.length; ) {
    let end = first
    while (
      end < documents.length &&
      end - first < turnsPerRequest &&
      documents[end]?.session === documents[first]?.session
    )
      end += 1
    yield documents.slice(first, end)
    first = end
  }
}

/** The words of a turn, without the speaker's name before them. */
export function saidIn({ content, speakerName }: Pick<Document, 'content' | 'speakerName'>): string {
  return speakerName === undefined ? content : content.slice(speakerName.length + ': '.length)
}

export interface Turn {
  readonly speaker: string
  readonly text: string
}

/**
 * A session's turns in the form in which the service stores a conversation: `divide` puts the same prefix before each
 * sentence. A user without a name is "I".
 */
export function turnsAsStored(turns: readonly Turn[]): Pick<Document, 'content' | 'speakerName' | 'before'>[] {
  return turns.map((turn, index) => ({
    ...turnOf(turn),
    before: contextOf(turns.slice(Math.max(0, index - 2), index)),
  }))
}

export function turnOf({ speaker, text }: Turn): Pick<Document, 'content' | 'speakerName'> {
  if (speaker === 'user') return { content: text }
  const speakerName = speaker === 'assistant' ? 'Assistant' : speaker.replace(/\s+/gu, ' ').trim()
  return { content: `${speakerName}: ${text}`, speakerName }
}

/** Only the beginning of a turn serves as context: the rest is never used, and would take long to split. */
const longestContext = 1_000

/** The context that the splitter itself gives for the turn after these. */
function contextOf(earlier: readonly Turn[]): string | null {
  if (earlier.length === 0) return null
  const messages = earlier.map(({ speaker, text }): Message => {
    const role = speaker === 'user' || speaker === 'assistant' ? speaker : undefined
    const content = text.slice(0, longestContext)
    return { role: role ?? 'user', content, ...(role === undefined ? { name: speaker } : {}) }
  })
  // Two statements, because small talk would produce no memory.
  const { memories } = divide({ messages: [...messages, { role: 'user', content: 'I have lived in a house.' }] }, 0)
  return memories.at(-1)?.before ?? null
}
