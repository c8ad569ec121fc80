/** A rule that reads a statement, as data. The rules of a table are tried in order, and the first that matches decides. */
import type { Slot } from '../../core/entity.js'
import type { Reading } from './reading.js'

export interface Subject {
  readonly key: string
  /** A name or "I": the verb follows immediately. */
  readonly plain: boolean
}

/** A clause split at its verb. */
export interface Statement {
  readonly reading: Reading
  readonly subject: Subject
  /** The verb as it is written. */
  readonly form: string
  /** The words after the verb. */
  readonly text: string
  readonly past: boolean
}

export interface StatementRule {
  readonly id: string
  /** A sentence that this rule reads. */
  readonly example: string
  readonly pattern: RegExp
  /** The text to which the pattern is applied. Default: the words after the verb. */
  readonly on?: (statement: Statement) => string
  /** A further condition. */
  readonly when?: (statement: Statement, match: RegExpExecArray) => boolean
  /** The slots. An empty list: the statement says nothing, and no later rule reads it. Null: later rules may read it. */
  readonly yields: (match: RegExpExecArray, statement: Statement) => readonly Slot[] | null
}

/** The pattern of a rule that depends only on its further condition. */
export const anyText = /^/u

export interface Read {
  readonly rule: string
  readonly slots: readonly Slot[]
}

export const nothingRead: Read = { rule: 'none', slots: [] }

export function readBy(rules: readonly StatementRule[], statement: Statement): Read {
  for (const { id, pattern, on, when, yields } of rules) {
    const match = pattern.exec(on ? on(statement) : statement.text)
    if (!match || (when && !when(statement, match))) continue
    const slots = yields(match, statement)
    if (slots) return { rule: id, slots }
  }
  return nothingRead
}

/** The mark of a value that is denied or over. */
export function denial({ reading }: Statement): '' | '!' {
  return reading.clause.holds === 'yes' ? '' : '!'
}

export const wordsOf = (text: string): string[] => text.split(' ').filter((word) => word !== '')
export const restOf = (text: string): string => wordsOf(text).slice(1).join(' ')
