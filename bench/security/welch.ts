/** Whether two sets of times are distinguishable: Welch's t, as used by dudect (Reparaz, Balasch, Verbauwhede 2017). */

/** Beyond this value the means differ, with an error probability of one in a hundred thousand. */
export const tellTale = 4.5

export function welch(left: readonly number[], right: readonly number[]): number {
  const [a, b] = [moments(left), moments(right)]
  const spread = Math.sqrt(a.variance / left.length + b.variance / right.length)
  if (spread === 0) return a.mean === b.mean ? 0 : Number.POSITIVE_INFINITY
  return (a.mean - b.mean) / spread
}

/**
 * Removes the noise of a busy machine: both sets are cut at the same time, the given quantile of all samples. A
 * difference of a few microseconds disappears in scheduler pauses but is visible here.
 */
export function welchBelow(share: number, left: readonly number[], right: readonly number[]): number {
  const bound = quantile([...left, ...right], share)
  return welch(
    left.filter((each) => each <= bound),
    right.filter((each) => each <= bound),
  )
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

function moments(values: readonly number[]): { readonly mean: number; readonly variance: number } {
  const mean = values.reduce((sum, each) => sum + each, 0) / values.length
  const variance = values.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (values.length - 1)
  return { mean, variance }
}
