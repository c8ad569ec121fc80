import { expect, it } from 'vitest'
import { startOfDate } from './partial-date.js'

it.each([
  ['2019', '2019-01-01'],
  ['2019-05', '2019-05-01'],
  ['2019-05-02', '2019-05-02'],
  ['May 2019', '2019-05-01'],
  ['Sept. 2019', '2019-09-01'],
  ['2 May 2019', '2019-05-02'],
  ['2nd may, 2019', '2019-05-02'],
  ['May 2nd, 2019', '2019-05-02'],
  ['0049', '0049-01-01'],
  ['2024-02-29', '2024-02-29'],
])('%s starts on %s', (text, day) => {
  expect(startOfDate(text)).toBe(Date.parse(`${day}T00:00:00Z`))
})

it.each(['', 'last year', '2023-02-29', '2019-13', '31 June 2019', 'Mayor 2019', '19', '2019-5', 'x'.repeat(50_000)])(
  '%.20s is not a date',
  (text) => {
    expect(startOfDate(text)).toBeNull()
  },
)
