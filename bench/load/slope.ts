/**
 * How fast something grows, by the median of the slopes between all pairs of points (Theil 1950, Sen 1968): a few outliers, as
 * garbage collection makes them, do not move it. With Sen's interval, which takes no shape of the noise for granted.
 */
export interface Slope {
  /** Per unit of x. */
  readonly slope: number
  /** 95% of the time the true slope is between these. */
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
  // How far Kendall's count of rising pairs strays by chance where nothing rises.
  const spread = 1.96 * Math.sqrt((count * (count - 1) * (2 * count + 5)) / 18)
  const at = (rank: number) => slopes[Math.min(slopes.length - 1, Math.max(0, Math.round(rank)))] ?? Number.NaN
  return {
    slope: (at(Math.floor((slopes.length - 1) / 2)) + at(Math.ceil((slopes.length - 1) / 2))) / 2,
    low: at((slopes.length - spread) / 2),
    high: at((slopes.length + spread) / 2),
  }
}

/** The median of each stretch of so many points: neighbours tell nearly the same, and would make the interval too narrow. */
export function medians(points: readonly Point[], size: number): Point[] {
  const blocks: Point[] = []
  for (let first = 0; first + size <= points.length; first += size) {
    const block = points.slice(first, first + size)
    const middle = (values: number[]) => values.sort((a, b) => a - b)[size >> 1] ?? Number.NaN
    blocks.push({ x: middle(block.map(({ x }) => x)), y: middle(block.map(({ y }) => y)) })
  }
  return blocks
}
