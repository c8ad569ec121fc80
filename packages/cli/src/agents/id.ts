import { createHash } from 'node:crypto'

/** The same for the same parts. */
export function idOf(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\u0000')).digest('hex').slice(0, 32)
}
