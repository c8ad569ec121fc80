import { describe, expect, it } from 'vitest'
import { planDemo } from './plan.js'

const now = Date.parse('2026-11-15T15:00:00.000Z')
const parts = planDemo(now)
const messages = parts.flatMap((part) => part.messages.map((message) => ({ ...message, ttl: part.ttl })))
const at = ({ createdAt = '' }: { createdAt?: string | undefined }) => Date.parse(createdAt)
const dayMs = 86_400_000

describe('the year of the demo', () => {
  it('is several hundred memories over the last twelve months, none of them in the future, none said twice', () => {
    expect(messages.length).toBeGreaterThan(300)
    expect(Math.max(...messages.map(at))).toBeLessThanOrEqual(now)
    expect(Math.min(...messages.map(at))).toBeGreaterThan(now - 366 * dayMs)
    for (let month = 0; month < 12; month += 1) {
      const said = messages.filter((message) => Math.floor(((now - at(message)) / (365 * dayMs)) * 12) === month)
      expect(said.length, `month ${month}`).toBeGreaterThan(8)
    }
    expect(new Set(messages.map(({ content }) => content)).size).toBe(messages.length)
  })

  it('fits into the stores that a service takes in a minute out of the box', () => {
    expect(parts.length).toBeLessThanOrEqual(30)
    for (const part of parts) expect(part.messages.length).toBeLessThanOrEqual(200)
    expect(new Set(parts.map(({ name }) => name)).size).toBe(parts.length)
  })

  it('is told in the order of time, and ends with something that lasts', () => {
    const starts = parts.filter(({ ttl }) => ttl === undefined).map((part) => at(part.messages[0] ?? {}))
    expect(starts).toEqual([...starts].sort((one, other) => one - other))
    for (const part of parts) {
      const times = part.messages.map(at)
      expect(times, part.name).toEqual([...times].sort((one, other) => one - other))
    }
    expect(parts.at(-1)?.ttl).toBeUndefined()
  })

  it('has something that has expired, that expires within days, and that lasts', () => {
    const left = messages.flatMap((message) =>
      message.ttl === undefined ? [] : [(at(message) - now) / dayMs + Number.parseInt(message.ttl, 10)],
    )
    expect(left.filter((days) => days < 0).length).toBeGreaterThan(3)
    expect(left.filter((days) => days > 0 && days < 7).length).toBeGreaterThan(3)
    expect(new Set(parts.map(({ project }) => project))).toEqual(new Set([null, 'work', 'travel', 'garden', 'health']))
  })

  it('speaks of days of the calendar', () => {
    expect(messages.map(({ content }) => content)).toContain('The wedding is planned for 12 September.')
    expect(messages.filter(({ content }) => /[{}]/.test(content))).toEqual([])
  })

  it('is the same in every run, on other days', () => {
    const later = planDemo(now + 40 * dayMs)
    expect(later.map(({ name }) => name)).toEqual(parts.map(({ name }) => name))
    expect(later.flatMap((part) => part.messages)).toHaveLength(messages.length)
    expect(planDemo(now)).toEqual(parts)
  })
})
