/** Turns ranked memories into the context string: one memory per line, in the order of their rank, within a token budget. */
import { isoTimestamp } from '../../core/clock.js'
import { markedText, type OutdatedPart, type PartRange } from '../../core/outdated.js'
import { isLowTrust } from '../../core/trust.js'

export type TokenCounter = (text: string) => number

export interface ContextItem {
  readonly content: string
  readonly outdated?: readonly OutdatedPart[]
  readonly createdAt: number
  readonly trustScore: number
}

// Everything that any reader may take for a line break, so that the text of a memory cannot forge a line.
const lineBreaks = /[\p{Cc}\u2028\u2029]+/gu
/** Most English text has none of these characters, so that one check replaces two. */
const plain = /^[ -~]*$/
// A model reads what people cannot see: tag characters spell hidden text, and bidirectional controls change the shown order.
const unseen = /[\u{e0000}-\u{e007f}\u202a-\u202e\u2066-\u2069]+/gu

// What a reader may take for one of our marks: a date in brackets, or "low trust" and "outdated" after a bracket.
const dateMark = /[[［【][\s\p{Cf}]{0,3}(\d{4}[\s\p{Cf}]{0,3}\p{Pd}[\s\p{Cf}]{0,3}\d{2}[^\]］】]{0,12})[\]］】]/gu
const wordMark = /[([{（［【](?=[\s\p{Cf}]{0,3}(?:low[\s\p{Cf}\p{Pd}]{0,3}trust|outdated))/giu

/** Every memory keeps its words, but only the service writes marks. Replaces one character by one, so that offsets stay valid. */
function withoutMarks(text: string): string {
  return text.replace(dateMark, (mark) => `{${mark.slice(1, -1)}}`).replace(wordMark, '{')
}

/** A bracket that closes more than the part opened would end our mark before its end. */
function withoutOpenEnds(text: string, parts: readonly PartRange[]): string {
  let result = text
  for (const { start, end } of parts) {
    let depth = 0
    const kept = [...text.slice(start, end)].map((character) => {
      if (character === '(') depth += 1
      if (character !== ')') return character
      if (depth === 0) return '}'
      depth -= 1
      return character
    })
    result = result.slice(0, start) + kept.join('') + result.slice(end)
  }
  return result
}

function contextLine({ content: whole, outdated = [], createdAt, trustScore }: ContextItem): string {
  const mark = isLowTrust(trustScore) ? '(low trust) ' : ''
  const content = markedText(withoutOpenEnds(withoutMarks(whole), outdated), outdated)
  const text = plain.test(content) ? content.trim() : content.replace(unseen, '').replace(lineBreaks, ' ').trim()
  return `[${isoTimestamp(createdAt).slice(0, 10)}] ${mark}${text}`
}

/**
 * Adds lines in order while they fit. A text has at most as many tokens as its lines together, so counting each line with its line break
 * never exceeds the budget. A token has at least one byte, so nothing is counted as long as there are fewer bytes than tokens left, as
 * in most contexts.
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
