interface Day {
  /** Such as 2026-11-16. */
  readonly day: string
  readonly created: number
}

/** The number of memories in each of `count` equal parts of the time from the first to the last day. */
export function binsOf(days: readonly Day[], first: number, last: number, count: number): number[] {
  const bins = new Array<number>(count).fill(0)
  const length = Math.max(1, last - first + 1)
  for (const { day, created } of days) {
    const number = Date.parse(`${day}T00:00:00Z`) / 86_400_000
    const at = Math.min(count - 1, Math.max(0, Math.floor(((number - first) * count) / length)))
    bins[at] = (bins[at] ?? 0) + created
  }
  return bins
}
