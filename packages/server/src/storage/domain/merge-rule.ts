/**
 * Decides which names are one entity. A rule merges a name when exactly one entity of the same user fits it: one that a text also
 * calls by this name, a person whose full name begins with it or whose short form it is, or an organisation by its whole name. When
 * a second one appears, the reason is gone and the merge ends. No rule touches a merge that a user made or reverted.
 */
import type { MergeRule } from '../ports/entity-merges.js'

/** An entity that the name may stand for. */
export interface Fit {
  readonly key: number
  readonly name: string
  /** The entity that it is shown as part of, or itself. */
  readonly root: number
  readonly rule: MergeRule
}

export interface Candidates {
  /** The current merge of the name, and the root that it leads to. */
  readonly standing?: { readonly rule: MergeRule; readonly root: number } | undefined
  /** Best reason first. */
  readonly fits: readonly Fit[]
  /** The name itself and everything that was merged into it. */
  readonly parts: ReadonlySet<number>
  /** Roots from which a user separated this name. */
  readonly takenBack: ReadonlySet<number>
}

export interface MergeDecision {
  /** The current merge ends. */
  readonly ends: boolean
  /** The name is merged into this one. */
  readonly into: Fit | null
}

export function decideMerge({ standing, fits, parts, takenBack }: Candidates): MergeDecision {
  if (standing?.rule === 'manual') return { ends: false, into: null }
  const others = fits.filter(({ key }) => !parts.has(key))
  const [fit] = others
  const ends = standing !== undefined
  if (!fit || others.some(({ root }) => root !== fit.root)) return { ends, into: null }
  if (standing?.root === fit.root) return { ends: false, into: null }
  return { ends, into: takenBack.has(fit.root) ? null : fit }
}
