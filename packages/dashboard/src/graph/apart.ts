/** Moves nodes that cover each other apart, as little as possible. The layout before it knows nothing of pixels. */

export interface Disc {
  x: number
  y: number
  readonly radius: number
}

/** Each round looks at all pairs. */
const mostPairs = 4_000_000

/** Returns whether nothing overlaps any more. */
export function moveApart(discs: readonly Disc[], rounds = 60): boolean {
  const affordable = Math.max(1, Math.floor(mostPairs / Math.max(1, discs.length ** 2)))
  for (let round = 0; round < Math.min(rounds, affordable); round += 1) if (!pushOnce(discs)) return true
  return false
}

/** Returns whether something moved. */
function pushOnce(discs: readonly Disc[]): boolean {
  let moved = false
  discs.forEach((a, index) => {
    for (const b of discs.slice(index + 1)) {
      const [across, down] = [b.x - a.x, b.y - a.y]
      const distance = Math.hypot(across, down)
      const missing = a.radius + b.radius - distance
      if (missing <= 1e-9) continue
      // Two nodes at one place leave it in a direction that depends on their number, so that the picture stays the same.
      const [x, y] = distance > 0 ? [across / distance, down / distance] : [Math.cos(index), Math.sin(index)]
      // A little more than half each, or rounding would never end.
      const step = missing * 0.51
      a.x -= x * step
      a.y -= y * step
      b.x += x * step
      b.y += y * step
      moved = true
    }
  })
  return moved
}
