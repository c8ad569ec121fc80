/** A short answer is kept with the question that it answers, in brackets behind it. */
export function askedNote(question: string): string {
  return ` (asked: “${question}”)`
}

const note = / \(asked: “[^”]*”\)$/u

/** What was said, without the question. */
export function withoutAskedNote(content: string): string {
  return content.endsWith('”)') ? content.replace(note, '') : content
}
