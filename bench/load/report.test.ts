import { describe, expect, it } from 'vitest'
import { growthTable, type Loaded } from './report.js'

const ofTimes = (p50: number) => ({ p50, p95: 2 * p50, p99: 3 * p50 })

function loaded(system: string, memories: number, perSecond: number, cores: number): Loaded {
  const times = { recall: ofTimes(1000 / perSecond), store: ofTimes(2000 / perSecond) }
  const load = { perSecond, times, counts: { recall: 8, store: 2 }, failures: new Map() }
  const used = new Map([['service', { cores, megabytes: memories / 10 }]])
  return { system, size: '', memories, instances: 1, load, used, overload: undefined }
}

describe('the table of growth', () => {
  it('compares each size with the previous one of the same system, in every column', () => {
    const results = [loaded('A', 1_000, 100, 1), loaded('B', 1_000, 50, 1), loaded('A', 10_000, 50, 2)]
    const lines = growthTable(results).split('\n').slice(2)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('A, 1 instance, 1,000 to 10,000')
    const cells = lines[0]?.split('|').map((cell) => cell.trim())
    const three = '× 2.00 / × 2.00 / × 2.00'
    expect(cells?.slice(2, 7)).toEqual(['× 0.50', three, three, '× 4.00', '× 10.00'])
  })
})
