/** Word-by-word diff of two texts by longest common subsequence (Hunt and McIlroy 1976), in its basic form. */

export interface Piece {
  readonly kind: 'same' | 'added' | 'removed'
  readonly text: string
}

/** The table has one cell per pair of words. Above this size, both texts are shown in full. */
const maxCells = 4_000_000

export function diffWords(before: string, after: string): Piece[] {
  const old = wordsOf(before)
  const now = wordsOf(after)
  if (old.length * now.length > maxCells) {
    return joined([
      { kind: 'removed', text: before },
      { kind: 'added', text: after },
    ])
  }
  return joined(walked(old, now, lengthsOf(old, now)))
}

/** Words and the white space between them, so that joining them restores the text. */
function wordsOf(text: string): string[] {
  return text.split(/(\s+)/).filter((word) => word !== '')
}

/** `lengths[i][j]`: length of the longest common subsequence of `old` from `i` and `now` from `j`. */
function lengthsOf(old: readonly string[], now: readonly string[]): Uint32Array[] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1))
  for (let i = old.length - 1; i >= 0; i -= 1) {
    const row = lengths[i]
    const below = lengths[i + 1]
    if (row === undefined || below === undefined) continue
    for (let j = now.length - 1; j >= 0; j -= 1) {
      row[j] = old[i] === now[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0)
    }
  }
  return lengths
}

function walked(old: readonly string[], now: readonly string[], lengths: readonly Uint32Array[]): Piece[] {
  const pieces: Piece[] = []
  let i = 0
  let j = 0
  while (i < old.length || j < now.length) {
    const before = old[i]
    const after = now[j]
    if (before !== undefined && before === after) {
      pieces.push({ kind: 'same', text: before })
      i += 1
      j += 1
    } else if (
      before !== undefined &&
      (after === undefined || (lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0))
    ) {
      pieces.push({ kind: 'removed', text: before })
      i += 1
    } else {
      pieces.push({ kind: 'added', text: after ?? '' })
      j += 1
    }
  }
  return pieces
}

/** Joins neighbouring pieces of the same kind. */
function joined(pieces: readonly Piece[]): Piece[] {
  const result: Piece[] = []
  for (const piece of pieces) {
    if (piece.text === '') continue
    const last = result.at(-1)
    if (last?.kind === piece.kind) result[result.length - 1] = { kind: piece.kind, text: last.text + piece.text }
    else result.push(piece)
  }
  return result
}
