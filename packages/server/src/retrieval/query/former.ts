/**
 * Questions about how something was before it changed: "Where did I live before the cottage?", "What was the rent in March?". Their answer is
 * the older of two memories of which one changes the other.
 */
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
  const spans = askedTime(text, now)?.spans ?? []
  const until = Math.max(...spans.map(({ to }) => to))
  // A change may have been announced before its date: "560 from July" answers "since July", whenever it was said.
  if (spans.length > 0 && until < now && !/\bbefore\b/iu.test(text)) return { until }
  return asksFormer(text) ? { until: null } : null
}

const adverb = new RegExp(
  pattern`
    (?<!\p{L})(?:(?<!(?:get|got|getting|am|am i|is|are|be|been|i'm|you're|we're|they're) )used to(?= \p{L})|originally
    |previously|formerly|back then|to begin with|früher|damals|ursprünglich|vorher|zuvor|auparavant|autrefois
    |à l'époque|à l'origine|anteriormente|originalmente|en aquel entonces|antigamente|na época|in precedenza
    |all'epoca|originariamente|vroeger|voorheen|destijds|oorspronkelijk|раньше|прежде|изначально)(?!\p{L})
    |(?<!\p{L})(?:avant|antes|prima)\s*[?？]|以前|之前|原来|原先|当初|昔は|前は|元々
  `,
  'iu',
)
/** With a verb in the past only: "What do I need before the trip?" asks about now. */
const withPastVerb = new RegExp(
  pattern`
    \b(?:before|initially|at first|back (?:in|when|at)|former|earlier|previous|prior|old)\b
    |\bfirst\b(?! (?:name|thing|aid|class|floor|grade|language|sight))
  `,
  'iu',
)
const pastOrModal = /\b(?:used|could)\b/iu

function asksFormer(text: string): boolean {
  return adverb.test(text) || (withPastVerb.test(text) && (isPast(text) || pastOrModal.test(text)))
}
