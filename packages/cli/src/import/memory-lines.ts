/** The lines of a list of memories: headings, entries with an optional date, their evidence, and continued lines. */

export type Line =
  | { readonly kind: 'blank' }
  | { readonly kind: 'heading'; readonly text: string }
  | {
      readonly kind: 'entry'
      readonly text: string
      /** A line without a bullet is a little further out than the bullets below it. */
      readonly indent: number
      /** As written, in a form that `momentOf` reads; empty if it is marked as unknown, undefined if there is none. */
      readonly date: string | undefined
      /** Whether the user said it or the assistant concluded it: `[stated]`, `[inferred]`. */
      readonly basis: string
    }
  | { readonly kind: 'evidence'; readonly text: string; readonly date: string }
  /** Continues the entry above. */
  | { readonly kind: 'more'; readonly text: string }

const bullet = /^(?:[-*+•‣◦]|\d{1,4}[.)])\s+/
const rule = /^(?:-{3,}|\*{3,}|_{3,}|={3,})$/

export function lineOf(line: string, isKnownHeading: (text: string) => boolean): Line {
  const indent = indentOf(line)
  const text = line.trim()
  if (text === '' || rule.test(text)) return { kind: 'blank' }
  const heading = headingOf(text, isKnownHeading)
  if (heading !== undefined) return { kind: 'heading', text: heading }
  const mark = bullet.exec(text)?.[0] ?? ''
  const rest = plain(text.slice(mark.length))
  const evidence = /^evidence:\s*/i.exec(rest)?.[0]
  if (evidence !== undefined) return { kind: 'evidence', ...evidenceOf(rest.slice(evidence.length)) }
  const label = labelOf(rest)
  // A wrapped line: not marked, not dated, and it does not start a sentence.
  if (mark === '' && label.date === undefined && (indent > 0 || /^\p{Ll}/u.test(rest))) {
    return { kind: 'more', text: rest }
  }
  return { kind: 'entry', indent: mark === '' ? indent - 0.5 : indent, ...label }
}

function indentOf(line: string): number {
  return (/^\s*/.exec(line)?.[0] ?? '').replaceAll('\t', '    ').length
}

/** `## Work`, `**Work**`, `**Work:**`, or a known heading with a number or a colon. */
function headingOf(text: string, isKnown: (text: string) => boolean): string | undefined {
  const marked = /^#{1,6}\s(.*)$/.exec(text)?.[1]?.trim()
  if (marked !== undefined) return withoutColon(plain(withoutNumber(marked)))
  const line = withoutNumber(text)
  const isBold = line.startsWith('**') && /^[^*]+(?::\*\*|\*\*:?)$/.test(line.slice(2))
  const words = withoutColon(plain(line))
  return isBold || isKnown(words) ? words : undefined
}

function withoutNumber(text: string): string {
  return text.replace(/^\d{1,2}[.)]\s+/, '')
}

function withoutColon(text: string): string {
  return text.replace(/:$/, '').trim()
}

/** Without marks of emphasis. */
function plain(text: string): string {
  return text.replaceAll('**', '').trim()
}

const labelled = /^\[([^\]\n]{1,40})\]\s*(?:[-–—:.]\s*)?/
const bareDate = /^(\d{4}-\d{2}-\d{2})\s*(?:[-–—:]\s+)/
const unknownDate = /^(?:unknown|undated|no date|n\/a|date (?:unknown|not available|not saved|unavailable))\b/i

/** Takes `[2024-04-26] - `, `[unknown] - `, `[stated] ` and `2024-04-26: ` from the start of an entry. */
function labelOf(text: string): { readonly text: string; readonly date: string | undefined; readonly basis: string } {
  const bare = bareDate.exec(text)
  if (bare) return { text: text.slice(bare[0].length), date: bare[1], basis: '' }
  const [whole = '', label = ''] = labelled.exec(text) ?? []
  const rest = text.slice(whole.length)
  if (whole === '' || rest === '') return { text, date: undefined, basis: '' }
  if (unknownDate.test(label)) return { text: rest, date: '', basis: '' }
  const date = dayOf(label)
  if (date !== undefined) return { text: rest, date, basis: '' }
  if (/^(?:stated|inferred)$/i.test(label)) return { ...labelOf(rest), basis: label.toLowerCase() }
  return { text, date: undefined, basis: '' }
}

/** `User said "call me Ana". Date: [2026-04-25].` */
function evidenceOf(text: string): { readonly text: string; readonly date: string } {
  const at = text.toLowerCase().lastIndexOf('date:')
  if (at === -1) return { text, date: '' }
  const date = text.slice(at + 5).replace(/[[\].\s]+/g, ' ')
  return { text: text.slice(0, at).trim(), date: dayOf(date.trim()) ?? '' }
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const written = /^([A-Za-z]{3,9})\.? (?:(\d{1,2})(?:st|nd|rd|th)?,? )?(\d{4})$/
const turned = /^(\d{1,2})(?:st|nd|rd|th)? ([A-Za-z]{3,9})\.? (\d{4})$/

/** The day as `2024-04-26`; of a month or a year, the first. */
function dayOf(text: string): string | undefined {
  if (/^\d{4}-\d{2}-\d{2}(?:$|[T ])/.test(text)) return text
  if (/^\d{4}(?:-\d{2})?$/.test(text)) return `${text.padEnd(7, '-01')}-01`
  const [, name = '', day = '1', year = ''] = written.exec(text) ?? []
  if (year !== '') return dayIn(year, name, day)
  const [, first = '', month = '', last = ''] = turned.exec(text) ?? []
  return last === '' ? undefined : dayIn(last, month, first)
}

function dayIn(year: string, name: string, day: string): string | undefined {
  const month = months.indexOf(name.slice(0, 3).toLowerCase()) + 1
  return month === 0 ? undefined : `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`
}
