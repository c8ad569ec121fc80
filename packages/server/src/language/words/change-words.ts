/** Words by which a text says itself that something is different from before, or that it is not. */
import { pattern } from '../../core/pattern.js'
import { contentWords, isLight } from './words.js'

const change = new RegExp(
  pattern`(?<![\p{L}])(?:now(?! and (?:then|again))|nowadays|any ?more|any longer|no longer|instead|actually|correction|corrected|typo|oops|scratch that
    |my mistake|wrong|not (?:the )?\p{L}+[,;] |moved?|moving|switched|changed|replaced|renamed|swapped|migrated|upgraded|downgraded
    |pushed|postponed|rescheduled|delayed|brought forward|raised|increased|lowered|reduced|cut|went up|went down|up to|down to
    |took over|taken over|handed over|stepped down|stopped|quit|gave up|given up|sold|fixed|removed|lifted|resolved|cancelled
    |canceled|dropped|ended|finished with|broke up|split up|divorced|retired|resigned|left|closed|since last|as of|from now on
    |these days|update|updated|new)(?![\p{L}])|(?<=[\p{L}\d])\*(?:\s|$)|, not `,
  'iu',
)

const noChange = new RegExp(
  pattern`(?<![\p{L}])(?:another|a second|second|third|also|too|as well|besides|in addition|on top of|on the side|additional|extra
    |still|again|(?:the )?same|stays?|stayed|remains?|unchanged|isn't true|not true|n['’]t true|rumou?rs?|everyone says|people say
    |they say|heard that|supposedly|apparently|maybe|perhaps|might|could|would|should|wish|want(?:ed|s)? to|hope|hoping
    |plan(?:ning|s)?|thinking (?:of|about)|considering|if|unless|imagine|pretend|role ?play|testing|joking|jk|kidding
    |dream(?:t|ed)?|used to|back then|years ago|when i was|(?<!(?:as of|since|from|starting) )today|just for|only for
    |this week only|temporarily|for now|one[- ]off)(?![\p{L}])`,
  'iu',
)

/** A second one, a plan, a rumour, a joke, the past: the text may mention another value without changing anything. */
export function speaksAgainstChange(text: string): boolean {
  return noChange.test(text) || text.trimEnd().endsWith('?')
}

/** The text says that something has changed, and nothing in it speaks against that. */
export function saysThatItChanged(text: string): boolean {
  return change.test(text) && !speaksAgainstChange(text)
}

/** Without a word in common, a text alone says too little to take the other one's place: "oops typo, it's blueparrot77". */
export function sharesWord(fresh: string, old: string): boolean {
  const stemsOf = (text: string) => contentWords(text.toLowerCase()).filter((word) => !isLight(word) && word.length > 2)
  const known = new Set(stemsOf(old))
  return stemsOf(fresh).some((word) => known.has(word))
}

const thing = String.raw`([^\s,.;:!?()]+(?: [^\s,.;:!?()]+){0,3}?)`
const before = String.raw`(?<![\p{L}\p{N}])`
/** What a text says that it replaces. */
const replaced = [
  new RegExp(
    `${before}(?:replac|swapp|ditch|dropp|trad|exchang)(?:ed|ing) ${thing} (?:with|for|by|in favou?r of) \\S`,
    'iu',
  ),
  new RegExp(
    `${before}(?:mov|migrat|switch|chang|convert|port)(?:ed|ing)(?: [^\\s,.;:!?]+){0,3}? from ${thing} (?:to|over to|onto) \\S`,
    'iu',
  ),
  new RegExp(`^${thing} (?:->|→|=>) \\S`, 'iu'),
]
const mostCharacters = 400

/**
 * "Replaced moment with date-fns" names what it replaces: a memory that neither mentions it nor has any other word of the text is
 * about something else.
 */
export function replacesSomethingElse(fresh: string, old: string): boolean {
  const start = fresh.slice(0, mostCharacters)
  if (!replaced.some((way) => way.test(start))) return false
  const known = new Set(contentWords(old.toLowerCase()))
  const words = contentWords(start.toLowerCase()).filter((word) => !isLight(word) && !changing.test(word))
  const isKnown = (word: string) =>
    known.has(word) || (word.length > 4 && [...known].some((other) => other.startsWith(word.slice(0, 5))))
  return !words.some(isKnown)
}

const changing =
  /^(?:replac|swap|ditch|drop|trad|exchang|mov|migrat|switch|chang|convert|port|favou?r|from|with|over|done)/u
