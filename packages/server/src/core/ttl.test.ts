import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { msPerDay, msPerHour } from './clock.js'
import { expiryOf, parseTtl } from './ttl.js'

describe('a TTL', () => {
  it.each([
    ['1min', 60_000],
    ['30min', msPerHour / 2],
    ['1h', msPerHour],
    ['24h', msPerDay],
    ['7d', 7 * msPerDay],
    ['2w', 14 * msPerDay],
    ['1m', 30 * msPerDay],
    ['30m', 900 * msPerDay],
    ['3mo', 90 * msPerDay],
    ['1y', 365 * msPerDay],
    ['365d', 365 * msPerDay],
    ['100y', 36_500 * msPerDay],
    ['36500d', 36_500 * msPerDay],
    ['876000h', 36_500 * msPerDay],
  ])('%s is %i ms', (text, ms) => {
    expect(parseTtl(text)).toEqual({ kind: 'span', ms })
  })

  it('accepts permanent', () => {
    expect(parseTtl('permanent')).toEqual({ kind: 'permanent' })
  })

  it.each([
    ...['', ' ', '7', 'd', '0d', '-1d', '+1d', '07d', '1.5d', '1e2d', '7 d', ' 7d', '7d ', '7d\n', '7D', '7s'],
    ...[
      '٧d',
      '７d',
      '7mi',
      '7mon',
      '7mins',
      '7Min',
      '7MO',
      '7mmin',
      '7momin',
      '0min',
      '1.5min',
      'min',
      'mo',
      'Permanent',
      'permanent ',
      'never',
      '1d1h',
      '0x1d',
    ],
  ])('rejects %j and names the format', (text) => {
    const parsed = parseTtl(text)
    expect(parsed).toMatchObject({ kind: 'invalid', problem: expect.stringContaining('such as 7d') })
  })

  it.each(['7x', '30 minutes', '3 months'])('rejects %s and says what each unit means', (text) => {
    expect(parseTtl(text)).toMatchObject({
      kind: 'invalid',
      problem: expect.stringContaining('min minutes, h hours, d days, w weeks, m or mo months, y years'),
    })
  })

  it.each(['101y', '36501d', '876001h', '52560001min', '1217mo', `${'9'.repeat(400)}h`])(
    'rejects %s: at most 100 years',
    (text) => {
      expect(parseTtl(text)).toEqual({ kind: 'invalid', problem: 'must be at most 100 years' })
    },
  )

  it('is always a positive whole span within the limit', () => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom('min', 'h', 'd', 'w', 'm', 'mo', 'y'), (count, unit) => {
        const parsed = parseTtl(`${count}${unit}`)
        if (parsed.kind !== 'span') return
        expect(Number.isSafeInteger(parsed.ms)).toBe(true)
        expect(parsed.ms).toBeGreaterThan(0)
        expect(parsed.ms).toBeLessThanOrEqual(36_500 * msPerDay)
      }),
    )
  })
})

describe('expiry', () => {
  it('comes from the TTL of the memory, else from the default of the server, else never', () => {
    expect(expiryOf({ kind: 'span', ms: 5 }, 1000, 1)).toBe(1005)
    expect(expiryOf(undefined, 1000, 2)).toBe(1000 + 2 * msPerDay)
    expect(expiryOf(undefined, 1000, undefined)).toBeNull()
  })

  it('is never for a permanent memory, even if the server has a default', () => {
    expect(expiryOf({ kind: 'permanent' }, 1000, 2)).toBeNull()
  })
})
