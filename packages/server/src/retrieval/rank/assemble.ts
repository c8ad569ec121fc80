/** Turns ranked memories into the context string: one memory a line, newest facts as they rank, within a token budget. */
import { isoTimestamp } from '../../core/clock.js'
import { isLowTrust } from '../../core/trust.js'

export type TokenCounter = (text: string) => number

export interface ContextItem {
  readonly content: string
  readonly createdAt: number
  readonly trustScore: number
}

// Everything that any reader may take for a line break, so that memory text can't forge a line.
const lineBreaks = /[\p{Cc}\u2028\u2029]+/gu
/** Has nothing of either kind, as most English text: one look instead of two. */
const plain = /^[ -~]*$/
// A model reads what no person sees: tag characters spell text, and bidirectional controls show it in another order.
const unseen = /[\u{e0000}-\u{e007f}\u202a-\u202e\u2066-\u2069]+/gu

function contextLine({ content, createdAt, trustScore }: ContextItem): string {
  const mark = isLowTrust(trustScore) ? '(low trust) ' : ''
  const text = plain.test(content) ? content.trim() : content.replace(unseen, '').replace(lineBreaks, ' ').trim()
  return `[${isoTimestamp(createdAt).slice(0, 10)}] ${mark}${text}`
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
