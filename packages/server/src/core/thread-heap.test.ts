import { describe, expect, it } from 'vitest'
import { collector, type Heap, lookAt, settledBytes } from './thread-heap.js'

const megabyte = 2 ** 20

/** A heap with `needed` bytes in use, plus garbage. */
function fakeHeap(needed: number, garbage = 0) {
  const state = { needed, garbage, collections: 0 }
  const heap: Heap = {
    usedBytes: () => state.needed + state.garbage,
    collect() {
      state.collections += 1
      state.garbage = 0
    },
  }
  return { state, look: lookAt(heap) }
}

describe("a worker's heap", () => {
  it('is collected at the first check after the start', () => {
    const { state, look } = fakeHeap(5 * megabyte, 3 * megabyte)
    look()
    expect(state).toMatchObject({ collections: 1, garbage: 0 })
  })

  it('is not collected while it would free less than two megabytes', () => {
    const { state, look } = fakeHeap(5 * megabyte)
    look()
    state.garbage = 2 * megabyte - 1
    look()
    expect(state.collections).toBe(1)
    state.garbage = 2 * megabyte
    look()
    expect(state.collections).toBe(2)
  })

  it('is measured against its new size after lasting growth, and not collected at every check', () => {
    const { state, look } = fakeHeap(5 * megabyte)
    look()
    state.needed = 12 * megabyte
    for (let time = 0; time < 5; time++) look()
    expect(state.collections).toBe(2)
  })

  it('is measured against its new size after V8 has collected', () => {
    const { state, look } = fakeHeap(12 * megabyte)
    look()
    state.needed = 5 * megabyte
    look()
    state.garbage = 2 * megabyte
    look()
    expect(state.collections).toBe(2)
  })

  it('is left to V8 when a collection would take too long', () => {
    const { state, look } = fakeHeap(30 * megabyte, 3 * megabyte)
    look()
    expect(state.collections).toBe(0)
  })

  it('is really collected: old garbage is freed', () => {
    const collect = collector()
    if (collect === undefined) throw new Error('V8 exposes no collector')
    let large: number[][] = Array.from({ length: 1_000 }, () => new Array<number>(1_000).fill(0.5))
    // Twice: objects that survive two collections are in the old generation.
    collect()
    collect()
    const before = settledBytes()
    large = large.slice(0, 1)
    collect()
    expect(before - settledBytes()).toBeGreaterThan(4 * megabyte)
    expect(large).toHaveLength(1)
  })
})
