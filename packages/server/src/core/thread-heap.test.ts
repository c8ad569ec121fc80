import { describe, expect, it } from 'vitest'
import { collector, type Heap, lookAt, settledBytes } from './thread-heap.js'

const megabyte = 2 ** 20

/** A heap with `needed` bytes in use and garbage on top. */
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
  it('is rid of what its start left over at the first look', () => {
    const { state, look } = fakeHeap(5 * megabyte, 3 * megabyte)
    look()
    expect(state).toMatchObject({ collections: 1, garbage: 0 })
  })

  it('is left alone while less than two megabytes are to be gained', () => {
    const { state, look } = fakeHeap(5 * megabyte)
    look()
    state.garbage = 2 * megabyte - 1
    look()
    expect(state.collections).toBe(1)
    state.garbage = 2 * megabyte
    look()
    expect(state.collections).toBe(2)
  })

  it('is measured from what is needed after a growth that stays, not collected at every look', () => {
    const { state, look } = fakeHeap(5 * megabyte)
    look()
    state.needed = 12 * megabyte
    for (let time = 0; time < 5; time++) look()
    expect(state.collections).toBe(2)
  })

  it('is measured from what is needed after V8 collected by itself', () => {
    const { state, look } = fakeHeap(12 * megabyte)
    look()
    state.needed = 5 * megabyte
    look()
    state.garbage = 2 * megabyte
    look()
    expect(state.collections).toBe(2)
  })

  it('is left to V8 when a collection would take long', () => {
    const { state, look } = fakeHeap(30 * megabyte, 3 * megabyte)
    look()
    expect(state.collections).toBe(0)
  })

  it('is collected in earnest: garbage that has settled is gone', () => {
    const collect = collector()
    if (collect === undefined) throw new Error('V8 gave no collector')
    let large: number[][] = Array.from({ length: 1_000 }, () => new Array<number>(1_000).fill(0.5))
    // Twice: what survives two collections has settled.
    collect()
    collect()
    const before = settledBytes()
    large = large.slice(0, 1)
    collect()
    expect(before - settledBytes()).toBeGreaterThan(4 * megabyte)
    expect(large).toHaveLength(1)
  })
})
