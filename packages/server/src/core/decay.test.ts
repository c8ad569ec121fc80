import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { msPerDay } from './clock.js'
import { decayFactor, decayOf, decayStatus } from './decay.js'

const settings = { enabled: true, halfLifeDays: 30, accessBoostWeight: 0.2 }
const now = Date.UTC(2026, 5, 1)
const daysAgo = (days: number): number => now - days * msPerDay
const untouched = (ageDays: number) => ({ createdAt: daysAgo(ageDays), accessCount: 0, lastAccessed: null })

const subject = fc
  .record({
    ageDays: fc.double({ min: 0, max: 5000, noNaN: true }),
    accessCount: fc.nat(1000),
    idle: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ ageDays, accessCount, idle }) => ({
    createdAt: daysAgo(ageDays),
    accessCount,
    lastAccessed: accessCount === 0 ? null : daysAgo(ageDays * idle),
  }))

describe('the decay score', () => {
  it('halves with each half-life of a memory that is never accessed, down to 0.1', () => {
    expect(decayOf(untouched(0), settings, now).decayScore).toBe(1)
    expect(decayOf(untouched(30), settings, now)).toEqual({
      decayScore: 0.5,
      timeDecay: 0.5,
      accessBoost: 1,
      recencyBoost: 1,
      ageDays: 30,
    })
    expect(decayOf(untouched(60), settings, now).decayScore).toBe(0.25)
    expect(decayOf(untouched(10_000), settings, now)).toMatchObject({ decayScore: 0.1 })
    expect(decayOf(untouched(7), { ...settings, halfLifeDays: 7 }, now).decayScore).toBe(0.5)
  })

  it('rises by the weight with each access, and by up to 10% after a recent one', () => {
    const accessed = { createdAt: daysAgo(60), accessCount: 3, lastAccessed: daysAgo(7) }
    const parts = decayOf(accessed, settings, now)
    expect(parts.timeDecay).toBe(0.25)
    expect(parts.accessBoost).toBeCloseTo(1.6, 12)
    expect(parts.recencyBoost).toBeCloseTo(1.05, 12)
    expect(parts.decayScore).toBeCloseTo(0.25 * 1.6 * 1.05, 12)
    expect(decayOf({ ...accessed, lastAccessed: now }, settings, now).recencyBoost).toBeCloseTo(1.1, 12)
  })

  it('is between 0.1 and 1, falls with time, and rises with accesses', () => {
    fc.assert(
      fc.property(subject, fc.double({ min: 0, max: 3650, noNaN: true }), (memory, days) => {
        const { decayScore } = decayOf(memory, settings, now)
        expect(decayScore).toBeGreaterThanOrEqual(0.1)
        expect(decayScore).toBeLessThanOrEqual(1)
        expect(decayOf(memory, settings, now + days * msPerDay).decayScore).toBeLessThanOrEqual(decayScore)
        const again = { ...memory, accessCount: memory.accessCount + 1, lastAccessed: now }
        expect(decayOf(again, settings, now).decayScore).toBeGreaterThanOrEqual(decayScore)
      }),
    )
  })

  it('is 1 for everything when decay is off', () => {
    fc.assert(
      fc.property(subject, (memory) => {
        expect(decayOf(memory, { ...settings, enabled: false }, now)).toMatchObject({
          decayScore: 1,
          timeDecay: 1,
          accessBoost: 1,
          recencyBoost: 1,
        })
      }),
    )
  })

  it('treats a memory from the future as new', () => {
    const early = { createdAt: now + msPerDay, accessCount: 1, lastAccessed: now + msPerDay }
    expect(decayOf(early, settings, now)).toMatchObject({ ageDays: 0, timeDecay: 1, decayScore: 1 })
    expect(decayOf(early, settings, now).recencyBoost).toBeCloseTo(1.1, 12)
  })
})

describe('the decay status', () => {
  it.each([
    [1, 'healthy'],
    [0.7000001, 'healthy'],
    [0.7, 'decaying'],
    [0.3, 'decaying'],
    [0.2999999, 'expired'],
    [0.1, 'expired'],
  ])('of %f is %s', (score, status) => {
    expect(decayStatus(score)).toBe(status)
  })
})

it('moves relevance by at most 10%', () => {
  expect(decayFactor(1)).toBe(1)
  expect(decayFactor(0.1)).toBeCloseTo(0.91, 12)
  expect(decayFactor(0)).toBe(0.9)
})
