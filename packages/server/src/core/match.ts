/** What a score means to a caller (docs/benchmarks/retrieval.md): most memories below `possible` answer nothing. */
export const matches = ['strong', 'possible', 'weak', 'none'] as const
export type Match = (typeof matches)[number]

const least = { strong: 0.5, possible: 0.15, weak: 0.05 } as const

export function matchOf(score: number): Match {
  if (score < least.weak) return 'none'
  if (score < least.possible) return 'weak'
  return score < least.strong ? 'possible' : 'strong'
}
