import { describe, expect, it } from 'vitest'
import { recallPlot } from './plot.js'

const shares = (first: number) => Array.from({ length: 20 }, (_, index) => Math.min(1, first + index * 0.02))

describe('recallPlot', () => {
  it('draws a line of twenty points for each system, inside the picture', () => {
    const svg = recallPlot('LoCoMo', [
      { name: 'BM25', shares: shares(0.3), minor: false },
      { name: 'fused', shares: shares(0.5), minor: true },
    ])
    const lines = [...svg.matchAll(/<polyline class="line(?: minor)?" stroke="[^"]+"[^>]* points="([^"]+)"><title>/g)]
    expect(lines).toHaveLength(2)
    for (const [, points = ''] of lines) {
      const places = points.split(' ').map((point) => point.split(',').map(Number))
      expect(places).toHaveLength(20)
      for (const [x = -1, y = -1] of places) {
        expect(x).toBeGreaterThanOrEqual(0)
        expect(x).toBeLessThanOrEqual(560)
        expect(y).toBeGreaterThanOrEqual(0)
        expect(y).toBeLessThanOrEqual(340)
      }
    }
  })

  it('keeps labels separate and inside the picture if all lines end at the same point', () => {
    const names = Array.from({ length: 12 }, (_, index) => `system ${index}`)
    const svg = recallPlot(
      't',
      names.map((name) => ({ name, shares: shares(0.9), minor: true })),
    )
    const places = [...svg.matchAll(/<text x="402" y="([\d.]+)"/g)].map(([, y]) => Number(y)).sort((a, b) => a - b)
    expect(places).toHaveLength(12)
    for (const [index, place] of places.slice(1).entries())
      expect(place - (places[index] ?? 0)).toBeGreaterThanOrEqual(15.9)
    expect(places[0]).toBeGreaterThan(0)
    expect(places.at(-1)).toBeLessThan(340)
  })

  it('escapes names', () => {
    expect(recallPlot('a < b & "c"', [{ name: '<script>', shares: [1], minor: false }])).not.toMatch(/<script|a < b/)
  })

  it('draws an empty chart without systems', () => {
    expect(recallPlot('empty', [])).not.toMatch(/NaN|Infinity/)
  })
})
