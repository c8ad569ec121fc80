/** What every data set is turned into: users with memories, and questions with the memories that answer them. */

export interface Document {
  /** Names the turn, session or abstract within its corpus. */
  readonly key: string
  /** The session it belongs to; several documents may share one. */
  readonly session: string
  readonly content: string
  /** Who says "I" in it; without it the user does. */
  readonly speakerName?: string
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

/**
 * A turn as the service stores it: `splitMessages` puts the same prefix before each sentence. A nameless
 * user's "I" is the user.
 */
export function turnOf(speaker: string, text: string): Pick<Document, 'content' | 'speakerName'> {
  if (speaker === 'user') return { content: text }
  const speakerName = speaker === 'assistant' ? 'Assistant' : speaker.replace(/\s+/gu, ' ').trim()
  return { content: `${speakerName}: ${text}`, speakerName }
}
