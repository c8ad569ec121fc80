import { describe, expect, it } from 'vitest'
import { msPerDay } from '../../core/clock.js'
import { timeFit, wholeSpan, widened } from './time-span.js'

const may = wholeSpan({ year: 2023, month: 4 })

describe('timeFit', () => {
  it('is 1 inside a span, and lower the farther outside', () => {
    expect(timeFit([may], may.from)).toBe(1)
    expect(timeFit([may], may.to - 1)).toBe(1)
    const after = [0, 1, 10, 100].map((days) => timeFit([may], may.to + days * msPerDay))
    expect(after).toEqual([...after].sort((a, b) => b - a))
    expect(after[1]).toBeGreaterThan(0.9)
    expect(after[3]).toBeLessThan(0.01)
  })

  it('is higher after a span than before it, because events are mentioned later', () => {
    expect(timeFit([may], may.to + 10 * msPerDay)).toBeGreaterThan(timeFit([may], may.from - 10 * msPerDay))
  })

  it('is more tolerant around a year than around a day', () => {
    const [year, day] = [wholeSpan({ year: 2022 }), wholeSpan({ year: 2022, month: 11, day: 31 })]
    const late = day.to + 20 * msPerDay
    expect(timeFit([year], late)).toBeGreaterThan(timeFit([day], late))
  })

  it('uses the span that fits best, and is 0 without spans', () => {
    const june = wholeSpan({ year: 2023, month: 5 })
    expect(timeFit([may, june], june.from + 1)).toBe(1)
    expect(timeFit([], june.from)).toBe(0)
  })

  it('decreases over a month outside an open span', () => {
    const since = { from: may.from, to: Infinity }
    expect(timeFit([since], may.from + 1000 * msPerDay)).toBe(1)
    expect(timeFit([since], may.from - 30 * msPerDay)).toBeCloseTo(Math.exp(-1), 9)
    expect(timeFit([{ from: -Infinity, to: may.to }], may.to + 30 * msPerDay)).toBeCloseTo(Math.exp(-1), 9)
  })
})

describe('widened', () => {
  it('adds some days to both ends, and is empty for an open span', () => {
    const [wide] = widened(may)
    expect(wide?.from).toBeLessThan(may.from)
    expect(wide?.to).toBeGreaterThan(may.to)
    expect(widened({ from: may.from, to: Infinity })).toEqual([])
    expect(widened({ from: -Infinity, to: may.to })).toEqual([])
  })
})
