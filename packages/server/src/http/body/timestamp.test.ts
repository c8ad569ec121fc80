import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseTimestamp } from './timestamp.js'

describe('a timestamp', () => {
  it('survives a round trip, in UTC and with any offset', () => {
    const moments = fc.date({
      min: new Date('0001-01-02T00:00:00Z'),
      max: new Date('9999-12-30T23:59:59.999Z'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(moments, fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 }), (date, offsetMinutes) => {
        expect(parseTimestamp(date.toISOString())).toBe(date.getTime())
        const local = new Date(date.getTime() + offsetMinutes * 60_000)
        if (local.getUTCFullYear() < 1 || local.getUTCFullYear() > 9999) return
        const size = Math.abs(offsetMinutes)
        const zone = `${offsetMinutes < 0 ? '-' : '+'}${String(Math.floor(size / 60)).padStart(2, '0')}:${String(size % 60).padStart(2, '0')}`
        expect(parseTimestamp(local.toISOString().replace('Z', zone))).toBe(date.getTime())
      }),
    )
  })

  it.each([
    ['2026-03-01', '2026-03-01T00:00:00.000Z'],
    ['2026-03-01T09:30', '2026-03-01T09:30:00.000Z'],
    ['2026-03-01T09:30:15', '2026-03-01T09:30:15.000Z'],
    ['2026-03-01T09:30:15.1', '2026-03-01T09:30:15.100Z'],
    ['2026-03-01T09:30:15,123999999Z', '2026-03-01T09:30:15.123Z'],
    ['2026-03-01T09:30:15+0530', '2026-03-01T04:00:15.000Z'],
    ['2026-03-01T09:30:15-08', '2026-03-01T17:30:15.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000Z'],
    ['0099-12-31T00:00Z', '0099-12-31T00:00:00.000Z'],
  ])('reads %s', (text, expected) => {
    expect(new Date(parseTimestamp(text) ?? Number.NaN).toISOString()).toBe(expected)
  })

  it.each([
    '2026-02-30',
    '2025-02-29',
    '1900-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-04-31',
    '2026-03-01T24:00',
    '2026-03-01T23:60',
    '2026-03-01T23:59:60',
    '2026-03-01T09',
    '2026-03-01 09:30',
    '2026-3-1',
    '0000-01-01',
    '+002026-03-01',
    '-2026-03-01',
    '10000-01-01',
    '2026',
    '2026-03',
    '20260301T093000Z',
    '2026-W09-1',
    '2026-03-01T09:30:15+24:00',
    '2026-03-01T09:30:15 00:00',
    '2026-03-01T09:30:15ZZ',
    '2026-03-01Z',
    '',
    ' ',
    'now',
    '1740821400',
    '0001-01-01T00:00+01:00',
    '9999-12-31T23:59-01:00',
    '2026-03-01T09:30:15.Z',
    '２０２６-03-01',
  ])('refuses %j', (text) => {
    expect(parseTimestamp(text)).toBeUndefined()
  })
})
