interface Point {
  readonly days: number
  readonly score: number
}

const [width, height, edge] = [300, 70, 3]

/** One small curve. Hidden from screen readers, because the numbers are next to it as text. */
export function Curve({ points }: { readonly points: readonly Point[] }) {
  const last = points.at(-1)?.days ?? 1
  // By the square root: the first weeks matter most, and a year must fit too.
  const across = (days: number) => edge + (width - 2 * edge) * Math.sqrt(days / Math.max(1, last))
  const down = (score: number) => edge + (height - 2 * edge) * (1 - score)
  const line = points.map(({ days, score }) => `${across(days).toFixed(1)},${down(score).toFixed(1)}`).join(' ')
  return (
    <svg class="curve" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <polyline points={line} />
    </svg>
  )
}
