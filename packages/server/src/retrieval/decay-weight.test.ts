import { describe, expect, it } from 'vitest'
import { msPerDay } from '../core/clock.js'
import { weighByDecay } from './decay-weight.js'
import { defaultWeights, fuse } from './fuse.js'
import { candidateWith } from './ranked.fixture.js'

const settings = { enabled: true, halfLifeDays: 30, accessBoostWeight: 0.2 }
const now = 1000 * msPerDay

function weigh(candidates: ReturnType<typeof candidateWith>[], enabled = true) {
  return weighByDecay(fuse(candidates, defaultWeights), { ...settings, enabled }, now, ({ memory }) => memory)
}

describe('weighByDecay', () => {
  it('lets a fresh memory win among equals', () => {
    const [first, second] = weigh([
      candidateWith({ id: 'mem_old', createdAt: now - 30 * msPerDay }, { semantic: 0.8 }),
      candidateWith({ id: 'mem_new', createdAt: now }, { semantic: 0.8 }),
    ])
    expect(first).toMatchObject({ score: 0.8, memory: { id: 'mem_new' } })
    expect(second?.score).toBeCloseTo(0.8 * (0.7 + 0.3 * 0.5), 6)
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
    expect(only).toMatchObject({ score: 0.4, decayScore: 1 })
  })
})
