/** A share of one as a bar. The number stands beside it in words, so the bar itself says nothing to screen readers. */
export function Bar({
  share,
  tone = 'accent',
}: {
  readonly share: number
  readonly tone?: 'accent' | 'warm' | 'quiet'
}) {
  const bounded = Math.min(1, Math.max(0, share))
  return (
    <span class={`bar ${tone}`} aria-hidden="true">
      <span class="bar-fill" style={{ width: `${bounded * 100}%` }} />
    </span>
  )
}

export function scoreText(score: number): string {
  return score.toFixed(3)
}
