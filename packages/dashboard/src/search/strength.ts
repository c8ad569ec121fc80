/** A score is roughly the probability that the memory answers the question. Below 0.1, most memories are unrelated. */
export function strengthOf(score: number): 'strong' | 'possible' | 'weak' {
  if (score >= 0.5) return 'strong'
  return score >= 0.1 ? 'possible' : 'weak'
}
