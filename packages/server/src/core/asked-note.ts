const opening = ' (asked: “'
const closing = '”)'

/** A short answer is kept with the question that it answers, in brackets behind it. */
export function askedNote(question: string): string {
  return `${opening}${question}${closing}`
}

/** What was said, without the question. No expression does it: one would cost the square of a text full of such openings. */
export function withoutAskedNote(content: string): string {
  const start = content.endsWith(closing) ? content.lastIndexOf(opening) : -1
  if (start < 0 || content.slice(start + opening.length, -closing.length).includes('”')) return content
  return content.slice(0, start)
}
