/**
 * Any text as Markdown that shows exactly this text: nothing in it becomes a heading, a rule, a link, a picture, HTML or a tag, and the
 * text can be read back unchanged. Parts that are outdated are struck through.
 */

export interface Part {
  readonly start: number
  readonly end: number
}

/** Characters that mean something anywhere in Markdown, GitHub's and Obsidian's dialects included. */
const special = /[\\`*[\]<>~|$#%{}]/
/** Control characters, line separators, and characters that hide or reverse others. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const invisible = /[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/

/** Lines for a quotation, each without the `> ` before it. */
export function markdownLines(text: string, outdated: readonly Part[] = []): string[] {
  const lines: string[] = []
  let start = 0
  for (const line of text.split('\n')) {
    const end = start + line.length
    const marks = outdated.flatMap((part) => {
      const [from, to] = [Math.max(part.start, start) - start, Math.min(part.end, end) - start]
      return from < to ? [{ from, to }] : []
    })
    lines.push(markdownLine(line, marks))
    start = end + 1
  }
  return lines
}

/** One line, for a heading. */
export function markdownWords(text: string): string {
  return markdownLine(text.replace(/\s+/g, ' ').trim(), [])
}

function markdownLine(line: string, marks: readonly { readonly from: number; readonly to: number }[]): string {
  let [written, at] = ['', 0]
  for (const { from, to } of marks) {
    written += `${between(line, at, from)}~~${between(line, from, to)}~~`
    at = to
  }
  return written + between(line, at, line.length)
}

/** Every character that `escaped` may change. Letters and digits are never among them, so most of a text is copied as it is. */
const suspicious = /[^\p{L}\p{N} ,;:'"?!]|^ | $/gu

function between(line: string, from: number, to: number): string {
  return line.slice(from, to).replace(suspicious, (found: string, offset: number) => {
    const at = from + offset
    return found.length === 1 ? escaped(line, at) : found
  })
}

function escaped(line: string, at: number): string {
  const character = line[at] ?? ''
  const isEdge = at === 0 || at === line.length - 1
  if (invisible.test(character) || (isEdge && /\s/.test(character)))
    return `&#x${character.charCodeAt(0).toString(16)};`
  if (special.test(character)) return `\\${character}`
  if (character === '_' && !isWithinWord(line, at)) return '\\_'
  if (character === '&' && /[#a-zA-Z]/.test(line[at + 1] ?? '')) return '\\&'
  if (character === '-' || character === '+' || character === '=') return at === 0 ? `\\${character}` : character
  // A number at the start of a line would begin a list.
  if (at <= 9 && (character === '.' || character === ')') && /^\d{1,9}$/.test(line.slice(0, at)))
    return `\\${character}`
  return character
}

/** `file_name` is no emphasis. */
function isWithinWord(line: string, at: number): boolean {
  return /[\p{L}\p{N}]/u.test(line[at - 1] ?? '') && /[\p{L}\p{N}]/u.test(line[at + 1] ?? '')
}

const mark = /\\([!-/:-@[-`{-~])|&#x([0-9a-fA-F]{1,6});|~~/g

/** The text that `markdownLines` wrote. */
export function textOfMarkdown(lines: readonly string[]): string {
  return lines.map(textOfLine).join('\n')
}

function textOfLine(line: string): string {
  return line.replace(mark, (whole, character?: string, code?: string) => {
    if (character !== undefined) return character
    if (code === undefined) return ''
    const number = Number.parseInt(code, 16)
    return number <= 0xffff ? String.fromCharCode(number) : whole
  })
}
