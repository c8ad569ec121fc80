/**
 * Other names that a text explicitly gives somebody or something: "Melanie (Mel)", "Mel, short for Melanie", "call me
 * Mel", "International Business Machines (IBM)". Only names that the tagger found are joined, and only if the words
 * between them say so; brackets alone are enough if one name is derived from the other.
 */
import { type EntityMention, nameKey } from '../../core/entity.js'
import { fullFormsOf } from '../../core/nicknames.js'

/** A memory has at most about a thousand characters; of a longer text only the beginning is read. */
const longestText = 4_000
/** All pairs are compared: a memory with more names than this is a list. */
const mostNames = 40

/** The mentions, with the aliases that the text states. */
export function withStatedAliases(content: string, mentions: readonly EntityMention[]): EntityMention[] {
  const text = content.slice(0, longestText)
  const considered = mentions.slice(0, mostNames)
  const found = new Map<EntityMention, string[]>()
  const join = (mention: EntityMention, alias: string) => {
    const known = [mention.name, ...mention.aliases, ...(found.get(mention) ?? [])]
    if (!known.includes(alias)) found.set(mention, [...(found.get(mention) ?? []), alias])
  }
  for (const place of namePlaces(text, considered)) {
    const pair = place.next && statedPair(text, place.mention, place, place.next)
    if (pair) join(pair.holder, pair.alias)
  }
  const speaker = considered.find(({ key }) => key.startsWith('user:'))
  if (speaker) for (const alias of ownNames(text, considered)) join(speaker, alias)
  return mentions.map((mention) => {
    const aliases = found.get(mention)
    return aliases ? { ...mention, aliases: [...mention.aliases, ...aliases] } : mention
  })
}

interface Place {
  readonly mention: EntityMention
  readonly name: string
  readonly start: number
  readonly end: number
  next?: Place
}

const isLetter = /\p{L}/u

/** The positions of the names, in order, each with the next one. */
function namePlaces(text: string, mentions: readonly EntityMention[]): Place[] {
  const places: Place[] = []
  for (const mention of mentions) {
    if (mention.key.startsWith('user:')) continue
    for (const name of [mention.name, ...mention.aliases]) {
      if (name === '') continue
      for (let start = text.indexOf(name); start >= 0; start = text.indexOf(name, start + name.length)) {
        const end = start + name.length
        if (!isLetter.test(text.charAt(start - 1)) && !isLetter.test(text.charAt(end)))
          places.push({ mention, name, start, end })
      }
    }
  }
  places.sort((a, b) => a.start - b.start || b.end - a.end)
  // "Mel" also occurs in "Melanie": the longer name takes the position.
  const apart: Place[] = []
  for (const place of places) if (place.start >= (apart.at(-1)?.end ?? 0)) apart.push(place)
  for (const [index, place] of apart.entries()) {
    const next = apart[index + 1]
    if (next) place.next = next
  }
  return apart
}

/** Phrases between two names that make the second another name of the first, or the reverse. */
const alsoCalled =
  /^,? \(?(?:aka|a\.k\.a\.|also (?:known as|called)|better known as|known as|nicknamed|who goes by|goes by|(?:but )?(?:everyone|everybody|people|friends|we|they|i) calls? (?:him|her|it|them)) "?$/iu
const shortFor = /^,? (?:is |which is |,)?(?:short|a nickname|an abbreviation|the abbreviation) (?:for|of) "?$/iu
const standsFor = /^ (?:stands for|means) "?$/iu

function statedPair(
  text: string,
  first: EntityMention,
  place: Place,
  next: Place,
): { readonly holder: EntityMention; readonly alias: string } | null {
  const second = next.mention
  if (second.type !== first.type || second === first) return null
  const between = text.slice(place.end, next.start)
  if (between.length > 60) return null
  if (alsoCalled.test(between)) return { holder: first, alias: next.name }
  if (shortFor.test(between) || standsFor.test(between)) return { holder: second, alias: place.name }
  const inBrackets = /^ ?\("?$/u.test(between) && /^"?\)/u.test(text.slice(next.end, next.end + 2))
  if (!inBrackets) return null
  if (isMadeFrom(next.name, place.name)) return { holder: first, alias: next.name }
  return isMadeFrom(place.name, next.name) ? { holder: second, alias: place.name } : null
}

/** Initials, a short form, or the beginning of a name. */
function isMadeFrom(short: string, long: string): boolean {
  const shortKey = nameKey(short)
  const longKey = nameKey(long)
  const words = longKey.split(' ')
  const [first = ''] = words
  if (shortKey === '' || shortKey.length >= longKey.length) return false
  const initials = long
    .match(/\p{Lu}/gu)
    ?.join('')
    .toLowerCase()
  if (shortKey.length >= 2 && (shortKey === initials || shortKey === words.map((word) => word[0]).join(''))) return true
  if (fullFormsOf(shortKey).includes(first)) return true
  return shortKey.length >= 2 && words.some((word) => word.startsWith(shortKey))
}

/** Most texts contain none of these phrases, so the patterns for each name need not be built. */
const mayNameSpeaker = /call me|my name|i go by|i am|i['’]m/iu

/** "Call me Mel", "my name is Melanie", "I'm Melanie Jones, 34": names of the speaker, but not in somebody's quoted words. */
function ownNames(text: string, mentions: readonly EntityMention[]): string[] {
  if (!mayNameSpeaker.test(text)) return []
  const people = mentions.filter(({ type, key }) => type === 'PERSON' && !key.startsWith('user:'))
  return people
    .map(({ name }) => name)
    .filter((name) => {
      const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      const called = `(?:(?:you can |please |just )?call me|my name(?: is|['’]s)|i go by|i am called) "?${escaped}(?![\\p{L}])`
      const stated = `(?<!["“‘].{0,20})(?:i am|i['’]m) ${escaped}(?=[,.!;)]|$| and i| from | by the way)`
      return new RegExp(`(?<![\\p{L}])(?:${called}|${stated})`, 'iu').test(text)
    })
}
