/**
 * The line with the time of an activity in `MyActivity.html`, in the language of the account: `Apr 12, 2026, 10:53:24 AM JST`,
 * `12. Apr. 2026, 10:53:24 MESZ`, `12 de abr. de 2026, 10:53:24 BRT`, `2026年4月12日 10:53:24 GMT+8`. `Intl` names the months.
 * Undefined where it is not certain: no date is better than a wrong one.
 */
const languages = [
  ...['en', 'de', 'es', 'fr', 'it', 'pt', 'pt-PT', 'nl', 'ru', 'zh', 'zh-TW', 'ja', 'ko'],
  ...['pl', 'sv', 'da', 'nb', 'fi', 'cs', 'tr', 'uk', 'ro', 'hu', 'id', 'vi'],
]

/** A year and a time of day to the second, in any language. */
export function isTime(line: string): boolean {
  return line.length <= 60 && /(?<!\d)20\d\d(?!\d)/.test(line) && timeOfDay.test(line)
}

/** Returns a function that reads the moment of such a line. Collecting the names of months takes a while, so it waits for the first name. */
export function momentReader(): (line: string) => string | undefined {
  let names: ReadonlyMap<string, number> | undefined
  return (line) => {
    const words = plain(line)
    const date = numericIn(words) ?? namedIn(words, () => (names ??= monthNames()))
    return date === undefined ? undefined : withTime(date, words)
  }
}

function withTime(date: string, words: string): string | undefined {
  const [, hour = '', minutes = '', seconds = ''] = timeOfDay.exec(words) ?? []
  if (hour === '') return undefined
  const half = halfOfDay(words)
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + half
  return `${date}T${two(hours)}:${minutes}:${seconds}${zoneIn(words)}`
}

const timeOfDay = /(?<!\d)(\d{1,2})[:.](\d{2})[:.](\d{2})(?!\d)/

/** One kind of space, without commas and marks of direction, in lower case. */
function plain(line: string): string {
  return line
    .normalize('NFKC')
    .replace(/[\u200e\u200f\u202a-\u202e,،]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
}

/* ------------------------------------------------------------------ the day */

/** With dots and hyphens the day comes first, if the year does not. With slashes it may be the month. */
function numericIn(words: string): string | undefined {
  const byYear = /(?<!\d)(20\d\d)(?:년|年|[./-]) ?(\d{1,2})(?:월|月|[./-]) ?(\d{1,2})(?!\d)/.exec(words)
  if (byYear) return dayOf(byYear[1] ?? '', Number(byYear[2]), Number(byYear[3]))
  const [, first, mark, second, year] = /(?<!\d)(\d{1,2})([./-]) ?(\d{1,2})[./-] ?(20\d\d)(?!\d)/.exec(words) ?? []
  if (year === undefined) return undefined
  const isCertain = mark !== '/' || Number(first) > 12 || first === second
  return isCertain ? dayOf(year, Number(second), Number(first)) : undefined
}

/** A number that is no year, and the name of a month. */
function namedIn(words: string, names: () => ReadonlyMap<string, number>): string | undefined {
  const [, year] = /(?<!\d)(20\d\d)(?!\d)/.exec(words) ?? []
  const [, day] = /(?<![\d:.])(\d{1,2})(?![\d:]|\.\d)/.exec(words.replace(timeOfDay, ' ')) ?? []
  if (year === undefined || day === undefined) return undefined
  const found = new Set(words.match(/\p{L}[\p{L}\p{M}]*/gu)?.flatMap((word) => names().get(word) ?? []))
  const [month] = found
  return found.size === 1 && month !== undefined ? dayOf(year, month, Number(day)) : undefined
}

function dayOf(year: string, month: number, day: number): string | undefined {
  return month >= 1 && month <= 12 && day >= 1 && day <= 31 ? `${year}-${two(month)}-${two(day)}` : undefined
}

/** By name, abbreviated and in full, alone and in a date. A name that means two months in two languages is left out. */
function monthNames(): ReadonlyMap<string, number> {
  const names = new Map<string, number>()
  const doubtful = new Set<string>()
  for (const language of languages) {
    for (const options of [{ month: 'short' }, { month: 'long' }] as const) {
      for (const more of [{}, { day: 'numeric', year: 'numeric' }] as const) {
        const format = new Intl.DateTimeFormat(language, { ...options, ...more, timeZone: 'UTC' })
        for (let month = 1; month <= 12; month++) {
          const name = nameIn(format, month)
          if (names.has(name) && names.get(name) !== month) doubtful.add(name)
          names.set(name, month)
        }
      }
    }
  }
  for (const name of doubtful) names.delete(name)
  return names
}

function nameIn(format: Intl.DateTimeFormat, month: number): string {
  const parts = format.formatToParts(Date.UTC(2026, month - 1, 15))
  return plain(parts.find(({ type }) => type === 'month')?.value ?? '').replace(/\.$/, '')
}

/* ------------------------------------------------------------------ the time of day */

/** The hours to add: 0 before noon, 12 after it. Undefined: the clock has 24 hours. */
function halfOfDay(words: string): 0 | 12 | undefined {
  if (/(?<!\p{L})p\.? ?m(?!\p{L})|下午|晚上|午後|오후/u.test(words)) return 12
  return /(?<!\p{L})a\.? ?m(?!\p{L})|上午|凌晨|早上|午前|오전/u.test(words) ? 0 : undefined
}

const zones: Readonly<Record<string, string>> = {
  ...{ utc: '+00:00', gmt: '+00:00', wet: '+00:00', bst: '+01:00', west: '+01:00' },
  ...{ cet: '+01:00', mez: '+01:00', cest: '+02:00', mesz: '+02:00', eet: '+02:00', eest: '+03:00', msk: '+03:00' },
  ...{ мск: '+03:00', brt: '-03:00', art: '-03:00', est: '-05:00', edt: '-04:00', cst: '-06:00', cdt: '-05:00' },
  ...{ mst: '-07:00', mdt: '-06:00', pst: '-08:00', pdt: '-07:00', jst: '+09:00', kst: '+09:00', ist: '+05:30' },
}

function zoneIn(words: string): string {
  const [, sign, hours = '', minutes = '00'] = /(?:gmt|utc) ?([+−-])(\d{1,2})(?::?(\d{2}))?/.exec(words) ?? []
  if (sign !== undefined) return `${sign === '+' ? '+' : '-'}${hours.padStart(2, '0')}:${minutes}`
  const name = /(?<=[\s\d])\p{L}{3,4}$/u.exec(words)?.[0] ?? ''
  // The same letters mean the time of China and that of Chicago.
  if (name === 'cst' && /\p{Script=Han}/u.test(words)) return '+08:00'
  return zones[name] ?? '+00:00'
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}
