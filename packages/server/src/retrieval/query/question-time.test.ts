import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TimeSpan } from '../../language/dates/time-span.js'
import { askedTime, datesIn } from './question-time.js'

/** A Wednesday. */
const now = Date.UTC(2024, 4, 15, 12)

function spansOf(question: string): string[] {
  return (askedTime(question, now)?.spans ?? []).map(shown)
}

function shown({ from, to }: TimeSpan): string {
  const day = (ms: number) => (Number.isFinite(ms) ? new Date(ms).toISOString().slice(0, 10) : '')
  return `${day(from)}..${day(to)}`
}

describe('advice about a time', () => {
  it.each([
    'Should I travel to Poland in July?',
    'What should we cook on 24 December?',
    'Where could we go in May?',
    'Plan a dinner for Friday',
  ])('is not a question about what was said then: %s', (question) => {
    expect(askedTime(question, now)?.spans ?? []).toEqual([])
  })

  it('leaves other questions with the same words alone', () => {
    expect(spansOf('What could I not eat in March?')).toEqual([])
    expect(spansOf('When did I say that I should rest in March?')).toEqual(['2024-03-01..2024-04-01'])
  })
})

describe('the time that a question mentions', () => {
  it.each([
    ['What did Gina find on 1 February, 2023?', '2023-02-01..2023-02-02'],
    ['Who came on the 10th of February 2024?', '2024-02-10..2024-02-11'],
    ['What was sold on May 23rd, 2023?', '2023-05-23..2023-05-24'],
    ['What was shared on December 1,2023?', '2023-12-01..2023-12-02'],
    ['What did I eat on 2023-05-07?', '2023-05-07..2023-05-08'],
    ['What did I eat on 29.12.2023?', '2023-12-29..2023-12-30'],
    ['What did I eat on 12/29/2023?', '2023-12-29..2023-12-30'],
    ['What did I eat on 29/12/2023?', '2023-12-29..2023-12-30'],
    ['What happened on April 28?', '2024-04-28..2024-04-29'],
    ['What happened on Dec 31?', '2023-12-31..2024-01-01'],
    ['What did he start in August 2023?', '2023-08-01..2023-09-01'],
    ['Where was I in the summer of 2021?', '2021-06-01..2021-09-01'],
    ['How often was I there in 2022?', '2022-01-01..2023-01-01'],
    ['How many doctors did I see in March?', '2024-03-01..2024-04-01'],
    ['how many doctors did i see in march?', '2024-03-01..2024-04-01'],
    ['What did I do last May?', '2023-05-01..2023-06-01'],
    ['What did I do in May?', '2024-05-01..2024-06-01'],
    ['What did I do in June?', '2023-06-01..2023-07-01'],
    ['What did we do last summer?', '2023-06-01..2023-09-01'],
    ['What did I do in January last year?', '2023-01-01..2023-02-01'],
    ['What happened on 8 April last year?', '2023-04-08..2023-04-09'],
    ['What did we do last year in March?', '2023-03-01..2023-04-01'],
    ['What did I buy in March this year?', '2024-03-01..2024-04-01'],
    ['What did I plan in March next year?', '2025-03-01..2025-04-01'],
    ['What did I win in the beginning of November 2022?', '2022-11-01..2022-11-11'],
    ['Was the first half of September 2022 good?', '2022-09-01..2022-09-16'],
    ['Where was Tim in the second week of November?', '2023-11-08..2023-11-15'],
    ['What happened between March and early May?', '2024-03-01..2024-05-11'],
    ['What did I ride from July to October?', '2023-07-01..2023-11-01'],
    ['My plans from July through September 2024?', '2024-07-01..2024-10-01'],
    ['Where was John between August 11 and August 15 2023?', '2023-08-11..2023-08-16'],
    ['What did I do from November to February?', '2023-11-01..2024-03-01'],
    ['How many had I won by July 10, 2022?', '..2022-07-11'],
    ['Where did I live before 2020?', '..2020-01-02'],
    ['What did I do until March 2023?', '..2023-04-01'],
    ['What have I bought since March?', '2024-03-01..'],
    ['What have I bought after March?', '2024-03-31..'],
    ['What did I do the week before August 3, 2023?', '2023-07-27..2023-08-04'],
    ['Which puppy came two weeks before August 11, 2023?', '2023-07-28..2023-08-12'],
    ['What did I watch shortly before 7 Jan 2024?', '2023-12-31..2024-01-08'],
    ['What did I do yesterday?', '2024-05-14..2024-05-15'],
    ['What did I do the day before yesterday?', '2024-05-13..2024-05-14'],
    ['What did I eat today?', '2024-05-15..2024-05-16'],
    ['Which book did I finish a week ago?', '2024-05-05..2024-05-12'],
    ['What did I mention four weeks ago?', '2024-04-14..2024-04-21'],
    ['Where did we go a couple of months ago?', '2024-03-01..2024-03-31'],
    ['How often did I bake in the past two weeks?', '2024-05-01..2024-05-16'],
    ['What did I cook in the past few months?', '2024-02-15..2024-05-16'],
    ['What did I do last week?', '2024-05-01..2024-05-15'],
    ['What did I do last month?', '2024-04-01..2024-05-01'],
    ['Where did we travel last year?', '2023-01-01..2024-01-01'],
    ['How much did I earn this month?', '2024-05-01..2024-05-16'],
  ])('%j is %s', (question, span) => {
    expect(spansOf(question)).toEqual([span])
  })

  it('reads a weekday as the last one and the one before', () => {
    expect(spansOf('Who did I meet last Tuesday?')).toEqual(['2024-05-14..2024-05-15', '2024-05-07..2024-05-08'])
    expect(spansOf('Who did I meet on Wednesday?')).toEqual(['2024-05-08..2024-05-09', '2024-05-01..2024-05-02'])
  })

  it.each([
    'When did Melanie paint a sunrise?',
    'How many days ago did I meet Emma?',
    'How long ago was the party?',
    'May I ask something?',
    'This may be wrong, but who won?',
    'What did April and June say to Augusta?',
    'Who is June’s sister?',
    'Did I march for peace, or fall behind?',
    'Where is my second monitor? Is the sun up?',
    'What time do I wake up on Saturday mornings?',
    'How are my Sunday group rides?',
    'When is the last day of school?',
    'What was my last name?',
    'Who won the Spring Fling Market in the spring break?',
    'What shall I watch tonight, or next summer, or next May?',
    'What did I paint recently?',
    'How may the top 10 may differ?',
    'Is it room 2023 or 1999 dollars?',
    'What is 1/2 of 3/4?',
    'What did he do before that, and after it all?',
    'What did we decide since then?',
    '何時に起きましたか',
    '',
  ])('is not found in %j', (question) => {
    expect(askedTime(question, now)).toBeNull()
  })

  it.each([
    ['What did I do before we moved?', { relation: 'before', text: 'we moved' }],
    ['How did she feel after the wedding?', { relation: 'after', text: 'the wedding' }],
    ['What have I learned since I started at Acme, by the way?', { relation: 'after', text: 'I started at Acme' }],
  ])('is an event in %j', (question, event) => {
    expect(askedTime(question, now)).toEqual({ spans: [], event })
  })

  it('is relative to the moment that the query asks about', () => {
    const earlier = Date.UTC(2020, 0, 10)
    expect(askedTime('What did I do yesterday?', earlier)?.spans.map(shown)).toEqual(['2020-01-09..2020-01-10'])
    expect(askedTime('What did I do in March?', earlier)?.spans.map(shown)).toEqual(['2019-03-01..2019-04-01'])
  })

  it('has a bounded number of spans, each with its start before its end, for any question', () => {
    const words = fc.constantFrom(
      ...'before after since between and from to in on last may March 7 31st 2023 99 00.00.2023 summer two weeks ago of early week mid'.split(
        ' ',
      ),
    )
    fc.assert(
      fc.property(fc.array(words, { maxLength: 3_000 }), (question) => {
        const spans = askedTime(question.join(' '), now)?.spans ?? []
        expect(spans.length).toBeLessThanOrEqual(8)
        for (const { from, to } of spans) expect(from).toBeLessThan(to)
      }),
      { numRuns: 200 },
    )
  })
})

describe('dates that a memory mentions', () => {
  const said = Date.UTC(2024, 0, 20)

  it.each([
    ['The wedding is on 7 May 2023', ['2023-05-07..2023-05-08']],
    ['We fly on December 28', ['2023-12-28..2023-12-29']],
    ['We fly on March 3rd', ['2024-03-03..2024-03-04']],
    ['Founded in June 2019, sold 2021-03-04', ['2019-06-01..2019-07-01', '2021-03-04..2021-03-05']],
    ['I may go in May', []],
    ['I have 3 cats', []],
    [`${'x'.repeat(600)} 7 May 2023`, []],
  ])('%j', (content, dates) => {
    expect(datesIn(content, said).map(shown)).toEqual(dates)
  })
})
