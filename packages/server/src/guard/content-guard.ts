/**
 * The guard combines rules for attacks that rules describe well with a classifier for the rest. Both read a normalised
 * view of the text and every payload that is hidden or encoded in it. Both favour precision: attacks that pass are
 * contained by isolation, provenance and trust at recall. The decision process is documented in
 * docs/adr/0015-how-the-guard-decides.md.
 */

import { withOtherNames } from '../language/names/other-names.js'
import type { Finding, Guard, Verdict } from '../models/models.js'
import { type GuardClassifier, openGuardClassifier } from './classifier.js'
import { type Decoded, decodedRuns, disguised, isExecutable } from './decode.js'
import { spokenPart } from './reports.js'
import { originalSpan, ruleFindings } from './rule-findings.js'
import { doubtfulScore, trustScoreOf } from './trust-scale.js'
import { type View, viewOf } from './view.js'

const payloadWeight = 0.7
/** Invisible words are suspicious whatever they say. */
const hiddenWeight = 0.6
/** Below this suspicion the classifier reports nothing. */
const leastSuspicion = 0.2
/** A note of a line has so few words that one of them may decide. */
const shortText = 80
const leastOfShort = 0.3
/** From this suspicion on, the classifier takes the text for an attack, whatever names it has. */
const attack = 0.5
/** Payloads are decoded up to this nesting depth. */
const deepestPayload = 2
/** Limit on decoded characters per character of text: a hostile text must not cost more than its length justifies. */
const decodedShare = 3

/** `mem0_agent_id`: a name of a field says too little to judge its wording. The rules still read it. */
const identifier = /^\p{L}[\p{L}\p{N}]{0,23}(?:[_.-][\p{L}\p{N}]{1,24}){1,2}$/u

export interface GuardParts {
  /** Null: no classifier. */
  readonly classifier: GuardClassifier | null
  /** False to measure the classifier alone. */
  readonly useRules?: boolean
}

export async function openContentGuard(directory?: string): Promise<Guard> {
  return contentGuard({ classifier: await openGuardClassifier(directory) })
}

/** Rules without a classifier. */
export function ruleGuard(): Guard {
  return contentGuard({ classifier: null })
}

export function contentGuard(parts: GuardParts): Guard {
  return {
    inspect(text) {
      const inspection = new Inspection(parts, text.length * decodedShare + 4_096)
      return verdict(inspection.findingsIn(text, 0))
    },
  }
}

function verdict(findings: readonly Finding[]): Verdict {
  const trust = findings.reduce((product, finding) => product * (1 - finding.weight), 1)
  return { trustScore: trustScoreOf(trust), findings }
}

class Inspection {
  constructor(
    private readonly parts: GuardParts,
    private charactersLeft: number,
  ) {}

  findingsIn(text: string, depth: number): Finding[] {
    const view = viewOf(text)
    const findings = [
      ...(this.parts.useRules === false ? [] : ruleFindings(view)),
      ...(identifier.test(text) ? [] : this.suspicions(view)),
      ...(depth < deepestPayload ? this.encodedFindings(text, view, depth) : []),
    ]
    return findings.sort((left, right) => left.start - right.start || left.end - right.end)
  }

  private suspicions(view: View): Finding[] {
    const suspicion = this.parts.classifier?.judge(spokenPart(view))
    if (!suspicion || suspicion.weight < (view.text.length <= shortText ? leastOfShort : leastSuspicion)) return []
    if (suspicion.weight < attack && view.text.length <= shortText && this.dependsOnName(view)) return []
    const weight = Math.round(suspicion.weight * 1e4) / 1e4
    return [{ kind: 'suspicious_wording', ...originalSpan(view, suspicion), weight }]
  }

  /** "I live in Hamburg now" says no more than with another town. */
  private dependsOnName(view: View): boolean {
    const text = withOtherNames(view.text)
    if (text === null) return false
    return (this.parts.classifier?.judge(spokenPart({ ...view, text }))?.weight ?? 0) < leastOfShort
  }

  private encodedFindings(text: string, view: View, depth: number): Finding[] {
    const hidden = view.hidden.flatMap((found) => this.payload(found, depth, hiddenWeight))
    const runs = decodedRuns(text).flatMap((found) => this.payload(found, depth, 0))
    const turned = disguised(view).flatMap((found) =>
      this.payload({ ...found, ...originalSpan(view, found) }, depth, 0),
    )
    return heaviest([...hidden, ...runs, ...turned])
  }

  /** One finding for the payload and one per kind found inside it, all located at the payload. */
  private payload({ start, end, text }: Decoded, depth: number, leastWeight: number): Finding[] {
    const allowed = text.slice(0, Math.max(0, this.charactersLeft))
    this.charactersLeft -= allowed.length
    const inner = allowed === '' ? [] : this.findingsIn(allowed, depth + 1)
    const isAttack = isExecutable(allowed) || verdict(inner).trustScore < doubtfulScore
    const weight = isAttack ? payloadWeight : leastWeight
    if (weight === 0) return []
    const kinds = isAttack ? inner.filter(({ kind }) => kind !== 'encoded_payload') : []
    return [{ kind: 'encoded_payload', start, end, weight }, ...kinds.map((finding) => ({ ...finding, start, end }))]
  }
}

/** The heaviest finding of each kind: a payload that two decoders read counts once. */
function heaviest(findings: readonly Finding[]): Finding[] {
  const byKind = new Map<string, Finding>()
  for (const finding of findings) {
    if (finding.weight > (byKind.get(finding.kind)?.weight ?? 0)) byKind.set(finding.kind, finding)
  }
  return [...byKind.values()]
}
