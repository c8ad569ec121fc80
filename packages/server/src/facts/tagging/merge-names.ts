/**
 * Combines the names that rules and the model find in a sentence. The model decides about people, organisations and
 * places; lexicons and patterns are better at products, events, concepts, and chat vocabulary that the model does not
 * know.
 */

import { type NameSpan, namesIn } from '../../language/names/find-names.js'
import { personTitles } from '../../language/words/common-words.js'
import type { SpanSeen } from '../../models/tagger/tag-reading.js'

const main: ReadonlySet<string> = new Set(['PERSON', 'ORG', 'LOCATION'])

export function mergedNames(sentence: string, seen: readonly SpanSeen[] | undefined): NameSpan[] {
  const ruled = namesIn(sentence)
  if (!seen) return ruled
  const listed = ruled.filter(({ type, sure }) => sure && !main.has(type))
  const read = seen
    .filter(({ type }) => main.has(type))
    .map((span) => nameSpan(sentence, span))
    // A name on the product list, such as "Postgres", is a product whatever the model says.
    .filter((span): span is NameSpan => span !== null && !listed.some((rule) => isSame(rule, span)))
  const added = ruled.filter((rule) => !main.has(rule.type) && !read.some((span) => overlaps(rule, span)))
  return [...read, ...added].sort((a, b) => a.start - b.start)
}

function nameSpan(sentence: string, { start, end, type }: SpanSeen): NameSpan | null {
  let from = start
  if (type === 'PERSON') {
    // "Dr. Smith" becomes "Smith".
    for (;;) {
      const title = /^(\p{L}+\.?)\s+(?=\S)/u.exec(sentence.slice(from, end))
      if (!title?.[1] || !personTitles.has(title[1].toLowerCase())) break
      from += title[0].length
    }
  }
  const last = !/\S/u.test(sentence.slice(end))
  // The full stop of "Acme Corp." belongs to the sentence if the sentence ends there; the one of "U.S." does not.
  const name = sentence.slice(from, end).replace(/(?<=\p{L}{2})\.$/u, (point) => (last ? '' : point))
  return /[\p{L}\p{N}]/u.test(name) ? { start: from, end, name, type, sure: true } : null
}

function isSame(a: NameSpan, b: NameSpan): boolean {
  return a.start === b.start && a.end === b.end
}

function overlaps(a: NameSpan, b: NameSpan): boolean {
  return a.start < b.end && b.start < a.end
}
