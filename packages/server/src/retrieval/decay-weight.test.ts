import { describe, expect, it } from 'vitest'
import { msPerDay } from '../core/clock.js'
import { weighByDecay } from './decay-weight.js'
import { defaultFusion, fuse } from './fuse.js'
import { candidateWith } from './ranked.fixture.js'

const settings = { enabled: true, halfLifeDays: 30, accessBoostWeight: 0.2 }
const now = 1000 * msPerDay

function weigh(candidates: ReturnType<typeof candidateWith>[], enabled = true) {
  return weighByDecay(fuse(candidates, defaultFusion, false), { ...settings, enabled }, now, ({ memory }) => memory)
}

describe('weighByDecay', () => {
  it('lets a fresh memory win among equals', () => {
    const [first, second] = weigh([
      candidateWith({ id: 'mem_old', createdAt: now - 30 * msPerDay }, { semantic: 0.8 }),
      candidateWith({ id: 'mem_new', createdAt: now }, { semantic: 0.8 }),
    ])
    expect(first?.memory.id).toBe('mem_new')
    expect(first?.score).toBeCloseTo(first?.relevance ?? 0, 5)
    expect(second?.score).toBeCloseTo((first?.relevance ?? 0) * (0.7 + 0.3 * 0.5), 5)
  })

  it('still puts an old exact answer above a new vague one', () => {
    const [first] = weigh([
      candidateWith({ id: 'mem_vague', createdAt: now }, { semantic: 0.5 }),
      candidateWith({ id: 'mem_exact', createdAt: 0 }, { semantic: 0.95 }),
    ])
    expect(first?.memory.id).toBe('mem_exact')
  })

  it('changes nothing when decay is off', () => {
    const [only] = weigh([candidateWith({ createdAt: 0 }, { semantic: 0.4 })], false)
    expect(only?.decayScore).toBe(1)
    expect(only?.score).toBeCloseTo(only?.relevance ?? 0, 5)
  })
})
