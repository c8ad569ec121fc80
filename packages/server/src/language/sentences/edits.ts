/** A replacement in a sentence; an insertion if both ends are equal. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Edits must not overlap. */
export function applied(sentence: string, edits: readonly Edit[]): string {
  let result = ''
  let done = 0
  for (const { start, end, text } of [...edits].sort((a, b) => a.start - b.start || a.end - b.end)) {
    result += sentence.slice(done, start) + text
    done = end
  }
  return result + sentence.slice(done)
}
