import { describe, expect, it } from 'vitest'
import { RateLimitError, UnavailableError } from './errors.js'
import { readRetryAfter, waitMs } from './retry.js'

describe('the Retry-After header', () => {
  const now = Date.parse('2026-03-01T09:30:00Z')

  it('is parsed as seconds or as a date, and never negative', () => {
    expect(readRetryAfter('7', now)).toBe(7)
    expect(readRetryAfter('Sun, 01 Mar 2026 09:30:20 GMT', now)).toBe(20)
    expect(readRetryAfter('Sun, 01 Mar 2026 09:00:00 GMT', now)).toBe(0)
  })

  it('is ignored if it is invalid', () => {
    for (const header of [null, '', 'soon', '-5', '1.5', '99999999999', '2026-03-01'])
      expect(readRetryAfter(header, now), String(header)).toBeUndefined()
  })
})

describe('the wait before a retry', () => {
  const unavailable = new UnavailableError('x')

  it('doubles up to a limit, and half of it is random', () => {
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
