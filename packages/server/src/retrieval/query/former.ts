/**
 * Questions about how something was before it changed: "Where did I live before the cottage?", "What was the rent in March?". Their answer is
 * the older of two memories of which one changes the other. In doubt a question asks for what is true now.
 */
import { months } from '../../core/partial-date.js'
import { pattern } from '../../core/pattern.js'
import { isPast } from '../../language/words/tense.js'
import { askedTime } from './question-time.js'

/** The time that a question is about, if that time is over. */
export interface FormerTime {
  /** Its end; null if the question has no date: "before", "originally". */
  readonly until: number | null
}

/** No more is read, in case a hostile question is long. */
const mostCharacters = 2_000

/** Null if it asks for what is true now. */
export function formerTime(question: string, now: number): FormerTime | null {
  const text = question.slice(0, mostCharacters).replace(/’/gu, "'")
  if (asksNow.test(text)) return null
  const spans = askedTime(text, now)?.spans ?? []
  const until = Math.max(...spans.map(({ to }) => to))
  const isOver = spans.length > 0 && until < now && (isPast(text) || namedYear.test(text))
  // "Before July": the change may have been announced before July, so the date does not tell the two memories apart.
  if (isOver && !/\bbefore\b/iu.test(text)) return { until }
  return asksFormer(text) ? { until: null } : null
}

/** "In January" without a year may be the next one, if the verb is not in the past. */
const namedYear = /(?<![\p{L}\p{N}])(?:19|20)\d\d(?![\p{L}\p{N}])/u

/** The verb of the question is in the present or future, it asks for the new state, or its "before" is a deadline or an earlier talk. */
const asksNow = new RegExp(
  pattern`
    \b(?:what|which|who|whose|where|when|how(?: \p{L}{1,20})?)(?:'s|'re| is| are| am| do| does| have| has| will| should
    | can)\b|\b(?:will|now|nowadays|currently|these days|still|replaced|instead of|since|told|mentioned|said)\b
    |\b(?:mov|switch|chang)\p{L}{1,5} to\b|\bfrom (?:my|our|the|his|her|their) (?:old|previous|former)\b
    |[要应該该须]|べき
  `,
  'iu',
)

const adverb = new RegExp(
  pattern`
    (?<!\p{L})(?:(?<!(?:get|got|getting|am|am i|is|are|be|been|was|were|have|has|had|i'm|you're|we're|they're) )used to(?= \p{L})
    |originally|previously|formerly|back then|früher|damals|ursprünglich|auparavant|autrefois|à l'époque|à l'origine
    |anteriormente|originalmente|en aquel entonces|antigamente|na época|in precedenza|all'epoca|originariamente
    |vroeger|voorheen|destijds|oorspronkelijk|раньше|изначально)(?!\p{L})|以前|原先|当初|昔は|元々
  `,
  'iu',
)
const season = 'winter|spring|summer|autumn|fall'
/** With a verb in the past only: "What do I need before the trip?" asks about now. */
const withPastVerb = new RegExp(
  pattern`
    \b(?:before|initially|at first|back when|back in (?:the )?(?:${season}|${months.join('|')}|day|\d{4})|former
    |previous|prior|old)\b|\bfirst\b(?! (?:name|thing|aid|class|floor|grade|language|sight))
  `,
  'iu',
)

function asksFormer(text: string): boolean {
  return adverb.test(text) || (withPastVerb.test(text) && isPast(text))
}
