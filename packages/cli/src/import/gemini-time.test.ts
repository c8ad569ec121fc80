import { describe, expect, it } from 'vitest'
import { isTime, momentReader } from './gemini-time.js'

const momentIn = momentReader()

describe('the time of an activity', () => {
  it.each([
    ['Apr 12, 2026, 10:53:24 AM JST', '2026-04-12T10:53:24+09:00'],
    ['12 Apr 2026, 22:53:24 GMT+09:00', '2026-04-12T22:53:24+09:00'],
    ['Apr 12, 2026, 12:05:24\u202fAM UTC', '2026-04-12T00:05:24+00:00'],
    ['12. Apr. 2026, 10:53:24 MESZ', '2026-04-12T10:53:24+02:00'],
    ['12.04.2026, 10:53:24 MEZ', '2026-04-12T10:53:24+01:00'],
    ['3. März 2026, 09:05:01 MEZ', '2026-03-03T09:05:01+01:00'],
    ['12 abr 2026, 10:53:24 CEST', '2026-04-12T10:53:24+02:00'],
    ['12 de septiembre de 2026, 10:53:24 p. m. GMT-5', '2026-09-12T22:53:24-05:00'],
    ['12 août 2026, 10:53:24 UTC+2', '2026-08-12T10:53:24+02:00'],
    ['12 févr. 2026 à 10:53:24 CET', '2026-02-12T10:53:24+01:00'],
    ['12 gen 2026, 10:53:24 CET', '2026-01-12T10:53:24+01:00'],
    ['12 de out. de 2026, 10:53:24 BRT', '2026-10-12T10:53:24-03:00'],
    ['12 mrt 2026 10:53:24 CET', '2026-03-12T10:53:24+01:00'],
    ['12-04-2026 10:53:24 CEST', '2026-04-12T10:53:24+02:00'],
    ['12 мая 2026 г., 10:53:24 MSK', '2026-05-12T10:53:24+03:00'],
    ['12 нояб. 2026 г., 10:53:24 GMT+3', '2026-11-12T10:53:24+03:00'],
    ['2026年4月12日 10:53:24 CST', '2026-04-12T10:53:24+08:00'],
    ['2026年4月12日 GMT+8 10:53:24', '2026-04-12T10:53:24+08:00'],
    ['2026年4月12日 下午10:53:24 CST', '2026-04-12T22:53:24+08:00'],
    ['2026/04/12 10:53:24 JST', '2026-04-12T10:53:24+09:00'],
    ['2026年4月12日 午後1:53:24 JST', '2026-04-12T13:53:24+09:00'],
    ['2026. 4. 12. 오전 10:53:24 KST', '2026-04-12T10:53:24+09:00'],
    ['12. apr. 2026 10.53.24 CEST', '2026-04-12T10:53:24+02:00'],
    ['13/04/2026, 10:53:24 WEST', '2026-04-13T10:53:24+01:00'],
  ])('is read from "%s"', (line, moment) => {
    expect(isTime(line)).toBe(true)
    expect(momentIn(line)).toBe(moment)
    expect(Date.parse(moment)).not.toBeNaN()
  })

  it.each(['en', 'de', 'es', 'fr', 'it', 'pt', 'nl', 'ru', 'zh', 'ja', 'ko', 'pl', 'sv', 'tr'])(
    'is read for every month as Intl writes it in %s',
    (language) => {
      for (const dateStyle of ['medium', 'long'] as const) {
        const format = new Intl.DateTimeFormat(language, { dateStyle, timeStyle: 'medium', timeZone: 'UTC' })
        for (let month = 0; month < 12; month++) {
          const ms = Date.UTC(2026, month, 9 + month, 5 + month, 7, 8)
          const line = `${format.format(ms)} UTC`
          const read = momentIn(line)
          expect(read === undefined ? line : Date.parse(read), line).toBe(ms)
        }
      }
    },
  )

  it.each([
    ['a day and a month that may be exchanged', '04/12/2026, 10:53:24'],
    ['a name that is no month', '12 Foo 2026, 10:53:24'],
    ['two months', '12 Apr May 2026, 10:53:24'],
    ['a month of another calendar', '13/13/2026, 10:53:24'],
    ['no time of day', '12 Apr 2026'],
  ])('is unknown for %s', (_name, line) => {
    expect(momentIn(line)).toBeUndefined()
  })

  it.each(['In 2026 we met at 10:53', 'Version 2026.10.53', `${'x'.repeat(60)} 2026 10:53:24`])(
    'is not taken from a sentence: "%s"',
    (line) => {
      expect(isTime(line)).toBe(false)
    },
  )
})
