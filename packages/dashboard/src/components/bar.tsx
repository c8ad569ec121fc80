/** Draws a value from 0 to 1 as a bar. It is hidden from screen readers because the number is next to it as text. */
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
