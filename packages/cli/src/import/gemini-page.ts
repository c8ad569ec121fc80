/**
 * `MyActivity.html`: after its styles, one cell per activity. A cell has a header with the name of the product, and a body with the
 * prompt, a line with the time, and the answer; further cells say why the activity was saved.
 */
import { type Activity, conversationIn } from './gemini-activity.js'
import { isTime, momentReader } from './gemini-time.js'
import { textOfHtml, withoutEntities } from './html-text.js'

const cellStart = 'class="outer-cell'

export function isActivityPage(start: string): boolean {
  if (!/^<(?:!doctype html|html|head|body|div)\b/i.test(start)) return false
  const at = start.indexOf(cellStart)
  return at !== -1 && /gemini|bard/i.test(headerOf(start.slice(at, at + 2_000)))
}

export function* activitiesOfPage(html: string): Generator<Activity> {
  const momentIn = momentReader()
  for (let at = html.indexOf(cellStart); at !== -1; ) {
    const next = html.indexOf(cellStart, at + 1)
    const cell = html.slice(at, next === -1 ? html.length : next)
    if (/gemini|bard/i.test(headerOf(cell))) yield activityOf(cell, momentIn)
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

function activityOf(cell: string, momentIn: (line: string) => string | undefined): Activity {
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
