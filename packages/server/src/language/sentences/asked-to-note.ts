/** Notes in the form of a question: "can you remember that my locker is C118?", "did you know I'm left-handed?" They state something. English only. */
import { pattern } from '../../core/pattern.js'
import { isVerb } from '../words/words.js'
import type { Edit } from './edits.js'

const greeting = '(?:(?:hey|hi|hello|ok|okay|so|and|also|oh|btw|by the way|please|pls)[,!]? )*'
const clause = "(?=(?:i|we|he|she|they|my|our)(?:'|’| ))"
/** "can you" is left out; "remember that …" is how a note without a question begins. */
const asking = new RegExp(
  pattern`
    ^${greeting}((?:can|could|would|will) (?:you|u) (?:please |pls |maybe |just |also |kindly )*)(?:(?:remember
    |note(?: down)?|write down|make a note|take (?:a )?note|keep in mind|bear in mind|save|store|record|memori[sz]e)(?: (?:that|to
    |this:|the following:) |: | ${clause})|keep a note that )
  `,
  'iu',
)
const telling = new RegExp(
  pattern`
    ^${greeting}((?:(?:did|do) (?:you|u) (?:already )?know|(?:did|have) i (?:ever |already )?(?:tell|told) (?:you|u)|(?:did|have) i (?:ever
    |already )?(?:mention|mentioned)(?: to you)?) (?:that (?=(?:i|we|he|she|they|it|there|my|our|his|her|their|the|\p{L}+)(?:'|’| ))
    |${clause}))
  `,
  'iu',
)
const firstPerson = /(?<![\p{L}'’])(?:i|i['’]\p{L}+|im|ive|my|me|we|we['’]\p{L}+|our|us)(?![\p{L}])/iu
const mark = /\s*[?？]+(?=[\s"'”’)]*$)/u
const fewestWords = 3

/** What to change in a sentence so that it states the note; empty if it is none. `isLast`: nothing follows it. */
export function noteEdits(text: string, isLast = true): Edit[] {
  if (text.length > longest) return []
  const found = asking.exec(text) ?? toldBy(text)
  if (!found) return []
  const start = found[0].indexOf(found[1] ?? '')
  const said = text.slice(found[0].length)
  if (!isClause(said)) return []
  const end = mark.exec(text.slice(-tail))
  const at = Math.max(0, text.length - tail) + (end?.index ?? 0)
  const edits = [{ start, end: start + (found[1]?.length ?? 0), text: '' }]
  return end ? [...edits, { start: at, end: at + end[0].length, text: isLast ? '' : '.' }] : edits
}

const longest = 300
const tail = 12

/** "Did you know that octopuses have three hearts?" is no news of the user. */
function toldBy(text: string): RegExpExecArray | null {
  const found = telling.exec(text)
  return found && firstPerson.test(text.slice(found[0].length)) ? found : null
}

const pronoun = /^(?:he|she|it|that|there|here|who|what)['’]s$/u
const finite = new RegExp(
  pattern`
    ^(?:is|are|was|were|has|have|had|does|do|did|will|can|could|would|lives?|lived|works?|worked|goes|went|comes?|came|needs?|wants?|likes?|loves?|hates?
    |eats?|drinks?|takes?|took|moved|starts?|started|ends?|got|gets|plays?|speaks?|costs?|runs?|opens?|closes?|leaves?|left|arrives?|died|changed|broke
    |passed|turned|turns|sleeps?|studies|teaches|uses?)$
  `,
  'u',
)

function isClause(said: string): boolean {
  const words = said.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? []
  // "My sister's name", "my work address": after an owner, a noun may look like a verb.
  const isOwned = /^(?:my|our|his|her|their|your)$/u.test(words[0] ?? '')
  const hasVerb = words.some((word, place) => {
    if (/['’](?:m|re|ve|ll|d)$|n['’]t$/u.test(word)) return true
    if (/['’]s$/u.test(word)) return pronoun.test(word)
    return isOwned ? place > 1 && finite.test(word) : isVerb(word)
  })
  return hasVerb && (words.length >= fewestWords || /['’]/u.test(words[0] ?? ''))
}
