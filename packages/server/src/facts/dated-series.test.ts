import { describe, expect, it } from 'vitest'
import { areDatedApart } from './dated-series.js'

describe('areDatedApart', () => {
  it.each([
    ['weighed 71kg on 1 september', 'weighed 69kg on 1 november'],
    ['electric bill was £88 in october', 'electric bill was £93 in november'],
    ['electric bill was £88 in October (October 2026)', 'electric bill was £93 in November (November 2026)'],
    ['blood pressure 128/82 on 3 Sept', 'blood pressure 121/79 on 12 Nov'],
    ['Ran 5k in 27 min on 2026-10-02', 'Ran 5k in 25 min on 2026-11-02'],
    ['gas meter read 40211 on 1 oct', 'gas meter read 40390 on 1 nov'],
    ['paid 45 euros for petrol on 3/10/2026', 'paid 51 euros for petrol on 14 November'],
    ['We sold 120 units in July', 'We sold 95 units in August 2026'],
  ])('is true for values of two days: %s / %s', (old, fresh) => {
    expect(areDatedApart(fresh, old)).toBe(true)
    expect(areDatedApart(old, fresh)).toBe(true)
  })

  it.each([
    ['Dentist is on 3 December', 'Dentist moved to 10 December'],
    ['Dentist 3 December 2pm', 'Dentist 10 December 3pm'],
    ['Rent is £900 from 1 September', 'Rent is £950 from 1 November'],
    ['rent £900 from 1 september', 'rent £950 from 1 november'],
    ['weighed 71kg on 1 september', 'weighed 70kg on 1 september'],
    ['weighed 71kg on 1 september', 'actually weighed 70kg on 2 september'],
    ['weighed 71kg on 1 september', 'I weigh 69kg now'],
    ['weighed 71kg in september', 'weighed 70kg on 2 september'],
    ['The wedding was planned for 3 May 2027', 'The wedding was planned for 10 May 2027'],
    ['My flight was at 10:30 on 3 May', 'My flight was at 11:30 on 4 May'],
    ['Kim was born on 3 May 1990', 'Kim was born on 4 May 1990'],
    ['The budget will be £300 in May', 'The budget will be £350 in June'],
  ])('is false for a change: %s / %s', (old, fresh) => {
    expect(areDatedApart(fresh, old)).toBe(false)
  })
})
