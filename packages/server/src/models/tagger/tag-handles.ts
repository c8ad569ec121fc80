/**
 * Account names. Data sets disagree whether `@AnnaSmith` is a person, so the model learned nothing about them. A handle
 * that contains a given name is a person, one that ends like a newspaper, a club or a shop is an organisation, and all
 * others are not entities.
 */
import { givenNames } from '../../language/names/given-names.js'
import type { SpanSeen } from './tag-reading.js'

const handlePattern = /(?<![\p{L}\p{N}_])@([\p{L}\p{N}_]+)/gu
const organisation =
  /^(?:news|radio|times|magazine|records|online|daily|media|sports?|football|soccer|fc|club|tv|hq|dotcom|university|college|school|museum|theatre|hotel|bank|group|team|shop|store|clothing|press|post|journal|network|films?|studios?|police|gov|inc)$/
const organisationEnd = new RegExp(organisation.source.slice(1))
const shortestStart = 4
const longestStart = 11

export interface Handle {
  readonly start: number
  readonly end: number
}

export function handlesIn(text: string): Handle[] {
  return [...text.matchAll(handlePattern)].map(({ index, 0: handle }) => ({ start: index, end: index + handle.length }))
}

/** The name without its `@`. */
export function handleSpans(text: string, handles: readonly Handle[]): SpanSeen[] {
  return handles.flatMap(({ start, end }) => {
    const type = typeOf(text.slice(start + 1, end))
    return type ? [{ start: start + 1, end, type, score: 0.5 }] : []
  })
}

function typeOf(name: string): 'PERSON' | 'ORG' | null {
  const words = (name.match(/\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})/gu) ?? []).map((word) => word.toLowerCase())
  const letters = name.toLowerCase().replace(/[^\p{L}]/gu, '')
  if (words.some((word) => word.length > 2 && givenNames.has(word)) || startsWithName(letters)) return 'PERSON'
  if (words.some((word) => organisation.test(word)) || organisationEnd.test(letters)) return 'ORG'
  return null
}

function startsWithName(letters: string): boolean {
  for (let length = shortestStart; length <= Math.min(longestStart, letters.length); length += 1)
    if (givenNames.has(letters.slice(0, length))) return true
  return false
}
