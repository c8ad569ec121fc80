import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainKernels, simdKernels } from './dense-kernel.js'
import { DenseScratch, VectorArena, VectorMatrix } from './dense-scan.js'

function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
const random = randomNumbers(7)

/** Normally distributed components, like those of embeddings. */
function vectorOf(dimensions: number): Float32Array {
  const vector = Float32Array.from({ length: dimensions }, () => random() + random() + random() + random() - 2)
  const length = Math.hypot(...vector)
  return vector.map((component) => component / length)
}

function quantize(vector: Float32Array): { row: Int8Array; scale: number } {
  const scale = Math.max(...vector.map(Math.abs)) / 127
  return { row: Int8Array.from(vector, (component) => Math.round(component / scale)), scale }
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0
  for (let index = 0; index < a.length; index++) sum += (a[index] ?? 0) * (b[index] ?? 0)
  return sum
}

function allOf(count: number) {
  return { states: new Uint8Array(count).fill(1), state: 1, count, end: count }
}

function productOf(matrix: VectorMatrix, row: number): number {
  return matrix.products(Int32Array.of(row), new DenseScratch())[0] ?? Number.NaN
}

function filled(arena: VectorArena, rows: readonly Int8Array[]) {
  const matrix = new VectorMatrix(arena)
  const factors = rows.map((row, index) => matrix.set(index, row))
  return { matrix, cosines: () => rows.map((_, index) => productOf(matrix, index) * (factors[index] ?? 0)) }
}

describe('dense scan', () => {
  it('gives the same coarse and fine results with SIMD and with plain JavaScript', () => {
    const cases = fc.integer({ min: 1, max: 100 }).chain((dimensions) =>
      fc.record({
        query: fc.float32Array({ minLength: dimensions, maxLength: dimensions, min: -1, max: 1, noNaN: true }),
        rows: fc.array(fc.int8Array({ minLength: dimensions, maxLength: dimensions }), { minLength: 1, maxLength: 70 }),
      }),
    )
    fc.assert(
      fc.property(cases, ({ query, rows }) => {
        const [simd, plain] = [simdKernels, plainKernels].map((kernels) => {
          const arena = new VectorArena(query.length, kernels)
          const { cosines } = filled(arena, rows)
          arena.setQuery(query)
          const blocks = Math.ceil(rows.length / 32)
          return { cosines: cosines(), rough: [...arena.roughly(0, blocks).subarray(0, rows.length)] }
        })
        expect(simd).toEqual(plain)
      }),
      { numRuns: 60 },
    )
  })

  it('has an error of about 0.005 in cosines, and of a few hundredths if four components make up half of a vector', () => {
    const dimensions = 384
    const arena = new VectorArena(dimensions)
    const spiky = () => vectorOf(dimensions).map((component) => (random() < 0.01 ? component * 12 : component))
    for (const [make, mostError] of [
      [() => vectorOf(dimensions), 0.007],
      [spiky, 0.03],
    ] as const) {
      const exact = Array.from({ length: 200 }, make).map((vector) => {
        const length = Math.hypot(...vector)
        return vector.map((component) => component / length)
      })
      const rows = exact.map(quantize)
      const { matrix, cosines } = filled(
        arena,
        rows.map(({ row }) => row),
      )
      const [query = new Float32Array(dimensions)] = exact
      arena.setQuery(query)
      const errors = cosines().map(
        (cosine, index) => cosine * (rows[index]?.scale ?? 0) - dot(exact[index] ?? [], query),
      )
      expect(Math.sqrt(dot(errors, errors) / errors.length)).toBeLessThan(mostError)
      // The product of a row with itself is exact, however coarse its codes are.
      expect(Math.abs(errors[0] ?? 1)).toBeLessThan(0.002)
      matrix.truncate(0)
    }
  })

  it('does not overflow with the largest rows and queries of many dimensions', () => {
    for (const dimensions of [384, 1536, 4096]) {
      const arena = new VectorArena(dimensions)
      const rows = [-128, 127].map((value) => new Int8Array(dimensions).fill(value))
      const { cosines } = filled(arena, rows)
      for (const sign of [1, -1]) {
        arena.setQuery(new Float32Array(dimensions).fill(sign))
        const [lowest = 0, highest = 0] = cosines()
        expect(lowest / (-128 * sign * dimensions)).toBeCloseTo(1, 2)
        expect(highest / (127 * sign * dimensions)).toBeCloseTo(1, 2)
        const [roughLowest = 0, roughHighest = 0] = arena.roughly(0, 1)
        expect(Math.sign(roughHighest - roughLowest)).toBe(sign)
      }
    }
  })

  it('scores everything 0 for a query of zeros, and treats a row of zeros as not comparable', () => {
    const arena = new VectorArena(8)
    const { matrix, cosines } = filled(arena, [new Int8Array(8).fill(5)])
    arena.setQuery(new Float32Array(8))
    expect(cosines()).toEqual([0])
    expect(matrix.set(1, new Int8Array(8))).toBe(0)
  })

  it('clears a block before it lends it again', () => {
    const arena = new VectorArena(16)
    const first = new VectorMatrix(arena)
    for (let row = 0; row < 100; row++) first.set(row, new Int8Array(16).fill(-7))
    arena.setQuery(new Float32Array(16).fill(1))
    const untouched = new VectorArena(16)
    untouched.setQuery(new Float32Array(16).fill(1))
    new VectorMatrix(untouched).set(90, new Int8Array(16).fill(1))
    first.truncate(0)
    const second = new VectorMatrix(arena)
    second.set(90, new Int8Array(16).fill(1))
    expect([...arena.roughly(0, 3)]).toEqual([...untouched.roughly(0, 3)])
  })

  it('keeps rows while it grows past its first pages, and reports its size', () => {
    const arena = new VectorArena(384)
    const matrix = new VectorMatrix(arena)
    const count = 20_000
    const rows = Array.from({ length: 50 }, () => quantize(vectorOf(384)).row)
    for (let row = 0; row < count; row++) matrix.set(row, rows[row % rows.length] ?? new Int8Array())
    arena.setQuery(vectorOf(384))
    for (let row = 0; row < count; row += 333) expect(productOf(matrix, row)).toBe(productOf(matrix, row % rows.length))
    expect(matrix.byteSize).toBeGreaterThanOrEqual(count * 288)
    expect(matrix.byteSize).toBeLessThan(count * 290)
    expect(arena.spareBytes).toBeLessThan((count * 288) / 8 + 1_500_000)
  })

  it('moves and erases rows without changing their neighbours', () => {
    const arena = new VectorArena(20)
    const rows = Array.from({ length: 80 }, () => quantize(vectorOf(20)).row)
    const { matrix } = filled(arena, rows)
    matrix.move(70, 3)
    matrix.erase(5)
    const other = new VectorArena(20)
    const expected = filled(
      other,
      rows.map((row, index) => (index === 3 ? (rows[70] ?? row) : row)),
    )
    const query = vectorOf(20)
    arena.setQuery(query)
    other.setQuery(query)
    const roughly = [arena, other].map((each) => [...each.roughly(0, 3).subarray(0, 80)])
    for (let row = 0; row < 80; row++) {
      if (row === 5) continue
      expect(productOf(matrix, row), `row ${row}`).toBe(productOf(expected.matrix, row))
      expect(roughly[0]?.[row]).toBe(roughly[1]?.[row])
    }
  })
})

