/**
 * ISO 8601 in the extended format: a date, or a date and a time with any offset, by default UTC.
 * `Date.parse` accepts 30 February and 24:00 and reads some formats in local time, so it is not used.
 */
const pattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:([Zz])|([+-])(\d{2})(?::?(\d{2}))?)?)?$/

const earliest = Date.parse('0001-01-01T00:00:00.000Z')
const latest = Date.parse('9999-12-31T23:59:59.999Z')

/** Milliseconds since 1970; finer digits are dropped. Undefined if the text is not a valid timestamp. */
export function parseTimestamp(text: string): number | undefined {
  const match = pattern.exec(text)
  if (!match) return undefined
  const [, year, month, day, hour, minute, second, fraction, , sign, offsetHour, offsetMinute] = match
  const date = new Date(0)
  // Not Date.UTC, which maps years below 100 to the 20th century.
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined
  const clock = [Number(hour ?? 0), Number(minute ?? 0), Number(second ?? 0)] as const
  if (clock[0] > 23 || clock[1] > 59 || clock[2] > 59) return undefined
  const offset = [Number(offsetHour ?? 0), Number(offsetMinute ?? 0)] as const
  if (offset[0] > 23 || offset[1] > 59) return undefined
  date.setUTCHours(clock[0], clock[1], clock[2], Number((fraction ?? '').padEnd(3, '0').slice(0, 3)))
  const offsetMs = (offset[0] * 60 + offset[1]) * 60_000 * (sign === '-' ? -1 : 1)
  const ms = date.getTime() - offsetMs
  return ms >= earliest && ms <= latest ? ms : undefined
}
