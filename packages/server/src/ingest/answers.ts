/** Short answers: "In Berlin." makes sense only together with the question before it. */
import { pattern } from '../core/pattern.js'
import { isSmallTalk } from './small-talk.js'

const longestQuestion = 200
const longestAnswer = 80
const mostWords = 9

const endsAsking = /[?？؟]["'”’)\]\s]*$/u
const questionPattern = /[^.!?。！？\n]*[?？؟]/gu

/** The last question of a turn, if the turn ends with it or nearly so; null if it asks nothing that can be repeated. */
export function questionOf(turn: string, isAssistant = false): string | null {
  const text = turn.trim()
  if (!endsAsking.test(text.slice(-8))) return null
  const tail = text.slice(-2 * longestQuestion)
  const question = [...tail.matchAll(questionPattern)].at(-1)?.[0].trim() ?? ''
  if (question === '' || question.length > longestQuestion || isSmallTalk(question)) return null
  return isAssistant && isOffer(question) ? null : question
}

const offer = new RegExp(
  pattern`
    ^(?:(?:so|and|ok|okay|now|great|sure)[,!]? )*(?:(?:do you )?want me to|shall i|should i|would you like me to
    |would you like to (?:start|continue|hear|see|try|know|add)|can i|may i|could i|how can i|what can i|how may i
    |is there anything|anything else|any other questions|did that|did this|does that|does this|do these
    |have you tried|ready|sound good|sounds good|is that (?:ok|okay|right|clear|better)|how is this
    |how does (?:that|this)|how's (?:the new|that|this)|which of (?:these|those|them)|which one (?:feels
    |sounds))(?!\p{L})
  `,
  'iu',
)

/** "Shall I add a title?": the answer says nothing about the user, unless the question names something. */
function isOffer(question: string): boolean {
  return offer.test(question) && !/\p{N}|(?<=\s)(?!I(?:'|’|\s))\p{Lu}/u.test(question)
}

const yesOrNo = new RegExp(
  pattern`
    ^(?:oh |well |um |hmm |ah )?,? ?(?:yes|yeah|yep|yup|yea|no|nope|nah|sure|of course|absolutely|definitely
    |certainly|not really|not yet|i guess so|i suppose so|i think so|never|always|sometimes|maybe|probably|kind of
    |exactly|indeed|right|correct|both|neither|me too)(?![\p{L}])
  `,
  'iu',
)
const wholeClause = [
  /(?<![\p{L}'’])(?:I|I['’]\p{L}+|we|he|she|they|it|you|my|our|your|his|her|their|this|that|those|these|there|the)(?:['’]\p{L}+)? [\p{L}'’]+ [\p{L}\p{N}]/iu,
  /^\p{Lu}[\p{L}’']*(?: \p{Lu}[\p{L}’']*)* (?:is|are|was|were|has|have|had|works?|lives?|likes?|loves?|went|does|did|will|can)(?![\p{L}])/u,
]
/** "In the old town", "my dad's shop": not a clause. */
const fragment =
  /^(?:in|on|at|by|from|to|with|for|near|about|around|since|until|after|before|during|only|just|mostly|mainly|usually|once|twice|the|my|our|his|her|their|a|an)(?![\p{L}])/iu
const verb = new RegExp(
  pattern`
    (?<![\p{L}])(?:is|are|was|were|am|has|have|had|do|does|did|will|would|can|could|look|looks|looked|sound|sounds
    |seem|seems|like|likes|love|loves|want|went|got|get|\p{L}{2,}ed)(?![\p{L}])|['’](?:s|m|re|ve|ll|d)(?![\p{L}])
  `,
  'iu',
)
const bareVerb =
  /^(?:yes |no |yeah |well )?,? ?(?:I|we|he|she|they|it) (?:do|did|am|was|were|have|had|can|could|will|would|is|are|does|has|might|should)(?:n['’]t| not)?(?: too| once| sometimes)?[.!…]*$/iu

const leaning = new RegExp(
  pattern`
    (?<![\p{L}'’])(?:it|its|they|them|their|he|him|his|she|her|(?:this|that|the other|the same|the first|the second
    |the last) one|both of (?:them|those)|the same|there(?! (?:is|are|was|were|will|has|have)\b))(?![\p{L}])
    |^(?:and|but|so|also|then|that|this|those|these|no|yes|not|same|both)(?![\p{L}])
  `,
  'iu',
)

/** True for a text that refers to something outside of it: "It was great there", "the blue one". */
export function leansOnOthers(text: string, names: readonly string[]): boolean {
  const [first = ''] = /^[^.!?\n]*/u.exec(text.trim()) ?? []
  return leaning.test(first) || isShortAnswer(text, names)
}

/** True for a turn that makes sense only as the answer to a question. */
export function isShortAnswer(turn: string, names: readonly string[]): boolean {
  const text = turn.trim()
  if (text === '' || text.length > longestAnswer || /[?？؟]/u.test(text)) return false
  const words = text.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'’.-]*/gu) ?? []
  if (words.length > mostWords) return false
  if (bareVerb.test(text)) return true
  if (yesOrNo.test(text) && words.length <= 6) return true
  if (isSmallTalk(text, names)) return false
  if (fragment.test(text) && !verb.test(text)) return true
  return !wholeClause.some((pattern) => pattern.test(text))
}
