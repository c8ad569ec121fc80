/** Dates as written in texts: a year, a month or a day. In UTC, like every time in the service. */

/** In lower case. */
export const months: readonly string[] = [
  ...['january', 'february', 'march', 'april', 'may', 'june', 'july'],
  ...['august', 'september', 'october', 'november', 'december'],
]

/** The first moment of "2019", "2019-05", "2019-05-02", "May 2019" or "2 May 2019"; null for anything else. */
export function startOfDate(text: string): number | null {
  const parts = partsOf(text.trim().toLowerCase())
  if (!parts) return null
  const { year, month = 1, day = 1 } = parts
  const moment = new Date(0)
  // Date.UTC reads 49 as 1949.
  moment.setUTCFullYear(year, month - 1, day)
  const isReal = moment.getUTCMonth() === month - 1 && moment.getUTCDate() === day
  return isReal ? moment.getTime() : null
}

interface Parts {
  readonly year: number
  readonly month?: number
  readonly day?: number
}

function partsOf(text: string): Parts | null {
  const iso = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/.exec(text)
  if (iso) return withParts(iso[1], iso[2] === undefined ? undefined : Number(iso[2]), iso[3])
  const words =
    /^(?:(\d{1,2})(?:st|nd|rd|th)? )?([a-z]{3,9})\.?,? (\d{4})$/.exec(text) ??
    reordered(/^([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/.exec(text))
  if (!words) return null
  const [, day, name = '', year] = words
  const month = months.findIndex((full) => full === name || (name.length >= 3 && full.startsWith(name)))
  return month < 0 ? null : withParts(year, month + 1, day)
}

function reordered(match: RegExpExecArray | null): readonly (string | undefined)[] | null {
  return match && [match[0], match[2], match[1], match[3]]
}

function withParts(year: string | undefined, month: number | undefined, day: string | undefined): Parts {
  return {
    year: Number(year),
    ...(month === undefined ? {} : { month }),
    ...(day === undefined ? {} : { day: Number(day) }),
  }
}
