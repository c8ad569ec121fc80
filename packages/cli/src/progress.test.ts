import { describe, expect, it } from 'vitest'
import { progressLine, showProgress } from './progress.js'

const options = { label: 'exporting', unit: 'records', total: 200_000 }

describe('the progress line', () => {
  it('shows the share done, the rate and the time left', () => {
    expect(progressLine(options, 50_000, 10_000)).toBe(
      `exporting  ${'█'.repeat(6)}${'░'.repeat(18)} 25%  50,000 of 200,000  5,000 records/s  30 s left`,
    )
  })

  it('shows longer times in minutes and hours', () => {
    expect(progressLine(options, 1_000, 1_000)).toContain('3 min 19 s left')
    expect(progressLine(options, 20, 1_000)).toContain('2 h 46 min left')
  })

  it('omits the rate in the first second, and the share if the total is unknown', () => {
    expect(progressLine(options, 0, 0)).toBe(`exporting  ${'░'.repeat(24)} 0%  0 of 200,000`)
    expect(progressLine({ ...options, total: null }, 12, 2_000)).toBe('exporting  12 records  6 records/s')
  })

  it('stops at 100% when more is done than was counted', () => {
    expect(progressLine({ ...options, total: 10 }, 12, 2_000)).toContain('100%  12 of 10  6 records/s  0 s left')
  })
})

describe('progress on a terminal', () => {
  function terminal(isTTY: boolean) {
    const written: string[] = []
    let now = 0
    const stream = { isTTY, columns: 40, write: (text: string) => written.push(text) }
    const progress = showProgress(stream, { ...options, nowMs: () => now })
    return { written, progress, pass: (ms: number) => (now += ms) }
  }

  it('redraws at most ten times per second, fits the width, and clears the line at the end', () => {
    const { written, progress, pass } = terminal(true)
    for (let count = 0; count < 100; count++) {
      progress.advance()
      pass(10)
    }
    expect(written).toHaveLength(10)
    for (const line of written) expect(line.length).toBe(1 + 39 + 3)
    progress.end()
    expect(written.at(-1)).toBe('\r\x1b[K')
  })

  it('writes nothing without a terminal', () => {
    const { written, progress, pass } = terminal(false)
    progress.advance()
    pass(1_000)
    progress.advance()
    progress.end()
    expect(written).toEqual([])
  })
})
