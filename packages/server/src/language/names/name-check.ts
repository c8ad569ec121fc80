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
const describing = /(?:[^r]ian|ish|ese|ern|nordic|baltic|balkan|arctic)$/u
/** Below this score a single word is a guess. */
const leastScore = 0.5
/** Required for words in lower case; less if none of them is an ordinary word. */
const leastLower = 0.8
const leastUnknown = 0.6
const leastAcronym = 0.6
const leastShort = 0.9

export function canBeName(sentence: string, claim: Claim): boolean {
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
  if (claim.score < leastScore) return false
  if (!isWord(lower)) return !(claim.type === 'LOCATION' && describing.test(lower) && followedByNoun(sentence, claim))
  return wordNames.has(lower) || !opens(sentence, claim.start) || contextOf(sentence, claim) === claim.type
}

/** An ordinary word, not a name, in lower case. */
export function isWord(lower: string): boolean {
  if (givenNames.has(lower) && !wordNames.has(lower)) return false
  return ordinaryWords.has(lower) || commonNouns.has(lower) || isVerb(lower) || wordNames.has(lower)
}

function isListed(lower: string): boolean {
  if (ordinaryWords.has(lower) || commonNouns.has(lower)) return false
  return places.has(lower) || organisations.has(lower) || products.has(lower) || events.has(lower)
}

/** "HR", "UX" and "CI" are no organisations; "the UN" is listed, and "I work at HP" says it. */
function isAcronymOf(sentence: string, name: string, claim: Claim): boolean {
  if (ordinaryWords.has(name.toLowerCase()) && sentence !== sentence.toUpperCase()) return false
  if (contextOf(sentence, claim) === claim.type) return true
  if (name.length === 2) return claim.type !== 'ORG' && claim.score >= leastShort
  return claim.score >= leastAcronym
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
