/**
 * `MyActivity.html`: after its styles, one cell per activity. A cell has a header with the name of the product, and a body with the
 * prompt, a line with the time, and the answer; further cells say why the activity was saved.
 */
import { type Activity, conversationIn } from './gemini-activity.js'
import { textOfHtml, withoutEntities } from './html-text.js'

const cellStart = 'class="outer-cell'

export function isActivityPage(start: string): boolean {
  if (!/^<(?:!doctype html|html|head|body|div)\b/i.test(start)) return false
  const at = start.indexOf(cellStart)
  return at !== -1 && /gemini|bard/i.test(headerOf(start.slice(at, at + 2_000)))
}

export function* activitiesOfPage(html: string): Generator<Activity> {
  for (let at = html.indexOf(cellStart); at !== -1; ) {
    const next = html.indexOf(cellStart, at + 1)
    const cell = html.slice(at, next === -1 ? html.length : next)
    if (/gemini|bard/i.test(headerOf(cell))) yield activityOf(cell)
    at = next
  }
}

function headerOf(cell: string): string {
  return partOf(cell, 'class="header-cell') ?? ''
}

/** The text between the end of a tag with this class and the next cell. */
function partOf(cell: string, mark: string): string | undefined {
  const at = cell.indexOf(mark)
  const start = at === -1 ? -1 : cell.indexOf('>', at)
  if (start === -1) return undefined
  const end = cell.indexOf('class="content-cell', start)
  return cell.slice(start + 1, end === -1 ? cell.length : cell.lastIndexOf('<', end))
}

function activityOf(cell: string): Activity {
  const body = partOf(cell, 'class="content-cell') ?? ''
  const lines = textOfHtml(body).split('\n')
  const at = lines.findIndex(isTime)
  const links = [...body.matchAll(/href="([^"]{1,500})"/g)].map(([, link = '']) =>
    conversationIn(withoutEntities(link)),
  )
  const before = at === -1 ? lines : lines.slice(0, at)
  return {
    title: before.filter((line) => !isAttachment(line)).join('\n'),
    answer: at === -1 ? '' : lines.slice(at + 1).join('\n'),
    time: at === -1 ? undefined : momentIn(lines[at] ?? ''),
    conversation: links.find((id) => id !== '') ?? '',
  }
}

/** Files that the prompt came with are listed between it and the time. */
function isAttachment(line: string): boolean {
  return (
    /^Attached \d{1,4} files?\.?$/.test(line) ||
    /^(?:- )?[^\s/]{1,200}\.(?:png|jpe?g|webp|gif|pdf|mp4|zip)$/i.test(line)
  )
}

/** A year and a time of day to the second, in any language. */
function isTime(line: string): boolean {
  return line.length <= 60 && /\b20\d\d\b|20\d\d年/.test(line) && /\b\d{1,2}[:.]\d{2}[:.]\d{2}\b/.test(line)
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const zones: Readonly<Record<string, string>> = {
  UTC: '+00:00',
  GMT: '+00:00',
  BST: '+01:00',
  CET: '+01:00',
  CEST: '+02:00',
  EET: '+02:00',
  EEST: '+03:00',
  EST: '-05:00',
  EDT: '-04:00',
  CST: '-06:00',
  CDT: '-05:00',
  MST: '-07:00',
  MDT: '-06:00',
  PST: '-08:00',
  PDT: '-07:00',
  JST: '+09:00',
  KST: '+09:00',
  IST: '+05:30',
}

/** `Apr 12, 2026, 10:53:24 AM JST` and `12 Apr 2026, 22:53:24 GMT+09:00`. Undefined in other languages: no date is better than a wrong one. */
function momentIn(line: string): string | undefined {
  const words = line.replace(/[\u202f\u00a0,]/g, ' ').replace(/ +/g, ' ')
  const [, first = '', second = '', year = ''] = /^(\w{1,9}) (\w{1,9}) (20\d\d)\b/.exec(words) ?? []
  const [name, day] = /^\d/.test(first) ? [second, first] : [first, second]
  const month = months.indexOf(name.slice(0, 3).toLowerCase()) + 1
  const [, hour = '', minutes = '', half = ''] = /\b(\d{1,2})(:\d{2}:\d{2})(?: ([AaPp])\.?[Mm]\.?)?/.exec(words) ?? []
  if (month === 0 || !/^\d{1,2}$/.test(day) || hour === '') return undefined
  const hours = half === '' ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  return `${year}-${two(month)}-${two(Number(day))}T${two(hours)}${minutes}${zoneIn(words)}`
}

function zoneIn(words: string): string {
  const [, sign = '', hours = '', minutes = '00'] = /(?:GMT|UTC)([+-])(\d{1,2})(?::?(\d{2}))?$/.exec(words) ?? []
  if (sign !== '') return `${sign}${hours.padStart(2, '0')}:${minutes}`
  return zones[/ ([A-Z]{3,4})$/.exec(words)?.[1] ?? ''] ?? '+00:00'
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}
