/** Texts that are nearly the same get one number (MinHash over runs of four words), so that no copy of a training text measures. */
const hashesEach = 12

export function clustersOf(texts: readonly string[]): Int32Array {
  const parent = Int32Array.from(texts, (_, index) => index)
  const rootOf = (index: number): number => {
    let root = index
    while (parent[root] !== root) root = parent[root] ?? root
    for (let at = index; parent[at] !== root; ) {
      const next = parent[at] ?? root
      parent[at] = root
      at = next
    }
    return root
  }
  const seen = new Map<string, number>()
  for (const [index, text] of texts.entries()) {
    for (const key of keysOf(text)) {
      const other = seen.get(key)
      if (other === undefined) seen.set(key, index)
      else parent[rootOf(index)] = rootOf(other)
    }
  }
  return parent.map((_, index) => rootOf(index))
}

/** Pairs of minima: two texts that share 60% of their runs share one of six pairs with nine chances in ten. */
function keysOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  if (words.length < 6) return [words.join(' ')]
  const minima = new Array<number>(hashesEach).fill(0xffffffff)
  for (let at = 0; at + 4 <= words.length; at += 1) {
    const run = hashOf(words.slice(at, at + 4).join(' '))
    for (let index = 0; index < hashesEach; index += 1) {
      const mixed = Math.imul(run ^ Math.imul(index + 1, 0x9e3779b1), 0x85ebca6b) >>> 0
      const value = (mixed ^ (mixed >>> 13)) >>> 0
      if (value < (minima[index] ?? 0)) minima[index] = value
    }
  }
  return Array.from({ length: hashesEach / 2 }, (_, pair) => `${pair}:${minima[2 * pair]}:${minima[2 * pair + 1]}`)
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}
