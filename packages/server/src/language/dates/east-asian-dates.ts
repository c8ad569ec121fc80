/** Reads the time words of Chinese and Japanese, which write no spaces. */
import type { FoundTime } from './spaced-dates.js'
import type { SpokenTime, Unit, Which } from './spoken-time.js'

type Groups = Readonly<Record<string, string | undefined>>
type Rule = readonly [RegExp, (groups: Groups) => SpokenTime | null, bare?: boolean]

const digits = '〇一二三四五六七八九'
const number = '[0-9]{1,4}|[〇一二三四五六七八九十两兩]{1,4}'
const weekdays = { zh: '一二三四五六日天', ja: '月火水木金土日' }
const seasons = '冬春夏秋'

/** "十二" and "二〇二四" as numbers; NaN for anything else. */
function numberOf(text: string): number {
  if (/^[0-9]+$/u.test(text)) return Number(text)
  const plain = text.replace(/[两兩]/gu, '二')
  const [tens, ones, ...rest] = plain.split('十')
  if (ones === undefined) return Number([...plain].map((letter) => digits.indexOf(letter)).join(''))
  if (rest.length > 0 || (tens?.length ?? 0) > 1 || ones.length > 1) return Number.NaN
  return (tens ? digits.indexOf(tens) : 1) * 10 + (ones ? digits.indexOf(ones) : 0)
}

const yearWords: Readonly<Record<string, number>> = {
  前年: -2,
  一昨年: -2,
  おととし: -2,
  去年: -1,
  昨年: -1,
  今年: 0,
  本年: 0,
  明年: 1,
  来年: 1,
  來年: 1,
}
const yearWord = `(?<yearWord>${Object.keys(yearWords)
  .sort((a, b) => b.length - a.length)
  .join('|')})`
const writtenYear = '(?<year>(?:19|20)[0-9]{2}|[一二][〇一二三四五六七八九]{3})年'
const era = '(?<era>令和|平成)(?<eraYear>[0-9]{1,2}|元|[一二三四五六七八九十]{1,3})年'
const someYear = `(?:${writtenYear}|${era}|${yearWord}の?)`
const month = `(?<![0-9〇一二三四五六七八九十])(?<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月`
const day = '(?<day>[0-9]{1,2}|[一二三四五六七八九十]{1,3})[日号號]'
const season = `(?<season>[${seasons}])[天季]?`

/** Rules that both languages share. */
const shared: readonly Rule[] = [
  [new RegExp(`${someYear}${month}(?:${day})?`, 'gu'), dateOf],
  [new RegExp(`${month}${day}`, 'gu'), dateOf],
  [new RegExp(`${someYear}の?${season}`, 'gu'), dateOf],
  [new RegExp(`(?:${writtenYear}|${era})`, 'gu'), dateOf, true],
  [new RegExp(`(?<count>${number})年(?:之|以)?前`, 'gu'), (groups) => amountOf(groups, 'year', -1)],
  [new RegExp(yearWord, 'gu'), yearOf],
  [new RegExp(`${month}(?![0-9日号號份]?[前後后])`, 'gu'), dateOf, true],
  [/昨日/gu, () => ({ kind: 'day', offset: -1 })],
  [/今日/gu, () => ({ kind: 'day', offset: 0 })],
  [/明日/gu, () => ({ kind: 'day', offset: 1 })],
]

const steps: Readonly<Record<string, Which>> = { 上: 'previous', 这: 'this', 這: 'this', 本: 'this', 下: 'next' }
const week = '(?:周|週|星期|礼拜|禮拜)'

