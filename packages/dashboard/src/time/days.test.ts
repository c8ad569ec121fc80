import { expect, it } from 'vitest'
import { dayOf, endOfDay, isoDay, readDay, stepped } from './days.js'

const day = (text: string) => readDay(text) ?? Number.NaN

it('maps a time to its local day and back, in any time zone and at any hour', () => {
  for (const hour of [0, 1, 12, 23]) expect(dayOf(new Date(2026, 2, 29, hour, 30))).toBe(day('2026-03-29'))
  expect(dayOf(endOfDay(day('2026-10-25')))).toBe(day('2026-10-25'))
  expect(endOfDay(day('2026-03-01')).getHours()).toBe(23)
})

it('steps by days, weeks, and months of different lengths', () => {
  expect(isoDay(stepped(day('2026-01-01'), 'day', -1))).toBe('2025-12-31')
  expect(isoDay(stepped(day('2026-01-01'), 'week', 1))).toBe('2026-01-08')
  expect(isoDay(stepped(day('2026-01-31'), 'month', 1))).toBe('2026-02-28')
  expect(isoDay(stepped(day('2026-03-31'), 'month', -1))).toBe('2026-02-28')
  expect(isoDay(stepped(day('2026-01-15'), 'month', -1))).toBe('2025-12-15')
})

it('returns undefined for an invalid date', () => {
  for (const text of ['', 'today', '2026-13-01', '2026-1-1']) expect(readDay(text)).toBeUndefined()
})
