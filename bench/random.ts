/** Pseudo-random numbers, reproducible by their seed (mulberry32 by Tommy Ettinger, public domain). */
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

/** Earlier entries are more frequent, as common names and places are in real life. */
export function pickSkewed<T>(next: Random, from: readonly T[]): T {
  return pick(() => next() ** 2, from)
}
