/** Turns ranked memories into the context string: one memory a line, newest facts as they rank, within a token budget. */
import { isoTimestamp } from '../core/clock.js'

export type TokenCounter = (text: string) => number

export interface ContextItem {
  readonly content: string
  readonly createdAt: number
}

// Everything that any reader may take for a line break, so that memory text can't forge a line.
const lineBreaks = /[\p{Cc}\u2028\u2029]+/gu

function contextLine(item: ContextItem): string {
  return `[${isoTimestamp(item.createdAt).slice(0, 10)}] ${item.content.replace(lineBreaks, ' ').trim()}`
}

/**
 * Lines in order while they fit. A text's tokens are at most the sum of its lines' tokens, so counting
 * each line with its line break never exceeds the budget.
 */
export function assembleContext(items: readonly ContextItem[], maxTokens: number, countTokens: TokenCounter): string {
  const lines: string[] = []
  let used = 0
  for (const item of items) {
    const line = contextLine(item)
    used += countTokens(lines.length === 0 ? line : `\n${line}`)
    if (used > maxTokens) break
    lines.push(line)
  }
  return lines.join('\n')
}
