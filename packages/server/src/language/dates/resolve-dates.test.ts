import { describe, expect, it } from 'vitest'
import { applied } from '../sentences/edits.js'
import { dateEdits } from './resolve-dates.js'

/** A Wednesday. */
const at = Date.UTC(2025, 6, 16, 18, 30)
const dated = (text: string, saidAt = at) => applied(text, dateEdits(text, saidAt))

describe('dateEdits', () => {
  it.each([
    ['I fell yesterday.', 'I fell yesterday (15 July 2025).'],
    ['Tomorrow night we leave.', 'Tomorrow night (17 July 2025) we leave.'],
    ['the day after tomorrow', 'the day after tomorrow (18 July 2025)'],
    ["Yesterday's talk was long", "Yesterday's (15 July 2025) talk was long"],
    ['last Wednesday', 'last Wednesday (9 July 2025)'],
    ['last Friday', 'last Friday (11 July 2025)'],
    ['this Friday', 'this Friday (18 July 2025)'],
    ['next Friday', 'next Friday (25 July 2025)'],
    ['this coming Monday', 'this coming Monday (21 July 2025)'],
    ['We met on Monday.', 'We met on Monday (14 July 2025).'],
    ['We will meet on Monday.', 'We will meet on Monday (21 July 2025).'],
    ['two weeks ago', 'two weeks ago (2 July 2025)'],
    ['a month ago', 'a month ago (June 2025)'],
    ['10 years ago', '10 years ago (2015)'],
    ['It opens in three days', 'It opens in three days (19 July 2025)'],
    ['last weekend', 'last weekend (12 and 13 July 2025)'],
    ['next week', 'next week (week of 21 July 2025)'],
    ['last month', 'last month (June 2025)'],
    ['next year', 'next year (2026)'],
    ['last May', 'last May (May 2025)'],
    ['last September', 'last September (September 2024)'],
    ['last winter', 'last winter (winter of 2024 to 2025)'],
    [
      'she sent a picture. plan is she’s back in November',
      'she sent a picture. plan is she’s back in November (November 2025)',
    ],
    ['next Christmas', 'next Christmas (December 2025)'],
    ['meeting Zoe this thursday', 'meeting Zoe this thursday (17 July 2025)'],
    ['start at acme next monday', 'start at acme next monday (21 July 2025)'],
    ['NEXT MONDAY is off', 'NEXT MONDAY (21 July 2025) is off'],
    ['party on saturday', 'party on saturday (19 July 2025)'],
    ['we met on monday', 'we met on monday (14 July 2025)'],
    ['Dinner with Ben on Friday', 'Dinner with Ben on Friday (18 July 2025)'],
    ['I have a dentist appointment on Friday', 'I have a dentist appointment on Friday (18 July 2025)'],
    ['call the plumber on friday', 'call the plumber on friday (18 July 2025)'],
    ['dentist friday 3pm', 'dentist friday (18 July 2025) 3pm'],
    ['haircut on sat at 10', 'haircut on sat (19 July 2025) at 10'],
    ['optician next tues', 'optician next tues (22 July 2025)'],
    ['mot in 3 weeks', 'mot in 3 weeks (6 August 2025)'],
    ['wedding in a fortnight', 'wedding in a fortnight (30 July 2025)'],
    ['I saw her a fortnight ago', 'I saw her a fortnight ago (2 July 2025)'],
    ['back in two weeks’ time', 'back in two weeks’ time (30 July 2025)'],
    ['vet on the 28th at 9', 'vet on the 28th (28 July 2025) at 9'],
    ['party the 2nd', 'party the 2nd (2 August 2025)'],
    ['We met on the 3rd.', 'We met on the 3rd (3 July 2025).'],
    ['We are moving on the 31st', 'We are moving on the 31st (31 July 2025)'],
    ['Concert on Monday the 28th', 'Concert on Monday the 28th (28 July 2025)'],
    ['camping next weekend', 'camping next weekend (26 and 27 July 2025)'],
  ])('%s', (text, expected) => {
    expect(dated(text)).toBe(expected)
  })

  it.each([
    'on Mondays',
    'every Friday',
    'the next day',
    'the last week of June',
    'for two weeks',
    'I read it in three days.',
    'last name',
    'next door',
    'many years ago',
    'more than two years ago',
    'The song "Yesterday" is old.',
    'I read USA Today.',
    'Run `date -d yesterday`.',
    'https://example.com/today',
    'today, 16 July 2025',
    'The talk yesterday (15 July 2025) was long.',
    'Black Friday Sales',
    'We meet on Wednesday.',
    'I may march',
    'tomorrow is another day',
    'I signed up for the race in September.',
    'My passport expires in November.',
    'ayer fui al mercado',
    'on fridays',
    'every friday',
    'dinner with mum every friday',
    'football fridays at 6',
    'yoga class on tuesday',
    'We cook dinner on Friday',
    'I love brunch on Sunday',
    'kids eat free on tuesday',
    'bins on tuesday',
    'the report needs a deadline',
    'rent due on the 1st',
    'I get paid on the 28th',
    'meeting on the 3rd floor',
    'doctor on the 28th of November',
    'party on the 16th',
    'concert on Tuesday the 28th',
    'dinner Monday to Friday',
    'dinner wednesday',
    'Good Friday dinner, Easter Monday, dinner good friday',
    'lost 3 kg in 3 weeks',
    'three exams in 2 weeks',
    'the sun is out, dinner in the sun',
    'she sat on sat nav',
    'trip in a few weeks',
    'a visit if I win on friday',
  ])('leaves alone: %s', (text) => {
    expect(dated(text)).toBe(text)
  })

  it('leaves resolved text unchanged', () => {
    const once = dated('Yesterday I flew home, and next week I start at Acme.')
    expect(dated(once)).toBe(once)
  })

  it('counts across the end of a month, a year and a leap day', () => {
    expect(dated('yesterday', Date.UTC(2025, 0, 1))).toContain('31 December 2024')
    expect(dated('tomorrow', Date.UTC(2024, 1, 28))).toContain('29 February 2024')
    expect(dated('a month ago', Date.UTC(2025, 0, 31))).toContain('December 2024')
    expect(dated('last weekend', Date.UTC(2025, 0, 2))).toContain('28 and 29 December 2024')
    expect(dated('this weekend I am off', Date.UTC(2025, 4, 30))).toContain('31 May and 1 June 2025')
  })

  it('handles a very long sentence that consists of dates', () => {
    const text = 'yesterday and next Friday and '.repeat(33)
    expect(dated(text)).toContain('(25 July 2025)')
  })

  it('takes no verb or noun for a short weekday, and no opening hours for an event', () => {
    for (const sentence of [
      'Dad sat with me at dinner',
      'trip for winter sun',
      'Post office open on saturday',
      'team meeting monday 10am',
    ])
      expect(dateEdits(sentence, Date.UTC(2025, 6, 16))).toEqual([])
  })

  it('reads a long sentence with many dates in time', () => {
    expect(dateEdits('dinner friday 3pm and '.repeat(4_000), Date.UTC(2025, 6, 16)).length).toBeLessThan(100)
  })
})