const chinese: readonly Rule[] = [
  ...shared,
  [
    new RegExp(`(?<step>[上这這本下])(?:个|個)?${week}(?<weekday>[${weekdays.zh}])`, 'gu'),
    ({ step, weekday }) => weekdayOf(weekdays.zh.indexOf(weekday ?? ''), steps[step ?? '']),
  ],
  [/(?<step>[上这這本下])(?:个|個)?周末/gu, (groups) => unitOf(groups, 'weekend')],
  [/(?<step>[上这這本下])(?:个|個)?週末/gu, (groups) => unitOf(groups, 'weekend')],
  [new RegExp(`(?<step>[上这這本下])(?:个|個)?${week}`, 'gu'), (groups) => unitOf(groups, 'week')],
  [/(?<step>[上这這下])(?:个|個)月|(?<own>本)月/gu, (groups) => unitOf(groups, 'month')],
  [new RegExp(`(?<count>${number})(?:天|日)(?:之|以)?前`, 'gu'), daysBefore],
  [new RegExp(`(?<count>${number})(?:个|個)?(?:周|週|星期|礼拜)(?:之|以)?前`, 'gu'), (g) => amountOf(g, 'week', -1)],
  [new RegExp(`(?<count>${number})(?:个|個)月(?:之|以)?前`, 'gu'), (g) => amountOf(g, 'month', -1)],
  [new RegExp(`(?<count>${number})天(?:之|以)?[后後]`, 'gu'), (g) => amountOf(g, 'day', 1)],
  [new RegExp(`(?<count>${number})(?:个|個)?(?:周|週|星期|礼拜)(?:之|以)?[后後]`, 'gu'), (g) => amountOf(g, 'week', 1)],
  [new RegExp(`(?<count>${number})(?:个|個)月(?:之|以)?[后後]`, 'gu'), (g) => amountOf(g, 'month', 1)],
  [/大前天/gu, () => ({ kind: 'day', offset: -3 })],
  [/前天/gu, () => ({ kind: 'day', offset: -2 })],
  [/昨[天晚]/gu, () => ({ kind: 'day', offset: -1 })],
  [/今[天晚早]/gu, () => ({ kind: 'day', offset: 0 })],
  [/明[天晚早]/gu, () => ({ kind: 'day', offset: 1 })],
  [/[后後]天(?![性])/gu, () => ({ kind: 'day', offset: 2 })],
  [
    new RegExp(`(?<![每上下这這本个個])${week}(?<weekday>[${weekdays.zh}])`, 'gu'),
    ({ weekday }) => ({ kind: 'weekday', weekday: weekdays.zh.indexOf(weekday ?? '') % 7, which: null }),
    true,
  ],
]

const weekWords: Readonly<Record<string, Which>> = { 先週: 'previous', 今週: 'this', 来週: 'next' }
const weekWord = '(?<word>先週|今週|来週)'

const japanese: readonly Rule[] = [
  ...shared,
  [
    new RegExp(`${weekWord}の?(?<weekday>[${weekdays.ja}])曜`, 'gu'),
    ({ word, weekday }) => weekdayOf(weekdays.ja.indexOf(weekday ?? ''), weekWords[word ?? '']),
  ],
  [
    /(?<word>この前の|前の|次の|今度の)(?<weekday>[月火水木金土日])曜/gu,
    ({ word = '', weekday }) => ({
      kind: 'weekday',
      weekday: weekdays.ja.indexOf(weekday ?? ''),
      which: word.includes('前') ? 'last' : 'coming',
    }),
  ],
  [new RegExp(`${weekWord}の?(?:週末|末)`, 'gu'), ({ word }) => unit('weekend', weekWords[word ?? ''])],
  [new RegExp(weekWord, 'gu'), ({ word }) => unit('week', weekWords[word ?? ''])],
  [/先月/gu, () => unit('month', 'last')],
  [/今月/gu, () => unit('month', 'this')],
  [/来月/gu, () => unit('month', 'next')],
  [new RegExp(`(?<count>${number})日前`, 'gu'), (g) => amountOf(g, 'day', -1)],
  [new RegExp(`(?<count>${number})週間前`, 'gu'), (g) => amountOf(g, 'week', -1)],
  [new RegExp(`(?<count>${number})[かヶカケヵ箇]月前`, 'gu'), (g) => amountOf(g, 'month', -1)],
  [new RegExp(`(?<count>${number})日後`, 'gu'), (g) => amountOf(g, 'day', 1)],
  [new RegExp(`(?<count>${number})週間後`, 'gu'), (g) => amountOf(g, 'week', 1)],
  [new RegExp(`(?<count>${number})[かヶカケヵ箇]月後`, 'gu'), (g) => amountOf(g, 'month', 1)],
  [/一昨日|おととい/gu, () => ({ kind: 'day', offset: -2 })],
  [/明後日|あさって/gu, () => ({ kind: 'day', offset: 2 })],
  [/きのう|昨夜|ゆうべ|昨晩/gu, () => ({ kind: 'day', offset: -1 })],
  [/きょう|今朝|今晩|今夜/gu, () => ({ kind: 'day', offset: 0 })],
  [
    /(?<!毎週|毎|の)(?<weekday>[月火水木金土日])曜日?に/gu,
    ({ weekday }) => ({ kind: 'weekday', weekday: weekdays.ja.indexOf(weekday ?? ''), which: null }),
    true,
  ],
]

