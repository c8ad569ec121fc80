import { type FieldProblem, ServiceError } from '../core/errors.js'
import { isLowTrust } from '../core/trust.js'
import type { Finding, Guard, Verdict } from '../models/models.js'
import { withoutMarks } from './secrets/marks.js'

interface TrustSettings {
  readonly threshold: number
  readonly flagThreshold: number
  readonly policy: 'reject' | 'flag'
  readonly sanitize: boolean
}

export interface Screened {
  /** The lowest score of all parts. */
  readonly trustScore: number
  readonly flagged: boolean
  /** One per text. */
  readonly verdicts: readonly JudgedText[]
}

export interface JudgedText extends Verdict {
  readonly path: string
  readonly text: string
}

/** A flagged or barely trusted text must not change existing memories, and is not sent to other models. */
export function isDoubted({ flagged, trustScore }: Pick<Screened, 'flagged' | 'trustScore'>): boolean {
  return flagged || isLowTrust(trustScore)
}

/**
 * Checks every part before anything is written. Text that is near certain to be an attack is rejected, or flagged by the policy of the
 * operator; doubtful text is flagged. The error names kinds and positions, never content.
 */
export function sanitize(
  guard: Guard,
  parts: readonly { readonly path: string; readonly text: string }[],
  settings: TrustSettings,
): Screened {
  if (!settings.sanitize) return conclude([], settings)
  return conclude(
    parts.map((part) => ({ ...part, ...guard.inspect(withoutMarks(part.text)) })),
    settings,
  )
}

/** The same for parts that the guard has inspected. */
export function conclude(verdicts: readonly JudgedText[], settings: Omit<TrustSettings, 'sanitize'>): Screened {
  const distrusted = verdicts.filter(({ trustScore }) => trustScore < settings.threshold)
  if (distrusted.length > 0 && settings.policy === 'reject') {
    throw new ServiceError(
      'validation_error',
      'The content looks like injected instructions and was not stored',
      distrusted.map(problemOf),
    )
  }
  return {
    trustScore: verdicts.reduce((lowest, { trustScore }) => Math.min(lowest, trustScore), 1),
    flagged: verdicts.some(({ trustScore }) => isFlagged(trustScore, settings)),
    verdicts,
  }
}

/** A threshold of 0 accepts everything: then nothing is flagged either. */
export function isFlagged(
  trustScore: number,
  { threshold, flagThreshold }: Pick<TrustSettings, 'threshold' | 'flagThreshold'>,
): boolean {
  return threshold > 0 && trustScore < Math.max(threshold, flagThreshold)
}

function problemOf(verdict: { path: string; trustScore: number; findings: readonly Finding[] }): FieldProblem {
  const kinds = [...new Set(verdict.findings.map(({ kind }) => kind))].sort()
  return {
    path: verdict.path,
    message: `trust score ${verdict.trustScore.toFixed(2)} is below the threshold (${kinds.join(', ') || 'no finding'})`,
    trust_score: verdict.trustScore,
    findings: verdict.findings.map(({ kind, start, end, weight }) => ({ kind, start, end, weight })),
  }
}
