/**
 * The first guard: rules over a normalised view of the text. It knows wordings, not meanings: it favours
 * precision, and what it lets through is left to isolation, provenance and trust at recall.
 */
import { decodedPayloads, disguisedWords, isExecutable } from './guard-payload.js'
import { guardRules } from './guard-rules.js'
import { type View, viewOf } from './guard-view.js'
import type { Finding, Guard, Verdict } from './models.js'

const payloadWeight = 0.7
const hiddenWeight = 0.6
/** What a wording costs that the text only reports: never enough to reject by itself. */
const reportedWeight = 0.15
const deepestPayload = 2

export function ruleGuard(): Guard {
  return { inspect: (text) => verdict(findingsIn(text, 0)) }
}

function verdict(findings: readonly Finding[]): Verdict {
  const trust = findings.reduce((product, finding) => product * (1 - finding.weight), 1)
  return { trustScore: Math.round(trust * 1e4) / 1e4, findings }
}

function findingsIn(text: string, depth: number): Finding[] {
  const view = viewOf(text)
  const findings = [...ruleFindings(view), ...hiddenFindings(view, depth)]
  const disguise = disguisedWords(view.text)
  if (disguise) findings.push({ kind: 'encoded_payload', ...originalSpan(view, disguise), weight: hiddenWeight })
  if (depth < deepestPayload) findings.push(...payloadFindings(text, depth))
  return findings.sort((left, right) => left.start - right.start || left.end - right.end)
}

function ruleFindings(view: View): Finding[] {
  const findings: Finding[] = []
  const reportedKinds = new Set<string>()
  for (const { kind, weight, pattern } of guardRules) {
    const match = gravestMatch(view.text, kind, pattern)
    if (!match) continue
    // However often a text about attacks quotes one kind, it is counted once.
    if (match.reported && reportedKinds.has(kind)) continue
    if (match.reported) reportedKinds.add(kind)
    findings.push({ kind, ...originalSpan(view, match), weight: match.reported ? reportedWeight : weight })
  }
  return withoutOverlaps(findings)
}

/** The first match that is said to the reader, else the first that is only reported: a quote is no cover. */
function gravestMatch(text: string, kind: string, pattern: RegExp) {
  let first: { start: number; end: number; reported: boolean } | null = null
  for (const match of text.matchAll(pattern)) {
    const span = { start: match.index, end: match.index + match[0].length }
    const reported = isReported(text, kind, span)
    if (!reported) return { ...span, reported }
    first ??= { ...span, reported }
  }
  return first
}

/** Two rules of one kind on one passage are one finding, the heavier. */
function withoutOverlaps(findings: readonly Finding[]): Finding[] {
  const kept: Finding[] = []
  for (const finding of [...findings].sort((left, right) => right.weight - left.weight)) {
    const covered = kept.some(
      (other) => other.kind === finding.kind && other.start < finding.end && finding.start < other.end,
    )
    if (!covered) kept.push(finding)
  }
  return kept
}

function hiddenFindings(view: View, depth: number): Finding[] {
  if ((view.hidden.match(/[a-z]{2,}/gi)?.length ?? 0) < 2) return []
  const inner = depth < deepestPayload ? findingsIn(view.hidden, depth + 1) : []
  const weight = inner.length > 0 ? payloadWeight : hiddenWeight
  return [{ kind: 'encoded_payload', start: view.hiddenAt, end: view.hiddenAt + view.hidden.length * 2, weight }]
}

function payloadFindings(text: string, depth: number): Finding[] {
  const findings: Finding[] = []
  for (const payload of decodedPayloads(text)) {
    if (isExecutable(payload.text) || verdict(findingsIn(payload.text, depth + 1)).trustScore < 0.65) {
      findings.push({ kind: 'encoded_payload', start: payload.start, end: payload.end, weight: payloadWeight })
      break
    }
  }
  return findings
}

function originalSpan(view: View, span: { start: number; end: number }): { start: number; end: number } {
  const start = view.at[span.start] ?? 0
  return { start, end: Math.max(start, view.at[span.end] ?? view.at[view.at.length - 1] ?? start) }
}

const speaksOfAttacks =
  /\b(?:prompt[- ]injections?|injection attacks?|jailbreak(?:s|ing)? (?:attempt|attack|prompt|technique)s?|attackers?|adversar\w{2,6}|phishing|malicious|red[- ]team\w{0,4}|security (?:talk|training|research\w{0,3}|course|team)|vulnerab\w{4,7}|owasp|guardrails?|detect\w{0,4}|classifier|chatml|(?:template|special|control|the|uses?|called) tokens?|chat templates?|token(?:s|izers?)?)\b/
const speaksOfWords =
  /\b(?:such as|for example|e\.g\.|(?:phrase|thing|word|string|line|sentence|message|note|sign|song|chapter|book|e-?mail|film)s?|called|wrote|writes?|says?|said|saying|reads?|titled|quot(?:e|es|ed|ing)|typed|types?)\b/
const toldBy =
  /\b(?:(?:told|asked|tells|asks|advised|instructed|ordered|warned|taught|reminded|allowed|want(?:s|ed)?|encouraged) (?:me|us|him|her|them|everyone|people|students|my|our|the (?:team|class|kids|staff)|\p{L}{2,14})(?: \p{L}{1,14}){0,2} (?:to|not to|that)|(?:i|we|he|she|they)(?:'ve| have| had| has)? (?:decided|learned|learnt|tried|had|chose|managed|began|started|tend|try|plan|need|want|wanted|used|refuse|refused|agreed|forgot) (?:not )?to|should (?:i|we|he|she|they)|(?:why|how|when) (?:do|does|did|can|could|should|would|to|people|users|some)(?: \p{L}{1,14}){0,2}|(?:i|we|he|she|they|people|users|students|employees|drivers|who|tend to|often|sometimes|usually)(?: (?:always|often|just|simply|would|will|can|could|might|may|never))?)\s?$/u
const tellable = new Set(['instruction_override', 'exfiltration', 'memory_poisoning'])

/** True when the passage is quoted or told rather than said to the reader. */
function isReported(text: string, kind: string, span: { start: number; end: number }): boolean {
  const before = text.slice(Math.max(0, span.start - 160), span.start)
  const sentence = before.slice(Math.max(before.lastIndexOf('\n'), lastSentenceEnd(before)) + 1)
  if (tellable.has(kind) && toldBy.test(sentence.slice(-80))) return true
  if (kind === 'delimiter_injection') return speaksOfAttacks.test(before)
  const opened = /(?:^|[\s(:,])["'«‹`](?!\s)[^"'«»‹›`]{0,40}$/.test(sentence)
  const closed = /["'»›`]/.test(text.slice(span.end, span.end + 120))
  return opened && closed && (speaksOfAttacks.test(before) || speaksOfWords.test(before))
}

function lastSentenceEnd(text: string): number {
  return Math.max(text.lastIndexOf('. '), text.lastIndexOf('! '), text.lastIndexOf('? '))
}
