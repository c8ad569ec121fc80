import { describe, expect, it } from 'vitest'
import { msPerDay } from '../../core/clock.js'
import type { Ranked } from './candidate.js'
import { defaultFusion, fuse } from './fuse.js'
import { candidateWith } from './ranked.fixture.js'
import { weigh as weighAll } from './weigh.js'

const settings = { enabled: true, halfLifeDays: 30, accessBoostWeight: 0.2 }
const now = 1000 * msPerDay

function weigh(candidates: ReturnType<typeof candidateWith>[], enabled = true) {
  return weighAll(fuse(candidates, defaultFusion, false), { ...settings, enabled }, now, ({ memory }) => memory)
}

describe('weigh', () => {
  it('ranks a fresh memory first among equals', () => {
    const [first, second] = weigh([
      candidateWith({ id: 'mem_old', createdAt: now - 30 * msPerDay }, { semantic: 0.8 }),
      candidateWith({ id: 'mem_new', createdAt: now }, { semantic: 0.8 }),
    ])
    expect(first?.memory.id).toBe('mem_new')
    expect(first?.score).toBeCloseTo(first?.relevance ?? 0, 5)
    expect(second?.score).toBeCloseTo((first?.relevance ?? 0) * (0.9 + 0.1 * 0.5), 5)
  })

  it('ranks an old exact answer above a new vague one', () => {
    const [first] = weigh([
      candidateWith({ id: 'mem_vague', createdAt: now }, { semantic: 0.5 }),
      candidateWith({ id: 'mem_exact', createdAt: 0 }, { semantic: 0.95 }),
    ])
    expect(first?.memory.id).toBe('mem_exact')
  })

  it('ranks a trusted memory above a doubted one that fits a little better, and reports both ranks', () => {
    const [first, second] = weigh([
      candidateWith({ id: 'mem_doubted', createdAt: now, trustScore: 0.6 }, { semantic: 0.82 }),
      candidateWith({ id: 'mem_ordinary', createdAt: now }, { semantic: 0.8 }),
    ])
    expect([first?.memory.id, first?.trustRank]).toEqual(['mem_ordinary', 1])
    expect([second?.memory.id, second?.trustRank]).toEqual(['mem_doubted', 2])
    expect(second?.score).toBeCloseTo((second?.relevance ?? 0) * 0.75, 5)
  })

  it('keeps what the reader found out about a candidate', () => {
    const [fused] = fuse([candidateWith({ createdAt: now }, { semantic: 0.8 })], defaultFusion, false)
    const asChange = new Map([['mem_old', 0.7]])
    const read = { ...fused, rerank: { score: 0.9, rank: 1 }, asChange } as Ranked
    const [weighed] = weighAll([read], { ...settings, enabled: true }, now, ({ memory }) => memory)
    expect(weighed).toMatchObject({ ...read, decayRank: 1 })
  })

  it('changes nothing if decay is off', () => {
    const [only] = weigh([candidateWith({ createdAt: 0 }, { semantic: 0.4 })], false)
    expect(only?.decayScore).toBe(1)
    expect(only?.score).toBeCloseTo(only?.relevance ?? 0, 5)
  })
})
