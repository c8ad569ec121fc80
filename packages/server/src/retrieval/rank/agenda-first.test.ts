import { describe, expect, it } from 'vitest'
import { agendaIn } from '../query/agenda.js'
import { agendaFirst } from './agenda-first.js'
import type { Ranked } from './candidate.js'

const now = Date.UTC(2026, 10, 18, 9)
/** Only these parts of a candidate are used. */
const ranked = (contents: Record<string, number>) =>
  Object.entries(contents).map(([content, relevance], row) => ({
    row,
    relevance,
    memory: { content, createdAt: now, outdated: [] },
  })) as unknown as Ranked[]

function asked(question: string, contents: Record<string, number>) {
  const agenda = agendaIn(question, now)
  if (!agenda) throw new Error('no question about the calendar')
  return agendaFirst(ranked(contents), agenda, now).map(({ memory, relevance }) => [memory.content, relevance] as const)
}

describe('agendaFirst', () => {
  it('puts what takes place in that time first, the nearest before the others', () => {
    const notes = { 'I like chess': 0.01, 'play 8 december': 0, 'vet 3 Dec': 0, 'optician 25 nov': 0.02 }
    const found = asked('what have I got on in december', notes)
    expect(found.map(([content]) => content)).toEqual([
      'vet 3 Dec',
      'play 8 december',
      'optician 25 nov',
      'I like chess',
    ])
    expect(found[1]?.[1]).toBeGreaterThan(0.15)
  })

  it('gives even the last of many a possible match', () => {
    const notes = Object.fromEntries([...Array(25).keys()].map((day) => [`call ${day + 1} december`, 0]))
    const found = asked('anything on in december?', notes)
    expect(found.every(([, relevance]) => relevance >= 0.2)).toBe(true)
    expect(found[0]?.[0]).toBe('call 1 december')
  })

  it('keeps a better match of something else, and changes nothing if nothing takes place', () => {
    const notes = { 'I am never free on Wednesdays': 0.7, 'optician 25 nov': 0 }
    expect(asked('am I free on 25 november?', notes)[0]?.[0]).toBe('I am never free on Wednesdays')
    expect(asked('am I free on 2 december?', notes)).toEqual(Object.entries(notes))
  })
})
