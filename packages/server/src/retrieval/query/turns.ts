/** Turns of a conversation: which of them ask a question, and which answer one. */
import { withoutAskedNote } from '../../core/asked-note.js'
import { isMachine } from './speaker.js'

export interface Turn {
  readonly row: number
  /** Null: the user. */
  readonly speaker: string | null
  readonly content: string
  readonly saidAt: number
}

const mostCharacters = 2_000

// A period ends a sentence only before white space, unlike in "3.5" and "example.com".
const endings = /[!?…。！？؟]+|(?<!\.)\.+(?=\s|$)/gu
const asking = /[?？؟]/u

/**
 * The share of its sentences that ask nothing: 1 for a statement, 0 for a bare question. Only for conversations between people: what a
 * user asks an assistant says as much about the user as a statement does.
 */
export function statementShare({ speaker, content }: Pick<Turn, 'speaker' | 'content'>): number {
  if (speaker === null || isMachine(speaker)) return 1
  const text = withoutAskedNote(content).slice(0, mostCharacters).trim()
  let [sentences, questions, end] = [0, 0, 0]
  for (const match of text.matchAll(endings)) {
    sentences += 1
    if (asking.test(match[0])) questions += 1
    end = match.index + match[0].length
  }
  // The rest may be a closing quotation mark, or a sentence without punctuation.
  if (/[\p{L}\p{N}]/u.test(text.slice(end))) sentences += 1
  return sentences === 0 ? 1 : 1 - questions / sentences
}

/** An answer is this many rows after its question: memories of a conversation are stored in order, and a turn may be several memories. */
export const stepsToQuestion = [1, 2, 3] as const
const longestPauseMs = 3_600_000

/** The rows of questions that a memory in this row may answer. */
export function rowsBefore(row: number): number[] {
  return stepsToQuestion.map((step) => row - step)
}

export function isSoonAfter(earlier: number, later: number): boolean {
  return later >= earlier && later - earlier <= longestPauseMs
}

/**
 * The turn that a turn answers: the previous turn of another person, if it asked something. Answers of an assistant are excluded: they
 * are long, come after every turn and repeat it. What an assistant asks counts if its turn ends with it.
 */
export function questionBefore<T extends Turn>(turn: T, byRow: ReadonlyMap<number, T>): T | null {
  if (isMachine(turn.speaker)) return null
  for (const step of stepsToQuestion) {
    const before = byRow.get(turn.row - step)
    if (!before || !isSoonAfter(before.saidAt, turn.saidAt)) continue
    if (before.speaker === turn.speaker) continue
    return asksSomething(before) ? before : null
  }
  return null
}

const lastCharacters = 12

function asksSomething({ speaker, content }: Turn): boolean {
  const text = withoutAskedNote(content)
  if (!isMachine(speaker)) return asking.test(text.slice(0, mostCharacters))
  return /[?？؟][^\p{L}\p{N}]*$/u.test(text.slice(-lastCharacters))
}
