/**
 * Formats of strings in requests that JSON Schema cannot express. AJV knows them by name, so their problems are reported together with
 * all others, each with its path.
 */

import { isBlank } from '../../core/blank-text.js'
import { groupedDigits } from '../../core/grouped-digits.js'
import { itemKeyProblem, namespaceProblem } from '../../core/item.js'
import { readEventId } from '../../core/memory-event.js'
import { isIdempotencyKey } from '../../core/once.js'
import { parseTtl } from '../../core/ttl.js'
import { readCursor } from './cursor.js'
import { readDays } from './days.js'
import { parseTimestamp } from './timestamp.js'

export const maxContentCharacters = 50_000
export const maxQueryCharacters = 10_000

/** A problem with a text, worded to follow the name of its field. Undefined if there is none. */
type Problem = (text: string) => string | undefined

export const textFormats = {
  'memory-text': (text) => proseProblem(text, maxContentCharacters),
  /** A blank message is skipped, so that it does not refuse all others. */
  'message-text': (text) => lengthProblem(text, maxContentCharacters),
  'query-text': (text) => proseProblem(text, maxQueryCharacters),
  /** A name that a person chose, for a project, key, source or entity. */
  label: (text) => (isBlank(text) ? blank : undefined),
  identifier: (text) => {
    if (isBlank(text)) return blank
    return /\p{Cc}/u.test(text) ? 'must not have control characters' : undefined
  },
  'idempotency-key': (text) => (isIdempotencyKey(text) ? undefined : 'must be 1 to 255 visible ASCII characters'),
  namespace: namespaceProblem,
  'item-key': itemKeyProblem,
  ttl: (text) => {
    const ttl = parseTtl(text)
    return ttl.kind === 'invalid' ? ttl.problem : undefined
  },
  timestamp: (text) =>
    parseTimestamp(text) === undefined
      ? 'must be an ISO 8601 date or date-time such as 2026-03-01T09:30:00Z (in a URL, + is written %2B)'
      : undefined,
  'event-id': (text) =>
    readEventId(text) === undefined ? 'must be the id of an event, or 0 for all events that are kept' : undefined,
  days: (text) =>
    readDays(text) === undefined ? 'must be 1 to 100 whole numbers from 0 to 36500, separated by commas' : undefined,
  cursor: (text) => (readCursor(text) === undefined ? 'is not a cursor of this service' : undefined),
} as const satisfies Readonly<Record<string, Problem>>

export type TextFormat = keyof typeof textFormats

export function isTextFormat(name: unknown): name is TextFormat {
  return typeof name === 'string' && Object.hasOwn(textFormats, name)
}

export const blank = 'must not be blank'

function proseProblem(text: string, maxCharacters: number): string | undefined {
  return isBlank(text) ? blank : lengthProblem(text, maxCharacters)
}

function lengthProblem(text: string, maxCharacters: number): string | undefined {
  return charactersExceed(text.trim(), maxCharacters)
    ? `must have at most ${groupedDigits(maxCharacters)} characters`
    : undefined
}

/** Characters are code points: an emoji is one, although it takes two UTF-16 units. */
export function charactersExceed(text: string, max: number): boolean {
  if (text.length <= max) return false
  if (text.length > 2 * max) return true
  let characters = 0
  for (const _ of text) characters += 1
  return characters > max
}
