/** Output helpers: results go to standard output, remarks to standard error. */
import type { Io, Output } from './command.js'
import { isolated, jsonLine, widthOf } from './terminal-text.js'

/** Waits for a slow reader, so that a long list is never buffered in memory. */
export async function writeLine(stream: Output, text: string): Promise<void> {
  const keepsUp = stream.write(`${text}\n`)
  if (keepsUp === false && stream.once !== undefined) {
    await new Promise<void>((resolve) => stream.once?.('drain', resolve))
  }
}

/** Writes one line of JSON with the field names of the API. */
export async function writeJson(io: Io, value: object): Promise<void> {
  await writeLine(io.stdout, jsonLine(apiNames(value)))
}

/** Fields whose keys are user data. A test compares this list with the one generated for the client. */
export const openFields: ReadonlySet<string> = new Set([
  'checks',
  'filter',
  'filters',
  'metadata',
  'properties',
  'value',
])

/** Turns the client's `createdAt` back into the API's `created_at`, so that JSON output matches the API documentation. */
export function apiNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(apiNames)
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      openFields.has(name) ? inner : apiNames(inner),
    ]),
  )
}

/** `1 memory`, `2 memories`, `1,000 users`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`
}

const styles = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const

export type Paint = (style: keyof typeof styles, text: string) => string

/** Colours only on a terminal, and not if NO_COLOR is set (https://no-color.org). */
export function painterFor(io: Io, stream: Output = io.stdout): Paint {
  const { NO_COLOR: noColor, TERM: terminal } = io.env ?? {}
  if (stream.isTTY !== true || (noColor !== undefined && noColor !== '') || terminal === 'dumb')
    return (_, text) => text
  return (style, text) => `\u001b[${styles[style][0]}m${text}\u001b[${styles[style][1]}m`
}

const barWidth = 20

/** Draws a value from 0 to 1 as a bar. */
export function bar(share: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, share)) * barWidth)
  return '█'.repeat(filled) + '░'.repeat(barWidth - filled)
}

/** Pads all columns except the last, so that they line up. */
export function columns(table: readonly (readonly string[])[]): string[] {
  const rows = table.map((row) => row.map(isolated))
  const widths: number[] = []
  for (const row of rows) {
    row.forEach((cell, at) => {
      widths[at] = Math.max(widths[at] ?? 0, widthOf(cell))
    })
  }
  return rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell + ' '.repeat((widths[at] ?? 0) - widthOf(cell))))
      .join('  ')
      .trimEnd(),
  )
}
