import { describe, expect, it } from 'vitest'
import { RateLimitError, UnavailableError } from './errors.js'
import { readRetryAfter, waitMs } from './retry.js'

describe('Retry-After', () => {
  const now = Date.parse('2026-03-01T09:30:00Z')

  it('is read as seconds or as a date, and never negative', () => {
    expect(readRetryAfter('7', now)).toBe(7)
    expect(readRetryAfter('Sun, 01 Mar 2026 09:30:20 GMT', now)).toBe(20)
    expect(readRetryAfter('Sun, 01 Mar 2026 09:00:00 GMT', now)).toBe(0)
  })

  it('is as if it were not there when it says nothing sensible', () => {
    for (const header of [null, '', 'soon', '-5', '1.5', '99999999999', '2026-03-01'])
      expect(readRetryAfter(header, now), String(header)).toBeUndefined()
  })
})

describe('the wait before another try', () => {
  const unavailable = new UnavailableError('x')

  it('doubles up to a bound, and half of it is left to chance', () => {
    const longest = [0, 1, 2, 3, 10].map((attempt) => waitMs(attempt, unavailable, () => 1))
    const shortest = [0, 1, 2, 3, 10].map((attempt) => waitMs(attempt, unavailable, () => 0))
    expect(longest).toEqual([250, 500, 1000, 2000, 8000])
    expect(shortest).toEqual([125, 250, 500, 1000, 4000])
  })

  it('is never shorter than the service asked for', () => {
    const limited = new RateLimitError('x', { retryAfter: 3 })
    for (const chance of [0, 0.5, 1]) expect(waitMs(0, limited, () => chance)).toBeGreaterThanOrEqual(3000)
    expect(waitMs(0, limited, () => 1)).toBeLessThan(3200)
  })
})
