/**
 * Whether words that the tagging model took for a name can be one. The model learned from news and chats; it also marks
 * single letters, numerals, code, and ordinary words at the start of a sentence.
 */
import type { EntityType } from '../../core/entity.js'
import { commonNouns } from '../words/common-nouns.js'
import { ordinaryWords } from '../words/common-words.js'
import { isVerb } from '../words/words.js'
import { givenNames, wordNames } from './given-names.js'
import { guessFromContext } from './name-context.js'
import { events, organisations, products } from './organisations.js'
import { places } from './places.js'

export interface Claim {
  readonly start: number
  readonly end: number
  readonly type: EntityType
  /** 0 to 1: how sure the model is. */
  readonly score: number
}

const numeral = /^(?:i{1,3}|iv|vi{0,3}|ix|xi{0,3}|xi?v)$/u
const code = /[_\\{}<>=()[\]|~^$]/u
/** "Midwestern town", "Nordic countries": the word describes, it does not name. */
const describing = /(?:[^rt]ian|ish|ese|ern)$/u
/** Required of ordinary words in lower case, of unknown words in lower case, and of acronyms of three letters or two. */
const leastLower = 0.8
const leastUnknown = 0.5
const leastAcronym = 0.5
const leastShort = 0.8
/** Required of an ordinary word with a capital. */
const leastScore = 0.5
/** Required of an ordinary word that opens a sentence. */
const leastOpening = 0.99

export function canBeName(sentence: string, claim: Claim): boolean {
  // A handle has its own spelling.
  if (sentence[claim.start - 1] === '@') return true
  const name = sentence.slice(claim.start, claim.end).replace(/\.$/u, '')
  const lower = name.toLowerCase()
  const letters = name.replace(/[^\p{L}\p{N}]/gu, '')
  if (letters.length < 2 || numeral.test(lower) || code.test(name)) return false
  // A call or a member of something in code: "pbar.update(1)".
  if (/^(?:[(_]|\.\p{Ll}+\()/u.test(sentence.slice(claim.end, claim.end + 20))) return false
  if (isListed(lower)) return true
  const words = lower.split(/\s+/u)
  if (!/\p{Lu}/u.test(name)) {
    if (words.every(isWord)) return claim.score >= leastLower && contextOf(sentence, claim) === claim.type
    return claim.score >= (words.some(isWord) ? leastLower : leastUnknown)
  }
  if (words.length > 1) return true
  if (/^\p{Lu}{2,5}$/u.test(name)) return isAcronymOf(sentence, name, claim)
  if (!isWord(lower)) return !(claim.type === 'LOCATION' && describing.test(lower) && followedByNoun(sentence, claim))
  if (wordNames.has(lower) || claim.score >= leastOpening || contextOf(sentence, claim) === claim.type) return true
  return claim.score >= leastScore && !opens(sentence, claim.start)
}

/** An ordinary word, not a name, in lower case. */
export function isWord(lower: string): boolean {
  if (givenNames.has(lower) && !wordNames.has(lower)) return false
  const isNoun = commonNouns.has(lower) || (/[^s]s$/u.test(lower) && commonNouns.has(lower.slice(0, -1)))
  return isNoun || ordinaryWords.has(lower) || isVerb(lower) || wordNames.has(lower)
}

function isListed(lower: string): boolean {
  if (ordinaryWords.has(lower) || commonNouns.has(lower)) return false
  return places.has(lower) || organisations.has(lower) || products.has(lower) || events.has(lower)
}

/** "HR" and "UX" are no organisations. Case tells "US" from "us". */
function isAcronymOf(sentence: string, name: string, claim: Claim): boolean {
  const lower = name.toLowerCase()
  if (places.has(lower) || organisations.has(lower)) return true
  if (claim.type === 'LOCATION' && claim.score >= leastOpening) return true
  if (ordinaryWords.has(lower) && sentence !== sentence.toUpperCase()) return false
  if (contextOf(sentence, claim) === claim.type) return true
  return claim.score >= (name.length === 2 ? leastShort : leastAcronym)
}

function contextOf(sentence: string, { start, end }: Claim): EntityType | undefined {
  const before = sentence.slice(Math.max(0, start - 60), start).toLowerCase()
  return guessFromContext(before, sentence.slice(end, end + 60).toLowerCase())?.type
}

function opens(sentence: string, start: number): boolean {
  return !/[\p{L}\p{N}]/u.test(sentence.slice(0, start))
}

function followedByNoun(sentence: string, { end }: Claim): boolean {
  return /^ \p{Ll}{3,}/u.test(sentence.slice(end, end + 8))
}
