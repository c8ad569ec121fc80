/**
 * The text that is embedded for a memory. A turn of a dialogue often makes sense only after the previous turn ("Yes, in
 * May!"), so that turn is added as context: after the memory, so that truncation removes context first, and shortened.
 */
import { startOf } from '../language/words/start-of.js'

const longestContext = 240
/** A short turn says little, so the one before it is added. */
const shortTurn = 120

/** The context of a memory. `turns`: the turns before it in the form of memories (`Name: text`), nearest first. */
export function contextOf([nearest, older]: readonly string[]): string | null {
  if (nearest === undefined) return null
  return older === undefined || nearest.length > shortTurn ? nearest : `${nearest} after ${older}`
}

/** Dates inserted after "yesterday": they serve readers, keyword search and questions about a time. */
const datesPutIn =
  / \((?:about |week of |winter of |(?:spring|summer|autumn|fall) )?(?:\d{1,2}(?: \p{L}+)? and )?(?:\d{1,2} )?(?:\p{Lu}\p{L}+ )?\d{4}(?: to \d{4})?\)/gu

/** `before`: what `contextOf` returned. */
export function embeddingText(content: string, before: string | null): string {
  const context = before === null ? '' : shortened(before)
  const said = withoutDates(content)
  return context === '' ? said : `${said} (after ${context})`
}

export function withoutDates(content: string): string {
  return content.replace(datesPutIn, '')
}

function shortened(text: string): string {
  return startOf(text.trim(), longestContext)
}
