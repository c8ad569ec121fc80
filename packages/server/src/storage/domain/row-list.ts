/** A sorted list of row numbers as bytes: the distance from the previous one, seven bits per byte, lowest first. */

export function packRows(rows: readonly number[]): Uint8Array {
  const bytes: number[] = []
  let previous = 0
  for (const row of [...rows].sort((a, b) => a - b)) {
    let distance = row - previous
    previous = row
    // Row numbers have up to 53 bits, so no bit operations.
    while (distance >= 0x80) {
      bytes.push((distance % 0x80) + 0x80)
      distance = Math.floor(distance / 0x80)
    }
    bytes.push(distance)
  }
  return Uint8Array.from(bytes)
}

export function hasRowOf(packed: Uint8Array, wanted: ReadonlySet<number>): boolean {
  let row = 0
  let distance = 0
  let factor = 1
  for (const byte of packed) {
    distance += (byte % 0x80) * factor
    if (byte >= 0x80) {
      factor *= 0x80
      continue
    }
    row += distance
    if (wanted.has(row)) return true
    distance = 0
    factor = 1
  }
  return false
}

/** Puts pieces one after another, each at a multiple of eight, so that numbers of any width can be viewed in place. */
export function joinAligned(pieces: readonly Uint8Array[]): {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly starts: number[]
  readonly ends: number[]
} {
  const starts: number[] = []
  let end = 0
  for (const piece of pieces) {
    starts.push(end)
    end = Math.ceil((end + piece.length) / 8) * 8
  }
  const bytes = new Uint8Array(end)
  for (const [index, piece] of pieces.entries()) bytes.set(piece, starts[index])
  return { bytes, starts, ends: starts.map((start, index) => start + (pieces[index]?.length ?? 0)) }
}
