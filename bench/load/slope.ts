/**
 * Growth rate as the median of the slopes between all pairs of points (Theil 1950, Sen 1968), which is robust against
 * outliers such as those caused by garbage collection. Sen's confidence interval makes no assumption about the
 * distribution of the noise.
 */
export interface Slope {
  /** Per unit of x. */
  readonly slope: number
  /** The 95% confidence interval. */
  readonly low: number
  readonly high: number
}

export interface Point {
  readonly x: number
  readonly y: number
}

export function theilSen(points: readonly Point[]): Slope {
  const slopes: number[] = []
  for (const [index, a] of points.entries()) {
    for (const b of points.slice(index + 1)) if (b.x !== a.x) slopes.push((b.y - a.y) / (b.x - a.x))
  }
  if (slopes.length === 0) return { slope: Number.NaN, low: Number.NaN, high: Number.NaN }
  slopes.sort((a, b) => a - b)
  const count = points.length
  // How far Kendall's count of rising pairs varies by chance if there is no trend.
  const spread = 1.96 * Math.sqrt((count * (count - 1) * (2 * count + 5)) / 18)
  const at = (rank: number) => slopes[Math.min(slopes.length - 1, Math.max(0, Math.round(rank)))] ?? Number.NaN
  return {
    slope: (at(Math.floor((slopes.length - 1) / 2)) + at(Math.ceil((slopes.length - 1) / 2))) / 2,
    low: at((slopes.length - spread) / 2),
    high: at((slopes.length + spread) / 2),
  }
}

/**
 * The median of each stretch of `size` points: neighbouring points are correlated and would make the interval too
 * narrow.
 */
export function medians(points: readonly Point[], size: number): Point[] {
  const blocks: Point[] = []
  for (let first = 0; first + size <= points.length; first += size) {
    const block = points.slice(first, first + size)
    const middle = (values: number[]) => values.sort((a, b) => a - b)[size >> 1] ?? Number.NaN
    blocks.push({ x: middle(block.map(({ x }) => x)), y: middle(block.map(({ y }) => y)) })
  }
  return blocks
}
