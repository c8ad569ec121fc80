import { type FieldProblem, ServiceError } from '../core/errors.js'
import { isLowTrust } from '../core/trust.js'
import type { Finding, Guard, Verdict } from '../models/models.js'

interface TrustSettings {
  readonly threshold: number
  readonly policy: 'reject' | 'flag'
  readonly sanitize: boolean
}

export interface Screened {
  /** The lowest score of all parts. */
  readonly trustScore: number
  readonly flagged: boolean
  readonly findings: readonly (Finding & { readonly path: string })[]
}

/** A flagged or barely trusted text must not change existing memories, and is not sent to other models. */
export function isDoubted({ flagged, trustScore }: Pick<Screened, 'flagged' | 'trustScore'>): boolean {
  return flagged || isLowTrust(trustScore)
}

/** Checks every part before anything is written. The error names kinds and positions, never content. */
export function sanitize(
  guard: Guard,
  parts: readonly { readonly path: string; readonly text: string }[],
  settings: TrustSettings,
): Screened {
  if (!settings.sanitize) return conclude([], settings)
  return conclude(
    parts.map(({ path, text }) => ({ path, ...guard.inspect(text) })),
    settings,
  )
}

/** The same for parts that the guard has inspected. */
export function conclude(
  verdicts: readonly (Verdict & { readonly path: string })[],
  settings: Pick<TrustSettings, 'threshold' | 'policy'>,
): Screened {
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
    flagged: distrusted.length > 0,
    findings: verdicts.flatMap(({ path, findings }) => findings.map((finding) => ({ ...finding, path }))),
  }
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
