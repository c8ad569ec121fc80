import { describe, expect, it } from 'vitest'
import { planDemo } from './plan.js'

const now = Date.parse('2026-11-15T15:00:00.000Z')
const parts = planDemo(now)
const messages = parts.flatMap((part) => part.messages.map((message) => ({ ...message, ttl: part.ttl })))
const at = ({ createdAt = '' }: { createdAt?: string | undefined }) => Date.parse(createdAt)
const dayMs = 86_400_000

describe('the demo year', () => {
  it('has several hundred different memories over the last twelve months, none in the future', () => {
    expect(messages.length).toBeGreaterThan(300)
    expect(Math.max(...messages.map(at))).toBeLessThanOrEqual(now)
    expect(Math.min(...messages.map(at))).toBeGreaterThan(now - 366 * dayMs)
    for (let month = 0; month < 12; month += 1) {
      const said = messages.filter((message) => Math.floor(((now - at(message)) / (365 * dayMs)) * 12) === month)
      expect(said.length, `month ${month}`).toBeGreaterThan(8)
    }
    expect(new Set(messages.map(({ content }) => content)).size).toBe(messages.length)
  })

  it('fits into the default rate limit for stores per minute', () => {
    expect(parts.length).toBeLessThanOrEqual(30)
    for (const part of parts) expect(part.messages.length).toBeLessThanOrEqual(200)
    expect(new Set(parts.map(({ name }) => name)).size).toBe(parts.length)
  })

  it('is in chronological order, and ends with a part that does not expire', () => {
    const starts = parts.filter(({ ttl }) => ttl === undefined).map((part) => at(part.messages[0] ?? {}))
    expect(starts).toEqual([...starts].sort((one, other) => one - other))
    for (const part of parts) {
      const times = part.messages.map(at)
      expect(times, part.name).toEqual([...times].sort((one, other) => one - other))
    }
    expect(parts.at(-1)?.ttl).toBeUndefined()
  })

  it('has memories that have expired, that expire within days, and that do not expire', () => {
    const left = messages.flatMap((message) =>
      message.ttl === undefined ? [] : [(at(message) - now) / dayMs + Number.parseInt(message.ttl, 10)],
    )
    expect(left.filter((days) => days < 0).length).toBeGreaterThan(3)
    expect(left.filter((days) => days > 0 && days < 7).length).toBeGreaterThan(3)
    expect(new Set(parts.map(({ project }) => project))).toEqual(new Set([null, 'work', 'travel', 'garden', 'health']))
  })

  it('replaces placeholders with calendar dates', () => {
    expect(messages.map(({ content }) => content)).toContain('The wedding is planned for 12 September.')
    expect(messages.filter(({ content }) => /[{}]/.test(content))).toEqual([])
  })

  it('has the same parts in every run, with shifted dates', () => {
    const later = planDemo(now + 40 * dayMs)
    expect(later.map(({ name }) => name)).toEqual(parts.map(({ name }) => name))
    expect(later.flatMap((part) => part.messages)).toHaveLength(messages.length)
    expect(planDemo(now)).toEqual(parts)
  })
})
