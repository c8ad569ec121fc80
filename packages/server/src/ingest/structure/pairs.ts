/** Settings: lines such as `LOG_LEVEL=debug`, and `host: db1` where it is clear that they are settings. */
import { nameKind } from '../../language/names/speaker-name.js'
import type { Line } from './line.js'

const longestPair = 1_000
const pair = /^ {0,3}(?:export |set )?([A-Za-z_][\w.-]{0,79})( ?)=( ?)(?![=>~])/u

export function isPair(text: string): boolean {
  const [, key = '', before = '', after = ''] = pair.exec(text) ?? []
  if (key === '' || text.length > longestPair) return false
  return (before === '' && after === '' && /=\S/u.test(text)) || /[_.-]|^[A-Z][A-Z0-9]*$/u.test(key)
}

/** `# mail` above settings. */
export function isRemark(text: string): boolean {
  return /^ {0,3}(?:#(?!#)|;)/u.test(text) && text.length <= 200
}

const field = /^ {0,3}([a-z][a-z0-9_.-]{0,39}): +(\S.{0,99})$/u
const setting =
  /[_.-]|^(?:host|hostname|port|username|db|database|url|uri|endpoint|region|timeout|env|environment|version|image|path|protocol|schema|driver|replicas|branch|repo)$/u

/** A sentence after a colon is no value, and somebody's name is no key. */
function keyOf(text: string): string | null {
  const [, key = '', value = ''] = field.exec(text) ?? []
  return key === '' || /[.!?]$/u.test(value) || value.split(' ').length > 6 || nameKind(key) !== null ? null : key
}

export function isCode(text: string): boolean {
  return /^(?: {4}|\t)/u.test(text)
}

export function markPairs(lines: readonly Line[]): void {
  const isTitled = lines.some(({ kind, level }) => kind === 'heading' && level > 1)
  const first = lines.findIndex(({ kind }) => kind !== 'blank')
  for (let index = 0; index < lines.length; ) {
    const end = endOfRun(lines, index, isTitled ? first : -1)
    markRun(lines.slice(index, end))
    index = Math.max(end, index + 1)
  }
  markFields(lines)
}

/** The end of the settings, remarks and blank lines that begin here. */
function endOfRun(lines: readonly Line[], from: number, title: number): number {
  let end = from
  while (end < lines.length && end !== title && mayBelong(lines[end])) end += 1
  return end
}

function mayBelong(line: Line | undefined): boolean {
  return (
    line !== undefined && (line.kind === 'blank' || mayBeRemark(line) || (line.kind === 'text' && isPair(line.text)))
  )
}

function mayBeRemark({ kind, level, text }: Line): boolean {
  return (kind === 'text' || (kind === 'heading' && level === 1)) && isRemark(text)
}

function markRun(run: readonly Line[]): void {
  if (run.filter(({ text }) => isPair(text)).length < 2) return
  for (let index = run.length - 1; index >= 0; index -= 1) {
    const [line, next] = [run[index], run[index + 1]]
    if (!line || line.kind === 'blank') continue
    if (isPair(line.text)) line.kind = 'pair'
    // A title stands apart from what it is above.
    else if (next?.kind === 'pair' || next?.kind === 'remark') line.kind = 'remark'
  }
}

/** At least three fields that stand alone, each once, and some of them surely settings. */
function markFields(lines: readonly Line[]): void {
  for (let index = 0; index < lines.length; ) {
    let end = index
    while (lines[end]?.kind === 'text' && keyOf(lines[end]?.text ?? '') !== null) end += 1
    const run = lines.slice(index, end)
    const before = lines[index - 1]
    const isApart = lines[end]?.kind !== 'text' && (before?.kind !== 'text' || /[:：][*_]{0,3}$/u.test(before.text))
    if (isApart && areSettings(run.map(({ text }) => keyOf(text) ?? ''))) for (const line of run) line.kind = 'pair'
    index = Math.max(end, index + 1)
  }
}

function areSettings(keys: readonly string[]): boolean {
  return keys.length >= 3 && new Set(keys).size === keys.length && keys.filter((key) => setting.test(key)).length > 1
}
