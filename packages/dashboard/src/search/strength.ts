/** A score is roughly the probability that the memory answers the question. Below 0.15, most memories answer nothing. */
export function strengthOf(score: number): 'strong' | 'possible' | 'weak' {
  if (score >= 0.5) return 'strong'
  return score >= 0.15 ? 'possible' : 'weak'
}
