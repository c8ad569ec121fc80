import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainKernel, simdKernel } from './dense-kernel.js'
import { blockRows, VectorArena, VectorMatrix } from './dense-scan.js'

const allRows = (count: number) => new Uint8Array(count).fill(1)

function productsOf(matrix: VectorMatrix, count: number, allowed = allRows(count)): number[] {
  const products: number[] = []
  matrix.scan(allowed, count, (first, block) => {
    for (let row = first; row < Math.min(first + blockRows, count); row++) products[row] = block[row - first] ?? 0
  })
  return products
}

describe('dense scan', () => {
  it('gives the same products by SIMD and by plain JavaScript, which are those of the query and the rows', () => {
    const cases = fc.integer({ min: 1, max: 100 }).chain((dimensions) =>
      fc.record({
        query: fc.float32Array({ minLength: dimensions, maxLength: dimensions, min: -1, max: 1, noNaN: true }),
        rows: fc.array(fc.int8Array({ minLength: dimensions, maxLength: dimensions }), { minLength: 1, maxLength: 70 }),
      }),
    )
    fc.assert(
      fc.property(cases, ({ query, rows }) => {
        const [simd, plain] = [simdKernel, plainKernel].map((kernel) => {
          const arena = new VectorArena(query.length, kernel)
          const matrix = new VectorMatrix(arena)
          rows.forEach((row, index) => {
            matrix.set(index, row)
          })
          return { scale: arena.setQuery(query), products: productsOf(matrix, rows.length) }
        })
        expect(simd).toEqual(plain)
        rows.forEach((row, index) => {
          const exact = row.reduce((sum, component, column) => sum + component * (query[column] ?? 0), 0)
          const allowance = (row.reduce((sum, component) => sum + Math.abs(component), 0) * (simd?.scale ?? 0)) / 2
          expect(Math.abs((simd?.products[index] ?? 0) * (simd?.scale ?? 0) - exact)).toBeLessThanOrEqual(
            allowance + 1e-9,
          )
        })
      }),
      { numRuns: 60 },
    )
  })

  it('does not overflow with the largest rows and queries of many dimensions', () => {
    for (const dimensions of [384, 1536, 4096]) {
      const arena = new VectorArena(dimensions)
      const matrix = new VectorMatrix(arena)
      matrix.set(0, new Int8Array(dimensions).fill(-128))
      matrix.set(1, new Int8Array(dimensions).fill(127))
      const scale = arena.setQuery(new Float32Array(dimensions).fill(1))
      const [lowest = 0, highest = 0] = productsOf(matrix, 2).map((product) => product * scale)
      expect(lowest / (-128 * dimensions)).toBeCloseTo(1, 3)
      expect(highest / (127 * dimensions)).toBeCloseTo(1, 3)
    }
  })

  it('scores everything 0 for a query of zeros', () => {
    const arena = new VectorArena(8)
    const matrix = new VectorMatrix(arena)
    matrix.set(0, new Int8Array(8).fill(5))
    expect(arena.setQuery(new Float32Array(8))).toBe(0)
    expect(productsOf(matrix, 1)).toEqual([0])
  })

  it('lends a block that was given back without what was in it', () => {
    const arena = new VectorArena(16)
    const first = new VectorMatrix(arena)
    for (let row = 0; row < 100; row++) first.set(row, new Int8Array(16).fill(7))
    first.truncate(0)
    const second = new VectorMatrix(arena)
    second.set(90, new Int8Array(16).fill(1))
    arena.setQuery(new Float32Array(16).fill(1))
    expect(productsOf(second, 91).filter((product) => product !== 0)).toHaveLength(1)
  })

  it('keeps rows while it grows past its first pages, and counts what it holds', () => {
    const arena = new VectorArena(384)
    const matrix = new VectorMatrix(arena)
    const count = 20_000
    for (let row = 0; row < count; row++) matrix.set(row, new Int8Array(384).fill(row % 100))
    const scale = arena.setQuery(new Float32Array(384).fill(1 / 384))
    const products = productsOf(matrix, count)
    for (let row = 0; row < count; row += 333) expect((products[row] ?? 0) * scale).toBeCloseTo(row % 100, 3)
    expect(matrix.byteSize).toBeGreaterThanOrEqual(count * 384)
    expect(arena.spareBytes).toBeLessThan((count * 384) / 4 + 5_000_000)
  })

  it('passes over blocks without an allowed row', () => {
    const matrix = new VectorMatrix(new VectorArena(16))
    matrix.set(99, new Int8Array(16))
    const allowed = new Uint8Array(100)
    allowed[40] = 1
    const firsts: number[] = []
    matrix.scan(allowed, 100, (first) => {
      firsts.push(first)
    })
    expect(firsts).toEqual([32])
  })
})
