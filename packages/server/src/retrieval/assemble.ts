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
 * each line with its line break never exceeds the budget. A token has a byte at least: as long as there are
 * fewer bytes than tokens to spend, as in most contexts, nothing is counted.
 */
export function assembleContext(items: readonly ContextItem[], maxTokens: number, countTokens: TokenCounter): string {
  const lines: string[] = []
  const uncounted: string[] = []
  let [counted, mostUncounted] = [0, 0]
  for (const item of items) {
    const line = contextLine(item)
    uncounted.push(lines.length === 0 ? line : `\n${line}`)
    mostUncounted += Buffer.byteLength(uncounted.at(-1) ?? '')
    if (counted + mostUncounted > maxTokens) {
      for (const text of uncounted.splice(0)) counted += countTokens(text)
      mostUncounted = 0
      if (counted > maxTokens) break
    }
    lines.push(line)
  }
  return lines.join('\n')
}
