/** The marks that replace secrets. */
import { secretFormats } from './formats.js'

const kinds = new Set([
  ...secretFormats.map(({ kind }) => kind),
  'private key',
  'database password',
  'password in a URL',
  'basic authentication',
  'bearer token',
  'password',
  'API key',
  'secret token',
])

export function markOf(kind: string): string {
  return `[redacted: ${kind}]`
}

/** Blanks instead of marks, at the same positions: a mark is our own text, and no guard needs to judge it. */
export function withoutMarks(text: string): string {
  return text.replace(/\[redacted: ([\w. ]{3,30})\]/g, (mark, kind: string) =>
    kinds.has(kind) ? ' '.repeat(mark.length) : mark,
  )
}
