/**
 * Notes without a verb: "party on saturday", "dentist in 3 weeks", "call the plumber on Friday". They are about the next such day if
 * they name something that takes place once or are an order, and nothing in them is a habit. English only.
 */
import { pattern } from '../../core/pattern.js'
import { isPast } from '../words/tense.js'

/** Something that takes place on a day. In the plural, it may be any of several. */
const event = new RegExp(
  pattern`
    \b(?:party|birthday|wedding|funeral|christening|anniversary|graduation|ceremony|reunion|appointment|appt|check-?up|dentist
    |doctor|gp|vet|optician|hygienist|physio|hairdresser|haircut|surgery|operation|scan|x-?ray|jabs?|vaccination|blood test
    |interview|exam|driving test|viewing|concert|gig|recital|match|flight|train to|ferry|dinner|lunch|brunch|drinks|barbecue|bbq
    |picnic|meeting|call with|delivery|trip|holiday|visit|school play|nativity|parents['’]? evening|sports day|open day|sleepover
    |play ?date|presentation|demo|conference|festival|hearing|mot|plumber|electrician|boiler service|inspection|half marathon
    |marathon)\b(?!-)
  `,
  'i',
)
const order = new RegExp(
  pattern`
    ^\W*(?:(?:please|and|then|also|to ?do:?|remember to|must) ){0,2}(?:call|ring|phone|email|text|pick up|collect|drop off|pay|buy
    |book|send|submit|return|renew|finish|visit|bring|order|cancel|post|hand in)\b(?!s| (?:office|cent(?:re|er)|from|hours|policy|of|is)\b)
  `,
  'i',
)
const habit = new RegExp(
  pattern`
    \b(?:every|each|any|most|alternate|usual|usually|normally|generally|always|often|never|sometimes|weekly|fortnightly|monthly
    |yearly|annual|daily|regular|regularly|habit|routine|likes?|loves?|prefers?|hates?|enjoys?|best|favou?rite|only|rent|salary
    |wages?|payday|bills?|mortgage|subscription|direct debit|standing order|premium|renews|gets? paid|per month
    |(?:a|the|of each) month|if|when|whenever|unless|class|classes|lessons?|practice|training|club|opens?|closed?|closes|hours|policy
    |team|standup|stand-up|notes|credit card|with (?:mum|mom|dad|my parents|the family)|great|lovely|amazing|awful)\b
  `,
  'i',
)
/** "We cook dinner on Friday" may be a habit, "we have dinner with Ben on Friday" is not. */
const person = /\b(?:i|we|you|he|she|they)\b/i
const having =
  /\b(?:i|we|you|he|she|they)(?: (?:also|still|both))?(?:['’]ve| have| has|['’]s)(?: also| still)?(?: got)?\b/i
const mostLooked = 200
const breaks = /[,;:–—]|[.!?](?=\s)|\b(?:but|so|because|although|though|while|which|who)\b/gi

const opening = /\b(?:open|opens|closed|closes|shut|hours) $/i

/** "The post office is open on Saturday." */
export function isOpeningTime(before: string): boolean {
  return opening.test(before)
}

export function mayBeHabit(sentence: string): boolean {
  return habit.test(sentence)
}

/** Whether the clause around a position tells of something that will take place once. */
export function isSingleEventAt(sentence: string, at: number): boolean {
  const clause = clauseAt(sentence, at)
  if (isPast(clause) || habit.test(clause)) return false
  if (person.test(clause) && !having.test(clause)) return false
  return event.test(clause) || order.test(clause)
}

function clauseAt(sentence: string, at: number): string {
  let [from, to] = [Math.max(0, at - mostLooked), Math.min(sentence.length, at + mostLooked)]
  for (const { index } of sentence.slice(0, to).matchAll(breaks)) {
    if (index < at) from = Math.max(from, index)
    else {
      to = index
      break
    }
  }
  return sentence.slice(from, to).replace(/^[,;:–—.!?\s]+/, '')
}
