/**
 * Formats of request texts that a JSON Schema can't express. They are handed to AJV by name, so that
 * their problems are reported together with all others, each with its path.
 */
import { readEventId } from '../../core/memory-event.js'
import { parseTtl } from '../../core/ttl.js'
import { readCursor } from './cursor.js'
import { readDays } from './days.js'
import { parseTimestamp } from './timestamp.js'

export const maxContentCharacters = 50_000
export const maxQueryCharacters = 10_000

/** What is wrong with a text, to stand after the field's name; undefined when nothing is. */
type Problem = (text: string) => string | undefined

export const textFormats = {
  'memory-text': (text) => proseProblem(text, maxContentCharacters),
  'query-text': (text) => proseProblem(text, maxQueryCharacters),
  /** A name that a person gave: of a project, a key, a source, an entity. */
  label: (text) => (isBlank(text) ? blank : undefined),
  identifier: (text) => {
    if (isBlank(text)) return blank
    return /\p{Cc}/u.test(text) ? 'must not have control characters' : undefined
  },
  ttl: (text) => {
    const ttl = parseTtl(text)
    return ttl.kind === 'invalid' ? ttl.problem : undefined
  },
  timestamp: (text) =>
    parseTimestamp(text) === undefined
      ? 'must be an ISO 8601 date or date-time such as 2026-03-01T09:30:00Z (in a URL, + is written %2B)'
      : undefined,
  'event-id': (text) =>
    readEventId(text) === undefined ? 'must be the id of an event, or 0 for all that are kept' : undefined,
  days: (text) =>
    readDays(text) === undefined
      ? 'must be 1 to 100 whole numbers from 0 to 36500 with commas between them'
      : undefined,
  cursor: (text) => (readCursor(text) === undefined ? 'is not a cursor that this service gave' : undefined),
} as const satisfies Readonly<Record<string, Problem>>

export type TextFormat = keyof typeof textFormats

export function isTextFormat(name: unknown): name is TextFormat {
  return typeof name === 'string' && Object.hasOwn(textFormats, name)
}

const blank = 'must not be blank'

/** White space and invisible characters alone say nothing. */
function isBlank(text: string): boolean {
  return !/[^\s\p{Cc}\p{Cf}\p{Z}]/u.test(text)
}

function proseProblem(text: string, maxCharacters: number): string | undefined {
  if (isBlank(text)) return blank
  return charactersExceed(text.trim(), maxCharacters)
    ? `must have at most ${maxCharacters.toLocaleString('en-US')} characters`
    : undefined
}

/** Characters are code points: an emoji is one, though it is two in memory. */
export function charactersExceed(text: string, max: number): boolean {
  if (text.length <= max) return false
  if (text.length > 2 * max) return true
  let characters = 0
  for (const _ of text) characters += 1
  return characters > max
}
