const opening = ' (asked: “'
const closing = '”)'

/** A short answer is stored with its question in parentheses after it. */
export function askedNote(question: string): string {
  return `${opening}${question}${closing}`
}

/** The answer without its question. Not a regular expression: it would take quadratic time on a text full of such openings. */
export function withoutAskedNote(content: string): string {
  const start = content.endsWith(closing) ? content.lastIndexOf(opening) : -1
  if (start < 0 || content.slice(start + opening.length, -closing.length).includes('”')) return content
  return content.slice(0, start)
}