function dateOf({
  year,
  era: eraName,
  eraYear,
  yearWord: word,
  month: said,
  day: dayText,
  season: name,
}: Groups): SpokenTime | null {
  const first = eraName === '令和' ? 2018 : 1988
  const number = year ? numberOf(year) : eraName ? first + (eraYear === '元' ? 1 : numberOf(eraYear ?? '')) : undefined
  const [month, day] = [said ? numberOf(said) - 1 : undefined, dayText ? numberOf(dayText) : undefined]
  if ([number, month, day].some((part) => Number.isNaN(part)) || (day !== undefined && (day < 1 || day > 31)))
    return null
  return {
    kind: 'date',
    which: null,
    ...(word === undefined ? {} : { years: yearWords[word] ?? 0 }),
    date: {
      ...(number === undefined ? {} : { year: number }),
      ...(month === undefined ? {} : { month }),
      ...(day === undefined ? {} : { day }),
      ...(name === undefined ? {} : { season: seasons.indexOf(name) }),
    },
  }
}

function yearOf({ yearWord: word }: Groups): SpokenTime {
  return { kind: 'date', which: null, date: {}, years: yearWords[word ?? ''] ?? 0 }
}

function weekdayOf(index: number, which: Which | undefined): SpokenTime | null {
  if (which === undefined || index < 0) return null
  return {
    kind: 'weekday',
    weekday: Math.min(index, 6),
    which,
    weeks: which === 'this' ? 0 : which === 'next' ? 1 : -1,
  }
}

function unitOf({ step, own }: Groups, name: Unit): SpokenTime | null {
  return unit(name, steps[step ?? own ?? ''])
}

function unit(name: Unit, which: Which | undefined): SpokenTime | null {
  return which === undefined ? null : { kind: 'unit', unit: name, which }
}

/** "三天前" is three days ago; "3日前" is before the third. */
function daysBefore(groups: Groups): SpokenTime | null {
  return amountOf(groups, 'day', -1)
}

function amountOf({ count }: Groups, name: Unit, sign: 1 | -1): SpokenTime | null {
  const number = numberOf(count ?? '')
  return number >= 1 && number <= 999 ? { kind: 'amount', count: number, unit: name, sign } : null
}

const mostTimes = 8
/** "Before the third" in Chinese, "three days ago" in Japanese. */
const disputed = new RegExp(`(?:${number})日前`, 'gu')

export function eastAsianTimes(text: string, language: 'zh' | 'ja'): FoundTime[] {
  const said = text.replace(/[０-９]/gu, (digit) => String.fromCharCode(digit.charCodeAt(0) - 0xfee0))
  const found: FoundTime[] = []
  const taken = language === 'zh' ? placesOf(said, disputed) : []
  for (const [pattern, read, bare = false] of language === 'zh' ? chinese : japanese) {
    for (const match of said.matchAll(pattern)) {
      const start = match.index
      const end = start + match[0].length
      if (taken.some((other) => start < other.end && other.start < end)) continue
      const time = read(match.groups ?? {})
      // "三天后他来了" is told of the past.
      if (time === null || (time.kind === 'amount' && time.sign === 1 && /了/u.test(said))) continue
      taken.push({ start, end })
      found.push({ start, end, time, bare, relation: relationOf(said.slice(end, end + 6)) })
      if (found.length === mostTimes) return found
    }
  }
  return found
}

function placesOf(text: string, pattern: RegExp): { start: number; end: number }[] {
  return [...text.matchAll(pattern)].map(({ index, 0: words }) => ({ start: index, end: index + words.length }))
}

function relationOf(after: string): FoundTime['relation'] {
  if (/^(?:より前|之前|以前|前に)/u.test(after)) return 'earlier'
  if (/^(?:以来|以後|以后|以降|から|之后|之後)/u.test(after)) return 'since'
  return /^まで/u.test(after) ? 'until' : null
}
