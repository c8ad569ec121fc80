import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mostDocuments, PostingPool } from './posting-pool.js'

const distance = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 100 }) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 20_000 }) },
  { weight: 1, arbitrary: fc.constantFrom(63, 64, 8191, 8192, 2 ** 20 - 1, 2 ** 20, 2 ** 22) },
)
const frequency = fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, fc.integer({ min: 1, max: 255 }))

function readAll(pool: PostingPool, list: number): number[] {
  const { postings, count } = pool.read(list, new Uint32Array(1))
  return [...postings.subarray(0, count)]
}

describe('posting pool', () => {
  it('returns every list as it was appended, whatever was appended to other lists in between', () => {
    const step = fc.record({ list: fc.nat(4), distance, frequency })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400, size: 'max' }), (steps) => {
        const pool = new PostingPool()
        const lists = Array.from({ length: 5 }, () => ({ number: pool.open(), postings: [] as number[], last: -1 }))
        for (const { list, distance: ahead, frequency: times } of steps) {
          const chosen = lists[list]
          if (!chosen || chosen.last + ahead >= mostDocuments) continue
          chosen.last += ahead
          const posting = ((chosen.last << 8) | times) >>> 0
          chosen.postings.push(posting)
          pool.append(chosen.number, posting)
        }
        for (const { number, postings } of lists) expect(readAll(pool, number)).toEqual(postings)
      }),
    )
  })

  it('holds the lowest and the highest document number', () => {
    const pool = new PostingPool()
    const list = pool.open()
    const postings = [1, (((mostDocuments - 1) << 8) | 255) >>> 0]
    for (const posting of postings) pool.append(list, posting)
    expect(readAll(pool, list)).toEqual(postings)
  })

  it('takes less than two bytes per posting of a common term', () => {
    const pool = new PostingPool()
    const list = pool.open()
    const empty = pool.byteSize
    for (let document = 0; document < 100_000; document += 10) pool.append(list, (document << 8) | 1)
    expect((pool.byteSize - empty) / 10_000).toBeLessThan(2)
  })
})
