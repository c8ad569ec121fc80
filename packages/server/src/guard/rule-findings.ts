/** The matches of the rules in a view, and whether each passage is addressed to the reader or only reported. */

import type { Finding } from '../models/models.js'
import { agentLogRule, findAgentLog } from './agent-log.js'
import { isReported } from './reports.js'
import { guardRules } from './rules.js'
import type { View } from './view.js'

/** The weight of a reported phrase: never enough to reject a text on its own. */
const reportedWeight = 0.1

export function ruleFindings(view: View): Finding[] {
  const findings: Finding[] = []
  const reportedKinds = new Set<string>()
  for (const { kind, weight, pattern } of guardRules) {
    const match = gravestMatch(view.text, kind, pattern)
    if (!match) continue
    // A kind that a text about attacks quotes repeatedly is counted once.
    if (match.reported && reportedKinds.has(kind)) continue
    if (match.reported) reportedKinds.add(kind)
    findings.push({ kind, ...originalSpan(view, match), weight: match.reported ? reportedWeight : weight })
  }
  const log = findAgentLog(view.text)
  if (log) findings.push({ ...agentLogRule, ...originalSpan(view, log) })
  return withoutOverlaps(findings)
}

/** The first match addressed to the reader, otherwise the first reported one: a quote must not hide an attack. */
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

/** Two rules of one kind that match the same passage make one finding, the heavier one. */
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

/** A range of the view, mapped to the original text. */
export function originalSpan(view: View, span: { start: number; end: number }): { start: number; end: number } {
  const start = view.at[span.start] ?? 0
  return { start, end: Math.max(start, view.at[span.end] ?? view.at[view.at.length - 1] ?? start) }
}
