/** What a pronoun may refer to, and how a name replaces it. English only. */
import { pattern } from '../../core/pattern.js'
import type { Edit } from '../sentences/edits.js'
import type { Mention } from './mentions.js'

const pronounPattern =
  /(?<![\p{L}\p{N}'’-])(he|she|him|her|his|they|them|their|it|its|there)(['’](?:s|ll|re|ve|d))?(?![\p{L}\p{N}'’-])/giu

export interface Pronoun {
  readonly person: boolean
  readonly plural: boolean
  /** "Them" refers to things as often as to people. */
  readonly object: boolean
  /** Refers to the previous sentence or to nothing. */
  readonly nearOnly: boolean
  readonly gender: 'f' | 'm' | null
  fits(mention: Mention, at: number): boolean
  /** The name in its place, in the same form: "Anna's" for "her". */
  replacement(name: string): Edit
  /** The text in brackets after it. */
  note(name: string): string
}

export function unknownPerson(match: RegExpExecArray, { gender, plural }: Pronoun): Omit<Mention, 'key'> {
  const place = { start: match.index, end: match.index + match[0].length }
  return { ...place, kind: plural ? 'group' : 'person', gender, name: null, kin: null }
}

export function pronounStops(text: string) {
  return [...text.matchAll(pronounPattern)].map((match) => ({ at: match.index, mention: null, match }))
}

const noObject = new RegExp(
  pattern`
    ^(?:[\s]*(?:$|[^\s\p{L}])|\s+(?:and|or|but|to|in|on|at|for|with|about|when|if|that|because|as|from|by|than|then
    |yesterday|today|tonight|tomorrow|again|there|here|very|so|too|a|an|the|this|these|those|his|my|our|your|not|is
    |was|will|who|what|how|why|where|which|last|next|every|once|since|until|after|before|up|out|down|back|off|over
    |during|into|while|well|now|some|something|anything|everything|all|one|i|we|he|she|they|you|go|come|know|feel
    |do|be|have|get|\p{L}+ly)(?![\p{L}]))
  `,
  'iu',
)

export function pronounOf(match: RegExpExecArray, text: string): Pronoun | null {
  const [whole, written = '', contraction = ''] = match
  const word = written.toLowerCase()
  const at = match.index
  const after = text.slice(at + whole.length, at + whole.length + 40)
  const before = text.slice(Math.max(0, at - 24), at)
  if (word === 'there') return therePronoun(match, before, after)
  if (word === 'it' || word === 'its') return itPronoun(match, text, after)
  const plural = /^the/.test(word)
  // "They say that …" refers to everyone; "if someone calls, tell them" refers to nobody yet.
  if (
    plural &&
    (/^ (?:say|said that|claim)\b/.test(after) ||
      /\b(?:someone|somebody|anyone|anybody|everyone|everybody|nobody|whoever|person|each|people|who)\b/i.test(
        text.slice(0, at),
      ))
  )
    return null
  const gender = plural ? null : /^(?:he|him|his)$/.test(word) ? 'm' : 'f'
  const opens = !/[\p{L}\p{N}]/u.test(text.slice(0, at))
  const naming = /\b(?:name|named|naming|call|called|calling)\s$/i.test(before) && /^ \p{Lu}/u.test(after)
  const possessive = /^(?:his|their)$/.test(word) || (word === 'her' && !noObject.test(after) && !naming)
  if (word === 'his' && noObject.test(after)) return null
  return {
    person: true,
    plural,
    object: word === 'them',
    nearOnly: false,
    gender,
    fits: (mention) => (plural ? fitsPlural(mention, opens) : fitsPerson(mention, gender)),
    replacement: (name) => replaced(match, name, possessive, contraction, after),
    note: (name) => (possessive ? genitive(name) : name),
  }
}

function fitsPerson({ kind, gender, isSomeone }: Mention, wanted: Pronoun['gender']): boolean {
  return (kind === 'person' || isSomeone === true) && (gender === null || gender === wanted)
}

/** "They offered me a job": a company. */
function fitsPlural({ kind, isAt }: Mention, opens: boolean): boolean {
  return kind === 'group' || (kind === 'organisation' && opens && isAt === true)
}

function genitive(name: string): string {
  return /s$/.test(name) && name.includes(' ') ? `${name}’` : `${name}'s`
}

/** Replaces the pronoun with a name in the same form. */
function replaced(match: RegExpExecArray, name: string, possessive: boolean, contraction: string, after: string): Edit {
  const start = match.index
  const end = start + match[0].length
  const opens = /^\p{Lu}/u.test(match[0]) && !/^\p{Lu}/u.test(name)
  const written = opens ? name.charAt(0).toUpperCase() + name.slice(1) : name
  if (possessive) return { start, end, text: genitive(written) }
  return { start, end, text: written + longForm(contraction, after) }
}

const has = /^ (?:been|had|got|gone|become|never|just \p{Ll}+(?:ed|en)\b)/u

function longForm(contraction: string, after: string): string {
  switch (contraction.slice(1).toLowerCase()) {
    case 's':
      if (has.test(after)) return ' has'
      // "He's adopted" can mean both "is" and "has": keep it as written.
      return /^ (?:\p{Ll}{2,}ed|done|seen|made|taken|lost|found|left|won|built|sold)\b/u.test(after)
        ? contraction
        : ' is'
    case 'll':
      return ' will'
    case 're':
      return ' are'
    case 've':
      return ' have'
    default:
      return contraction
  }
}

const existentialVerb = new RegExp(
  pattern`^ (?:is|are|was|were|will|has|have|had|isn|aren|wasn|weren|seems?|might|may|can|could|should|must|would
    |wo|won|wont|cant|isnt|wasnt|arent|be|used|comes?|goes|exists?|remains?|lies|[a-z]+ (?:is|are|was|were))\b`,
)

/** "There are" and "hi there" refer to no place. */
function therePronoun(match: RegExpExecArray, before: string, after: string): Pronoun | null {
  if (match[2]) return null
  if (existentialVerb.test(after)) return null
  if (
    /\b(?:hi|hello|hey|out|over|up|down|right|in|back|is|are|was|were|be|been|isn't|hang|almost|nearly|not|and|you|anybody|anyone) $/i.test(
      before,
    ) &&
    !/\b(?:live|lived|go|went|work|worked|been|back|was|were) $/i.test(before)
  )
    return null
  const end = match.index + match[0].length
  return {
    person: false,
    plural: false,
    object: false,
    nearOnly: false,
    gender: null,
    // In the same sentence an unknown name may be the place.
    fits: ({ kind, isAt }, at) =>
      kind === 'place' || (kind === 'organisation' && isAt === true) || (kind === 'unknown' && at >= 0),
    replacement: (name) => ({ start: match.index, end, text: `in ${name}` }),
    note: (name) => name,
  }
}

/** "It" of the weather, the time and impersonal phrases. */
const impersonal = new RegExp(
  pattern`
    ^(?:['’]s|['’]ll|['’]d)? ?(?:(?:is|was|will be|would be|has been|can be|must be|gets?|got|feels?|felt|looks?
    |seems?|sounds?|takes?|took|rains?|rained|snows?|snowed|depends|turns? out|turned out|turned|happens|happened
    |means|meant|costs?|makes sense|makes me|made me|helps?|helped|hurts?|says|said|started|began|became|really
    |just|also|still|never|always|all|kind of|sort of|not|so|too|very)\b)
  `,
  'i',
)

function itPronoun(match: RegExpExecArray, text: string, after: string): Pronoun | null {
  const [whole, written = '', contraction = ''] = match
  // Only at the start of a sentence, and only if the start of the previous sentence has a name.
  if (/[\p{L}\p{N}]/u.test(text.slice(0, match.index))) return null
  const possessive = written.toLowerCase() === 'its'
  if (!possessive && impersonal.test(text.slice(match.index + written.length, match.index + whole.length + 20)))
    return null
  return {
    person: false,
    plural: false,
    object: false,
    nearOnly: true,
    gender: null,
    fits: ({ kind, start }, at) => kind !== 'person' && kind !== 'group' && (at >= 0 || start <= 4),
    replacement: (name) => replaced(match, name, possessive, contraction, after),
    note: (name) => (possessive ? genitive(name) : name),
  }
}
