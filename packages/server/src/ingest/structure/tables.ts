/** Tables in Markdown. */
import type { Line } from './line.js'

const longestHeader = 300

export function markTables(lines: readonly Line[]): void {
  for (const [index, line] of lines.entries()) {
    const header = lines[index - 1]
    if (line.kind !== 'text' || header?.kind !== 'text' || !isUnderHeader(line.text)) continue
    // Every row repeats the names.
    if (header.text.length > longestHeader) continue
    if (cellsOf(header.text).length !== cellsOf(line.text).length) continue
    header.kind = 'header'
    line.kind = 'mark'
    for (const row of lines.slice(index + 1, endOfRows(lines, index + 1))) row.kind = 'row'
  }
}

function endOfRows(lines: readonly Line[], from: number): number {
  let end = from
  while (lines[end]?.kind === 'text' && lines[end]?.text.includes('|')) end += 1
  return end
}

function isUnderHeader(text: string): boolean {
  return text.includes('|') && /^[\s|:-]+$/u.test(text) && cellsOf(text).every((cell) => /^:?-+:?$/u.test(cell))
}

function cellsOf(row: string): string[] {
  const inside = row
    .trim()
    .replace(/^\|/u, '')
    .replace(/(?<!\\)\|$/u, '')
  return inside.split(/(?<!\\)\|/u).map((cell) => cell.trim())
}

/** "Env: dev; URL: dev.acme.io": a row with the names of its columns. */
export function rowWithNames(header: string, row: string): string {
  const names = cellsOf(header).map(plain)
  return cellsOf(row)
    .flatMap((cell, column) => {
      const value = cell.replace(/\\\|/gu, '|')
      const name = names[column] ?? ''
      return value === '' ? [] : [name === '' ? value : `${name}: ${value}`]
    })
    .join('; ')
}

function plain(name: string): string {
  return name
    .replace(/^[*_`]{1,3}/u, '')
    .replace(/[*_`]{1,3}$/u, '')
    .replace(/:$/u, '')
    .trim()
}
