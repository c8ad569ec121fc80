/** Tells what each line of a document is. */
import type { Line, LineKind } from './line.js'
import { isCode, isPair, isRemark, markPairs } from './pairs.js'
import { markTables } from './tables.js'

const longestLine = 1_000
const longestLead = 200

export function linesOf(text: string): Line[] {
  const lines = rawLines(text)
  markFences(lines)
  for (const [index, line] of lines.entries()) if (line.kind === 'text') markAlone(lines, index)
  markTables(lines)
  markPairs(lines)
  markQuestions(lines)
  for (const index of lines.keys()) if (isLead(lines, index)) setKind(lines, index, 'lead')
  return lines
}

function rawLines(text: string): Line[] {
  const lines: Line[] = []
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start)
    const end = found === -1 ? text.length : found + 1
    const words = text.slice(start, end).trimEnd()
    lines.push({ start, end, text: words, kind: words === '' ? 'blank' : 'text', level: 0 })
    start = end
  }
  return lines
}

function setKind(lines: readonly Line[], index: number, kind: LineKind): void {
  const line = lines[index]
  if (line) line.kind = kind
}

/** The next line that is not blank. */
function nextOf(lines: readonly Line[], index: number): Line | undefined {
  let next = index + 1
  while (lines[next]?.kind === 'blank') next += 1
  return lines[next]
}

/** Fenced code; settings in a fence are settings. A fence that never closes is text. */
function markFences(lines: readonly Line[]): void {
  let open: { index: number; mark: string } | null = null
  for (const [index, { text }] of lines.entries()) {
    const [, mark] = /^[ \t]{0,12}(`{3,}|~{3,})/u.exec(text) ?? []
    if (mark === undefined) continue
    if (open === null) open = { index, mark: mark.slice(0, 1) }
    else if (mark.startsWith(open.mark)) {
      markFence(lines, open.index, index)
      open = null
    }
  }
}

function markFence(lines: readonly Line[], first: number, last: number): void {
  const inside = lines.slice(first + 1, last).filter(({ kind }) => kind !== 'blank')
  const isSettings =
    inside.filter(({ text }) => isPair(text)).length > 1 &&
    inside.every(({ text }) => text.length <= longestLine && (isPair(text) || isRemark(text)))
  if (!isSettings) {
    for (let index = first; index <= last; index += 1) setKind(lines, index, 'code')
    return
  }
  for (const line of inside) line.kind = isPair(line.text) ? 'pair' : 'remark'
  setKind(lines, first, 'mark')
  setKind(lines, last, 'mark')
}

const heading = /^ {0,3}(#{1,6})[ \t]+\S/u
const item = /^\s*(?:[-*+•‣–]|\d{1,3}[.)]|[a-z][.)])\s+\S/u

function markAlone(lines: readonly Line[], index: number): void {
  const line = lines[index]
  if (!line || line.text.length > longestLine) return
  const [, hashes] = line.text.length <= longestLead ? (heading.exec(line.text) ?? []) : []
  const bare = line.text.replace(/[ \t]/gu, '')
  if (hashes !== undefined) asHeading(line, hashes.length)
  else if (/^(?:-{3,}|\*{3,}|_{3,}|={3,})$/u.test(bare)) {
    const above = lines[index - 1]
    if (above && isUnderlined(above, lines[index - 2], bare)) asHeading(above, bare.startsWith('=') ? 1 : 2)
    line.kind = 'mark'
  } else if (item.test(line.text.slice(0, 200))) line.kind = 'item'
}

function asHeading(line: Line, level: number): void {
  line.kind = 'heading'
  line.level = level
}

/** "Title" over "=====" of the same length. */
function isUnderlined(title: Line, before: Line | undefined, rule: string): boolean {
  const { length } = title.text.trim()
  return (
    title.kind === 'text' &&
    (before === undefined || before.kind === 'blank') &&
    /^[-=]/u.test(rule) &&
    Math.abs(rule.length - length) <= 2 &&
    !/[.!?:,;|]$/u.test(title.text)
  )
}

const marked = (words: string) =>
  new RegExp(
    `^ {0,3}(?:[-*+] |\\d{1,3}[.)] )?(?:\\*\\*|__)?(?:${words})(?: ?\\d{1,3})?(?:\\*\\*|__)?[:.)](?:\\*\\*|__)? ?\\S`,
    'iu',
  )
const asked = marked('Q|Question|Frage|Pregunta|Pergunta|Domanda|Vraag|Вопрос')
const answered = marked('A|Answer|Antwort|Respuesta|Resposta|Risposta|Réponse|Antwoord|Ответ')
/** A question takes a few lines at most. */
const mostAsked = 4

/** Questions that an answer follows: "Q: …" and "A: …", or a question in bold. */
function markQuestions(lines: readonly Line[]): void {
  for (const [index, line] of lines.entries()) {
    if (line.kind !== 'text' && line.kind !== 'item') continue
    if (asked.test(line.text.slice(0, 80)) ? isAnswered(lines, index) : isBoldQuestion(lines, index))
      line.kind = 'question'
  }
}

function isAnswered(lines: readonly Line[], index: number): boolean {
  const following = lines
    .slice(index + 1, index + 1 + 2 * mostAsked)
    .filter(({ kind }) => kind !== 'blank')
    .slice(0, mostAsked)
  const answer = following.findIndex(({ text }) => answered.test(text.slice(0, 80)))
  return (
    answer !== -1 &&
    following.slice(0, answer).every(({ kind, text }) => kind === 'text' && !asked.test(text.slice(0, 80)))
  )
}

/** Without the marks of bold type; null if it is not all in bold. */
function boldOf(text: string): string | null {
  const words = text.trim()
  const [, mark] = /^(\*\*|__)[^\s*_]/u.exec(words) ?? []
  if (mark === undefined || words.length > longestLead) return null
  const inside = words.slice(2)
  const close = inside.indexOf(mark)
  return close > 0 && /^[:.?]?$/u.test(inside.slice(close + 2))
    ? inside.slice(0, close) + inside.slice(close + 2)
    : null
}

function isBoldQuestion(lines: readonly Line[], index: number): boolean {
  const line = lines[index]
  const bold = line?.kind === 'text' ? boldOf(line.text) : null
  const next = nextOf(lines, index)
  return bold !== null && /[?？؟]$/u.test(bold) && next !== undefined && /^(?:text|item|code)$/u.test(next.kind)
}

const depends = /^["'“‘(]?(?:he|she|they|it|this|that|there|these|those|and|but|because|so|also|then|which)(?!\p{L})/iu

/** A line that names what follows: "Action items:" before a list, a caption, a line in bold. */
function isLead(lines: readonly Line[], index: number): boolean {
  const line = lines[index]
  if (line?.kind !== 'text' || line.text.length > longestLead || isCode(line.text)) return false
  const next = nextOf(lines, index)
  if (!next || next.kind === 'heading' || (next.kind === 'mark' && !isFence(next))) return false
  const words = line.text.trim()
  if (boldOf(words) !== null) return true
  if (next.kind === 'header' && next.start === line.end && /^[*_]{0,2}\p{Lu}\p{Ll}+ \d{1,3}[.:]/u.test(words))
    return true
  if (!/^(?:item|header|pair|remark|mark)$/u.test(next.kind)) return false
  return /[:：][*_]{0,3}$/u.test(words) && !/[.!?]\s/u.test(words) && !depends.test(words)
}

function isFence({ text }: Line): boolean {
  return /^\s*[`~]/u.test(text)
}
