/** Copies the codes of rows out of an arena, to store them, and back into it. */
import { copyCoarse } from './dense-codes.js'
import { blockRows } from './dense-kernel.js'

/** The codes of one or more blocks. */
export interface BlockCodes {
  readonly coarse: Uint8Array
  readonly fine: Uint8Array
}

export function joinCodes(blocks: readonly BlockCodes[]): BlockCodes {
  return { coarse: joined(blocks.map(({ coarse }) => coarse)), fine: joined(blocks.map(({ fine }) => fine)) }
}

/**
 * Puts the codes of `rows` rows that `joinCodes` returned at the rows from `first` on. `blockOf` finds the block of a row. Whole
 * blocks are much faster.
 */
export function splitCodes(codes: BlockCodes, rows: number, first: number, blockOf: (row: number) => BlockCodes): void {
  for (let start = 0; start < rows; start += blockRows) {
    const to = blockOf(first + start)
    const part = (bytes: Uint8Array, each: number) =>
      bytes.subarray((start / blockRows) * each, (start / blockRows + 1) * each)
    const from = { coarse: part(codes.coarse, to.coarse.length), fine: part(codes.fine, to.fine.length) }
    if (first % blockRows === 0) {
      to.coarse.set(from.coarse)
      to.fine.set(from.fine)
    } else {
      const end = Math.min(blockRows, rows - start)
      for (let slot = 0; slot < end; slot++) copyRow(from, slot, blockOf(first + start + slot), first + start + slot)
    }
  }
}

function copyRow(from: BlockCodes, fromSlot: number, to: BlockCodes, row: number): void {
  copyCoarse(from.coarse, fromSlot, to.coarse, row % blockRows)
  const each = from.fine.length / blockRows
  to.fine.set(from.fine.subarray(fromSlot * each, (fromSlot + 1) * each), (row % blockRows) * each)
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let end = 0
  for (const part of parts) {
    whole.set(part, end)
    end += part.length
  }
  return whole
}
