import type { Memory } from '@keepsake/client'
import { expect, it } from 'vitest'
import { type PageWanted, RowReader } from './row-reader.ts'

/** A list of so many memories that answers at once, with the requests it got. */
function listOf(size: number) {
  const asked: PageWanted[] = []
  const state = { size, fails: false }
  const reader = new RowReader(async (wanted) => {
    asked.push(wanted)
    if (state.fails) throw new Error('down')
    const from = Number(wanted.cursor ?? 0)
    const end = Math.min(state.size, from + wanted.limit)
    // Only the id matters here.
    const memories = Array.from({ length: end - from }, (_, at) => ({ id: `mem_${from + at}` }) as Memory)
    const nextCursor = end < state.size ? String(end) : null
    return { memories, total: state.size, page: null, limit: wanted.limit, nextCursor }
  })
  const settled = async () => {
    do await new Promise((resolve) => setTimeout(resolve))
    while (reader.isReading.value)
  }
  return { reader, asked, state, settled, count: () => reader.rows.value?.memories.length }
}

it('reads a small first page, and further pages only when they are needed', async () => {
  const { reader, asked, settled, count } = listOf(5000)
  reader.need(30)
  await settled()
  expect(count()).toBe(100)
  expect(reader.rows.value?.total).toBe(5000)
  reader.need(90)
  await settled()
  expect(asked).toHaveLength(1)
  reader.need(1200)
  await settled()
  expect(count()).toBe(1600)
  expect(asked.map(({ cursor, limit }) => [cursor, limit])).toEqual([
    [undefined, 100],
    ['100', 500],
    ['600', 500],
    ['1100', 500],
  ])
})

it('reads all rows once, and stops at the last page', async () => {
  const { reader, asked, settled, count } = listOf(700)
  reader.need(Number.POSITIVE_INFINITY)
  reader.need(Number.POSITIVE_INFINITY)
  await settled()
  reader.need(Number.POSITIVE_INFINITY)
  await settled()
  expect(count()).toBe(700)
  expect(asked).toHaveLength(3)
  expect(new Set(reader.rows.value?.memories.map(({ id }) => id)).size).toBe(700)
})

it('keeps the old rows during a reload, and then shows as many new ones as are needed', async () => {
  const { reader, state, settled, count } = listOf(700)
  reader.need(650)
  await settled()
  state.size = 640
  const seen: (number | undefined)[] = []
  const stop = reader.rows.subscribe((rows) => seen.push(rows?.memories.length))
  reader.reload()
  await settled()
  stop()
  expect(seen).toEqual([700, 640])
  expect(count()).toBe(640)
  expect(reader.rows.value?.total).toBe(640)
})

it('keeps the rows after an error, and continues on the next call', async () => {
  const { reader, state, settled, count } = listOf(700)
  reader.need(1)
  await settled()
  state.fails = true
  reader.need(300)
  await settled()
  expect(reader.problem.value).toBeInstanceOf(Error)
  expect(count()).toBe(100)
  state.fails = false
  reader.need(300)
  await settled()
  expect(reader.problem.value).toBeUndefined()
  expect(count()).toBe(600)
})

it('reads nothing after it was stopped', async () => {
  const { reader, asked, settled } = listOf(700)
  reader.stop()
  reader.need(1)
  await settled()
  expect(asked).toHaveLength(0)
})
