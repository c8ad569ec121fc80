/** Reported speech: orders that somebody was given, and quoted phrases. A quote is not an instruction to the reader. */
import { pattern } from '../core/pattern.js'
import type { View } from './view.js'

const speaksOfAttacks = new RegExp(
  pattern`
    \b(?:prompt[- ]injections?|injection attacks?|jailbreak(?:s|ing)? (?:attempt|attack|prompt|technique)s?
    |attack(?:s|ers?)?|fall for|react to|chatbots? against|adversar\w{2,6}|phishing|malicious|red[- ]team\w{0,4}
    |security (?:talk|training|research\w{0,3}|course|team)|vulnerab\w{4,7}|owasp|guardrails?|detect\w{0,4}
    |classifier|chatml|(?:template|special|control|the|uses?|called) tokens?|chat templates?|token(?:s|izers?)?
    |angreifer|betruger|jailbreaks|atacantes|estafadores|attaquants?|escrocs?|golpistas|attaccanti|truffatori
    |aanvallers?|oplichters?)\b|злоумышленник|мошенник|攻击者|骗子|攻撃者|詐欺師
  `,
  '',
)
const speaksOfWords = new RegExp(
  pattern`
    \b(?:such as|for example|e\.g\.|like|contains?|starts with|(?:phrase|thing|word|string|line|sentence|message
    |note|sign|song|chapter|book|e-?mail|film|joke|pun|riddle)s?|called|wrote|writes?|says?|said|saying|reads?|titled|quot(?:e|es
    |ed|ing)|typed|types?)\b
  `,
  '',
)
const toldBy = new RegExp(
  pattern`
    \b(?:(?:told|asked|tells|asks|advised|instructed|ordered|warned|taught|reminded|allowed|want(?:s|ed)?
    |encouraged) (?:me|us|him|her|them|everyone|people|students|my|our|the (?:team|class|kids|staff)
    |\p{L}{2,14})(?: \p{L}{1,14}){0,2} (?:to|not to|that)|(?:i|we|he|she|they)(?:'ve| have| had| has)? (?:decided
    |learned|learnt|tried|had|chose|managed|began|started|tend|try|plan|need|want|wanted|used|refuse|refused|agreed
    |forgot) (?:not )?to|should (?:i|we|he|she|they)|(?:said|says|wrote|writes|texted|replied
    |told me)[:,] ?"?(?:please)?|(?:rules?|polic(?:y|ies)|guidelines?|laws?|versions?|settings?|contracts?
    |terms)(?: (?:at|in|of|for)(?: the| our| my)? \p{L}{2,14})?(?: will| may| now)?|(?:how|way|possible|me
    |steps) to|(?:why|how|when) (?:do|does|did|can|could|should|would|to|people|users|some)(?: \p{L}{1,14}){0,2}
    |(?:i|we|he|she|they|people|users|students|employees|drivers|who|tend to|often|sometimes|usually)(?: (?:always
    |often|just|simply|would|will|can|could|might|may|never))?)\s?$
  `,
  'u',
)
/** Instructions for an oven are not the reader's instructions. */
const ofThings = new RegExp(
  pattern`
    ^s? (?:for|of|on|about|from) (?:the|my|our|his|her|their|this|that|an?) (?!(?:\p{L}{1,14} )?(?:ai|system|model
    |assistant|prompt|chat|chatbot|conversation|user|developer|session|bot|text|above|message|previous|rest|moment
    |following|day|time)\b)\p{L}
  `,
  'u',
)
const tellable = new Set(['instruction_override', 'exfiltration', 'memory_poisoning'])

/** True if the passage is quoted or reported rather than addressed to the reader. */
export function isReported(text: string, kind: string, span: { start: number; end: number }): boolean {
  const before = text.slice(Math.max(0, span.start - 160), span.start)
  const sentence = before.slice(Math.max(before.lastIndexOf('\n'), lastSentenceEnd(before)) + 1)
  if (tellable.has(kind) && toldBy.test(sentence.slice(-80))) return true
  if (kind === 'instruction_override' && ofThings.test(text.slice(span.end, span.end + 60))) return true
  if (kind === 'delimiter_injection') return speaksOfAttacks.test(before)
  const opened =
    /(?:(?:^|[\s(:,])["'«‹`]|[\p{Script=Han}\p{Script=Hiragana}]["「『])(?!\s)[^"'«»‹›`「」『』]{0,40}$/u.test(sentence)
  const closed = /["'»›`」』]/.test(text.slice(span.end, span.end + 120))
  return opened && closed && (speaksOfAttacks.test(before) || speaksOfWords.test(before))
}

function lastSentenceEnd(text: string): number {
  return Math.max(text.lastIndexOf('. '), text.lastIndexOf('! '), text.lastIndexOf('? '))
}

const quoted =
  /(?<=^|[\s(:,=])(?:"[^"\n]{3,200}"|'[^'\n]{3,200}'(?![\p{L}\p{N}])|`[^`\n]{3,200}`|«[^»\n]{3,200}»)|「[^」\n]{3,200}」|(?<=[\p{Script=Han}\p{Script=Hiragana}])"[^"\n]{3,200}"/gu
const controlToken = /<\|[^|\n]{1,24}\|>|\[\/?inst\]|<<\/?sys>>/g

/** The view with reported quotes blanked, for the classifier, which can't see who is speaking. */
export function spokenPart(view: View): View {
  let { text } = view
  if (!/["'`«「]|<\||\[inst/.test(text)) return view
  text = text.replace(quoted, (quote: string, at: number) => {
    const before = text.slice(Math.max(0, at - 160), at)
    return speaksOfAttacks.test(before) || speaksOfWords.test(before.slice(-40)) ? ' '.repeat(quote.length) : quote
  })
  text = text.replace(controlToken, (token: string, at: number) =>
    speaksOfAttacks.test(text.slice(Math.max(0, at - 160), at)) ? ' '.repeat(token.length) : token,
  )
  return { ...view, text }
}
