/** Numbers that look random and repeat with their seed (mulberry32 by Tommy Ettinger, public domain). */
export type Random = () => number

export function random(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export function pick<T>(next: Random, from: readonly T[]): T {
  const chosen = from[Math.floor(next() * from.length)]
  if (chosen === undefined) throw new Error('nothing to pick from')
  return chosen
}

/** The first entries come up most often, as the first names and places of real people do. */
export function pickSkewed<T>(next: Random, from: readonly T[]): T {
  return pick(() => next() ** 2, from)
}
