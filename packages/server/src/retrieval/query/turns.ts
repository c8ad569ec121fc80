/** Turns of a dialogue: which of them ask, and which answer one that asked. */
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

// A point ends a sentence only before white space: "3.5", "example.com".
const endings = /[!?…。！？؟]+|(?<!\.)\.+(?=\s|$)/gu
const asking = /[?？؟]/u

/**
 * The share of its sentences that ask nothing: 1 for a statement, 0 for a bare question. Only among people: what a user
 * asks of an assistant tells as much of the user as a statement does.
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
  // What is left may be a closing quotation mark, or a sentence without an end.
  if (/[\p{L}\p{N}]/u.test(text.slice(end))) sentences += 1
  return sentences === 0 ? 1 : 1 - questions / sentences
}

/** An answer stands so many rows after its question: memories of one conversation are stored in order, and a turn may be several. */
export const stepsToQuestion = [1, 2, 3] as const
const longestPauseMs = 3_600_000

/** Where a question may stand that a memory in this row answers. */
export function rowsBefore(row: number): number[] {
  return stepsToQuestion.map((step) => row - step)
}

export function isSoonAfter(earlier: number, later: number): boolean {
  return later >= earlier && later - earlier <= longestPauseMs
}

/**
 * The turn that a turn answers: the one of another person just before it, if it asked something. What an assistant
 * answers is left out: its answers are long, come after every turn and repeat it.
 */
export function questionBefore<T extends Turn>(turn: T, byRow: ReadonlyMap<number, T>): T | null {
  if (isMachine(turn.speaker)) return null
  for (const step of stepsToQuestion) {
    const before = byRow.get(turn.row - step)
    if (!before || !isSoonAfter(before.saidAt, turn.saidAt)) continue
    if (before.speaker === turn.speaker) continue
    return !isMachine(before.speaker) && asking.test(withoutAskedNote(before.content).slice(0, mostCharacters))
      ? before
      : null
  }
  return null
}
