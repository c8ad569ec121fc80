/**
 * What is embedded of a memory. A turn of a dialogue often makes sense only after the turn before it ("Yes, in May!"),
 * so that one is its context: after the turn itself, so that truncation takes the context, and short.
 */
const longestContext = 240

/** Dates that were put behind "yesterday": they are for readers, for words and for the time asked about. */
const datesPutIn =
  / \((?:about |week of |winter of |(?:spring|summer|autumn|fall) )?(?:\d{1,2}(?: \p{L}+)? and )?(?:\d{1,2} )?(?:\p{Lu}\p{L}+ )?\d{4}(?: to \d{4})?\)/gu

/** `before`: the turn before, as a memory would say it (`Name: text`); null where there is none. */
export function embeddingText(content: string, before: string | null): string {
  const context = before === null ? '' : shortened(before)
  const said = content.replace(datesPutIn, '')
  return context === '' ? said : `${said} (after ${context})`
}

function shortened(text: string): string {
  const start = text.trim().slice(0, longestContext)
  // Half of a surrogate pair would be another character.
  return /[\uD800-\uDBFF]$/.test(start) ? start.slice(0, -1) : start
}