describe('candidates', () => {
  const dimensions = 64
  const count = 6_000

  function nearestOf(rows: readonly Int8Array[], query: Float32Array, allowed: (row: number) => boolean): number[] {
    return rows
      .map((row, index) => ({ index, product: dot(row, query) / Math.hypot(...row) }))
      .filter(({ index }) => allowed(index))
      .sort((a, b) => b.product - a.product)
      .slice(0, 20)
      .map(({ index }) => index)
  }

  it('contain the nearest rows of many, and few others', () => {
    const arena = new VectorArena(dimensions)
    const rows = Array.from({ length: count }, () => quantize(vectorOf(dimensions)).row)
    const { matrix } = filled(arena, rows)
    const scratch = new DenseScratch()
    for (let turn = 0; turn < 10; turn++) {
      const query = vectorOf(dimensions)
      arena.setQuery(query)
      const found = matrix.candidates(allOf(count), 20, scratch)
      expect([...found]).toEqual(expect.arrayContaining(nearestOf(rows, query, () => true)))
      expect(found.length).toBeGreaterThanOrEqual(512)
      expect(found.length).toBeLessThan(700)
    }
  })

  it('are eligible rows only, even if those are rare', () => {
    const arena = new VectorArena(dimensions)
    const rows = Array.from({ length: 30_000 }, () => quantize(vectorOf(dimensions)).row)
    const { matrix } = filled(arena, rows)
    const scratch = new DenseScratch()
    for (const everyOther of [2, 19, 1_000]) {
      const allowed = (row: number) => row % everyOther === 1
      const states = Uint8Array.from(rows, (_, row) => (allowed(row) ? 3 : 1))
      const eligible = { states, state: 3, count: states.filter((state) => state === 3).length, end: rows.length }
      const query = vectorOf(dimensions)
      arena.setQuery(query)
      const found = [...matrix.candidates(eligible, 20, scratch)]
      expect(found.every(allowed)).toBe(true)
      expect(found).toEqual(expect.arrayContaining(nearestOf(rows, query, allowed)))
    }
  })

  it('contain the nearest row even if thousands of newer rows are identical and nearly as near', () => {
    const arena = new VectorArena(dimensions)
    const query = vectorOf(dimensions)
    const near = quantize(query).row
    // The nearest row is the oldest one. All others have some components negated.
    const other = near.map((component, column) => (column < 8 ? -component : component))
    const { matrix } = filled(
      arena,
      Array.from({ length: 20_000 }, (_, row) => (row === 0 ? near : other)),
    )
    arena.setQuery(query)
    expect([...matrix.candidates(allOf(20_000), 20, new DenseScratch())]).toContain(0)
  })

  it('are the newest if thousands of rows are identical, and as many as wanted', () => {
    const arena = new VectorArena(dimensions)
    const same = quantize(vectorOf(dimensions)).row
    const { matrix } = filled(
      arena,
      Array.from({ length: count }, () => same),
    )
    const scratch = new DenseScratch()
    arena.setQuery(vectorOf(dimensions))
    const found = matrix.candidates(allOf(count), 20, scratch)
    expect(found.length).toBeGreaterThanOrEqual(512)
    expect([...found.subarray(0, 3)]).toEqual([count - 1, count - 2, count - 3])
    expect(matrix.candidates(allOf(count), 2_000, scratch)).toHaveLength(count)
  })
})
