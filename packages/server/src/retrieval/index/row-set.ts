/**
 * A set of row numbers as bits. The rows of a user are close together, because one counter numbers all that the user has. So two million
 * of them take about a megabyte; a `Set` of numbers would take a hundred times as much.
 */
const pageBits = 65_536

export class RowSet {
  private readonly pages = new Map<number, Uint8Array>()
  private lastNumber = -1
  private lastPage: Uint8Array = new Uint8Array(0)

  static of(rows: Iterable<number>): RowSet {
    const set = new RowSet()
    for (const row of rows) set.add(row)
    return set
  }

  /** False if the row was in the set before. */
  add(row: number): boolean {
    const number = Math.floor(row / pageBits)
    const bit = row - number * pageBits
    if (number !== this.lastNumber) this.turnTo(number)
    const byte = this.lastPage[bit >>> 3] ?? 0
    const mask = 1 << (bit & 7)
    this.lastPage[bit >>> 3] = byte | mask
    return (byte & mask) === 0
  }

  has(row: number): boolean {
    const number = Math.floor(row / pageBits)
    const bit = row - number * pageBits
    const page = number === this.lastNumber ? this.lastPage : this.pages.get(number)
    return (((page?.[bit >>> 3] ?? 0) >>> (bit & 7)) & 1) === 1
  }

  private turnTo(number: number): void {
    let page = this.pages.get(number)
    if (!page) {
      page = new Uint8Array(pageBits / 8)
      this.pages.set(number, page)
    }
    this.lastNumber = number
    this.lastPage = page
  }
}
