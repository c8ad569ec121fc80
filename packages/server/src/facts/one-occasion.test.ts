import { describe, expect, it } from 'vitest'
import { isException } from './one-occasion.js'

describe('isException', () => {
  it.each([
    ['Standup is at nine.', 'Standup is moved to ten tomorrow.'],
    ['Mum visits on Sundays.', 'Mum has cancelled Sunday.'],
    ['We go to Cornwall every summer.', 'We moved the Cornwall trip to August.'],
    ['The limit is 50 requests per tenant.', 'Raised the limit to 120 requests for tenant Basalt only.'],
    ['The shop opens at nine.', 'The shop opens at seven now, except on Sundays.'],
    ['The garden is for the dog.', 'We have closed the garden for the winter.'],
  ])('takes one occasion or case for an exception: %s ← %s', (old, fresh) => {
    expect(isException(fresh, old)).toBe(true)
  })

  it.each([
    ['Standup is at nine.', 'Standup got pushed to ten.'],
    ['The dentist is tomorrow at nine.', 'The dentist moved me to ten tomorrow.'],
    ['Every morning I swim a kilometre.', "I've given up swimming."],
    ['Yoga is on Tuesdays.', 'Yoga is on Thursdays now.'],
    ['Yoga is on Tuesdays.', 'They moved yoga to Thursdays.'],
    ['', ''],
  ])('takes a change for what it is: %s ← %s', (old, fresh) => {
    expect(isException(fresh, old)).toBe(false)
  })
})
