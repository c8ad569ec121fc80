import type { Memory } from '@keepsake/client'
import { expect, it } from 'vitest'
import { newestFirst, orderAfter, ordered } from './order.ts'

// Only the compared fields matter here.
const row = (content: string, project: string | null, accessCount: number) =>
  ({ content, project, accessCount, createdAt: '2026-01-01T00:00:00Z' }) as Memory
const rows = [row('b2', null, 1), row('B10', 'home', 3), row('a', 'work', 3)]
const contents = (memories: readonly Memory[]) => memories.map(({ content }) => content)

it('keeps the order of the service for newest first', () => {
  expect(ordered(rows, newestFirst)).toBe(rows)
})

it('sorts text without regard to case and numbers by value, and reverses on a second click', () => {
  const byText = orderAfter(newestFirst, 'content')
  expect(contents(ordered(rows, byText))).toEqual(['a', 'b2', 'B10'])
  expect(contents(ordered(rows, orderAfter(byText, 'content')))).toEqual(['B10', 'b2', 'a'])
})

it('sorts numbers from the highest, and keeps equal rows newest first', () => {
  expect(contents(ordered(rows, orderAfter(newestFirst, 'accessCount')))).toEqual(['B10', 'a', 'b2'])
})

it('puts memories without a project last', () => {
  expect(contents(ordered(rows, orderAfter(newestFirst, 'project')))).toEqual(['B10', 'a', 'b2'])
})
