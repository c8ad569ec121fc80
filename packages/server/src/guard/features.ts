/**
 * The input of the guard's classifier: the words of a text, their neighbours and their letters, each hashed to a number
 * (Weinberger et al., "Feature Hashing for Large Scale Multitask Learning", 2009). Training uses this same code.
 */

/** Number of buckets that features are hashed into; the classifier has one weight per bucket. */
export const featureBuckets = 1 << 19
/**
 * Windows are judged separately, so that an instruction does not drown in a long text. Consecutive windows overlap by
 * half.
 */
const windowTokens = 64

export interface Tokens {
  readonly count: number
  readonly hashes: Uint32Array
  /** Half-open ranges in the text. */
  readonly starts: Uint32Array
  readonly ends: Uint32Array
}

export interface Features {
  /** Features of all tokens, one after the other. */
  readonly buckets: Uint32Array
  /** The features of token `i` are in `from[i]` to `from[i + 1]`. */
  readonly from: Uint32Array
}

const Kind = { space: 0, letter: 1, digit: 2, ideograph: 3, mark: 4 } as const

const wideLetter = /\p{L}|\p{M}/u

function kindOf(code: number): number {
  if (code >= 97 && code <= 122) return Kind.letter
  if (code === 32 || code === 9) return Kind.space
  if (code >= 48 && code <= 57) return Kind.digit
  if (code < 128) return Kind.mark
  if ((code >= 0x3040 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7af)) return Kind.ideograph
  // Surrogates: halves of characters beyond 16 bits.
  if (code >= 0xd800 && code <= 0xdfff) return Kind.mark
  return wideLetter.test(String.fromCharCode(code)) ? Kind.letter : Kind.mark
}

const mix = (hash: number, value: number) => Math.imul(hash ^ value, 0x01000193) >>> 0
const scramble = (hash: number) => {
  let mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39)
  return (mixed ^ (mixed >>> 15)) >>> 0
}

/** Words, numbers by length, single ideographs, and marks by kind. Expects lower-case text. */
export function tokensOf(text: string): Tokens {
  const hashes = new Uint32Array(text.length)
  const starts = new Uint32Array(text.length)
  const ends = new Uint32Array(text.length)
  let count = 0
  for (let at = 0; at < text.length; ) {
    const start = at
    const first = text.charCodeAt(at)
    const kind = kindOf(first)
    let hash = 0x811c9dc5
    at += 1
    if (kind === Kind.space) continue
    if (kind === Kind.letter) {
      hash = mix(hash, first)
      while (at < text.length && kindOf(text.charCodeAt(at)) === Kind.letter) {
        hash = mix(hash, text.charCodeAt(at))
        at += 1
      }
    } else if (kind === Kind.digit) {
      while (at < text.length && kindOf(text.charCodeAt(at)) === Kind.digit) at += 1
      hash = mix(mix(hash, 48), Math.min(at - start, 5))
    } else if (kind === Kind.mark) {
      while (at < text.length && text.charCodeAt(at) === first) at += 1
      hash = mix(mix(hash, first), Math.min(at - start, 3))
    } else hash = mix(hash, first)
    hashes[count] = hash
    starts[count] = start
    ends[count] = at
    count += 1
  }
  return { count, hashes, starts, ends }
}

const longestWord = 24

/**
 * For each token: itself, combined with the one and two tokens before it, combined with the token before the previous
 * one, and its letter n-grams of length three to five.
 */
export function featuresOf(text: string, tokens: Tokens): Features {
  const { count, hashes, starts, ends } = tokens
  const from = new Uint32Array(count + 1)
  let buckets = new Uint32Array(count * 16 + 64)
  let size = 0
  const add = (hash: number) => {
    buckets[size] = scramble(hash) & (featureBuckets - 1)
    size += 1
  }
  for (let token = 0; token < count; token += 1) {
    if (size + 128 > buckets.length) {
      const larger = new Uint32Array(buckets.length * 2)
      larger.set(buckets)
      buckets = larger
    }
    const hash = hashes[token] ?? 0
    const before = token > 0 ? (hashes[token - 1] ?? 0) : 1
    const beforeThat = token > 1 ? (hashes[token - 2] ?? 0) : 1
    add(mix(hash, 0x11))
    add(mix(mix(before, 0x22), hash))
    add(mix(mix(mix(beforeThat, 0x33), before), hash))
    add(mix(mix(beforeThat, 0x44), hash))
    const start = starts[token] ?? 0
    const length = Math.min((ends[token] ?? 0) - start, longestWord)
    if (length >= 3 && kindOf(text.charCodeAt(start)) === Kind.letter) {
      // Word boundaries count as letters.
      for (let letter = -1; letter < length - 1; letter += 1) {
        let gram = 0x55
        for (let size = 1; size <= 5; size += 1) {
          const place = letter + size - 1
          if (place > length) break
          gram = mix(gram, place < 0 ? 1 : place === length ? 2 : text.charCodeAt(start + place))
          if (size >= 3) add(mix(gram, size))
        }
      }
    }
    from[token + 1] = size
  }
  return { buckets: buckets.subarray(0, size), from }
}

/** Half-open ranges of tokens; the last window has full length if the text is long enough. */
export function windowsOf(count: number): (readonly [from: number, to: number])[] {
  if (count <= windowTokens) return count === 0 ? [] : [[0, count]]
  const windows: [number, number][] = []
  for (let from = 0; from + windowTokens < count; from += windowTokens / 2) windows.push([from, from + windowTokens])
  windows.push([count - windowTokens, count])
  return windows
}

/** How strongly the most suspicious window outweighs the others. */
const sharpness = 2

/**
 * The score of a text from the scores of its windows: between their mean and their maximum (log of the mean of
 * exponentials). A long page has many chances to look suspicious once, so a single window among many must be more
 * certain.
 */
export function pooledScore(scores: readonly number[]): number {
  const highest = scores.reduce((most, score) => Math.max(most, score), Number.NEGATIVE_INFINITY)
  const sum = scores.reduce((total, score) => total + Math.exp(sharpness * (score - highest)), 0)
  return highest + Math.log(sum / scores.length) / sharpness
}
