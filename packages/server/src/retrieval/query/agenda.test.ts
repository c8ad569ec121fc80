import { describe, expect, it } from 'vitest'
import { agendaIn, momentIn } from './agenda.js'

/** A Wednesday. */
const now = Date.UTC(2026, 10, 18, 9)
const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
const asked = (question: string) =>
  agendaIn(question, now)?.spans.map(({ from, to }) => `${day(from)}..${day(to)}`) ?? null

describe('a question about the calendar', () => {
  it.each([
    ['what have i got on in december', '2026-12-01..2027-01-01'],
    ['am i free on 25 november?', '2026-11-25..2026-11-26'],
    ['Am I free on nov 26', '2026-11-26..2026-11-27'],
    ['are we busy on 26/11?', '2026-11-26..2026-11-27'],
    ['any appointments this week?', '2026-11-18..2026-11-23'],
    ["what's on tomorrow", '2026-11-19..2026-11-20'],
    ['whats on tomorrow night?', '2026-11-19..2026-11-20'],
    ['anything on next week?', '2026-11-23..2026-11-30'],
    ["what's coming up", '2026-11-18..2027-02-18'],
    ['What do I have coming up in January?', '2027-01-01..2027-02-01'],
    ['what am I doing on Saturday?', '2026-11-21..2026-11-22'],
    ['What are we doing this weekend?', '2026-11-21..2026-11-23'],
    ['do I have any plans for friday', '2026-11-20..2026-11-21'],
    ["what's on the 28th?", '2026-11-28..2026-11-29'],
    ["what's in my calendar for the next two weeks", '2026-11-18..2026-12-03'],
    ["what's on my calendar", '2026-11-18..2027-02-18'],
    ['Do we have anything planned for 3 May?', '2027-05-03..2027-05-04'],
    ['what do i have on today', '2026-11-18..2026-11-19'],
    ['show my schedule for next month', '2026-12-01..2027-01-01'],
    ['is there anything happening in november', '2026-11-18..2026-12-01'],
  ])('%s', (question, span) => {
    expect(asked(question)).toEqual([span])
  })

  it.each([
    'travel to Poland in July',
    'what did I weigh in september',
    'Should I travel to Poland in July?',
    'what did I do last weekend?',
    "what's for dinner tomorrow?",
    'when is the dentist in december?',
    'who am I meeting on Friday?',
    "what's the weather tomorrow",
    'What is my plan for the kitchen?',
    'what are my plans?',
    'Is Tom free on Friday?',
    "what's on my shopping list",
    'what happened in november',
    'do I have a cat?',
    'anything about the boiler from november?',
    '',
  ])('is not: %s', (question) => {
    expect(asked(question)).toBeNull()
  })

  it('takes no long time for a long or strange text', () => {
    expect(asked('what is on '.repeat(2000))).toBeNull()
    expect(asked(`anything on ${'1/1 '.repeat(25)}`)).toBeNull()
  })
})

describe('the memories that answer it', () => {
  const found = (question: string, content: string, saidAt = now) => {
    const agenda = agendaIn(question, now)
    const moment = agenda && momentIn(agenda, content, saidAt)
    return moment === null ? null : day(moment)
  }

  it.each([
    ['what have i got on in december', 'school play 8 december 6:30pm', '2026-12-08'],
    ['what have i got on in december', 'skiing in December', '2026-12-01'],
    ['am i free on 25 november?', 'optician 25 nov 3pm', '2026-11-25'],
    ['am i free on nov 26?', 'MOT 26/11', '2026-11-26'],
    ['am i free on 26/11?', 'MOT 26 November 2026', '2026-11-26'],
    ['am i free on 3/12?', 'vet 3 december', '2026-12-03'],
    ['anything on 12 may?', 'boiler service 12 may 3pm', '2027-05-12'],
    ['whats on tomorrow', 'dinner with Ben tomorrow (19 November 2026)', '2026-11-19'],
    ["what's on 28 november", 'hotel booked for next weekend (28 and 29 November 2026)', '2026-11-28'],
    ["what's coming up", 'moving house on 14 January', '2027-01-14'],
  ])('%s: %s', (question, content, date) => {
    expect(found(question, content)).toBe(date)
  })

  it.each([
    ['what have i got on in december', 'optician 25 nov 3pm'],
    ['what have i got on in november', 'weighed 69kg on 1 november'],
    ['what have i got on in december', 'born on 3 December 1984'],
    ['anything on next week?', 'moved here in 2026'],
    ['anything on 8 december?', 'skiing in December'],
    ['am i free on 26/11?', 'open 24/7, 3/4 full'],
    ['whats on tomorrow', 'I like chess'],
  ])('%s, not: %s', (question, content) => {
    expect(found(question, content)).toBeNull()
  })
})
