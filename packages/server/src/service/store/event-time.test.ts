import { describe, expect, it } from 'vitest'
import { eventTimeOf } from './event-time.js'

const saidAt = Date.UTC(2026, 10, 15)

describe('the event time of a text', () => {
  it.each<[text: string, from: number, to: number]>([
    ['I met Ann yesterday (14 November 2026).', Date.UTC(2026, 10, 14), Date.UTC(2026, 10, 15)],
    ['We moved to Rome in May 2024.', Date.UTC(2024, 4, 1), Date.UTC(2024, 5, 1)],
    ['I lived there from March 2019 to 2 June 2021.', Date.UTC(2019, 2, 1), Date.UTC(2021, 5, 3)],
  ])('of "%s" is the period of its dates', (text, from, to) => {
    expect(eventTimeOf(text, saidAt)).toEqual({ from, to })
  })

  it('is missing without a date', () => {
    expect(eventTimeOf('The kettle has 2 handles.', saidAt)).toBeNull()
  })
})
