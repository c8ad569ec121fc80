/**
 * A sentence with everything blanked that is not in the speaker's own words: quotations, code, URLs and email
 * addresses. Positions stay the same, so findings apply to the original sentence.
 */
const foreign =
  /"[^"\n]{1,400}"|“[^”\n]{1,400}”|„[^“”\n]{1,400}[“”]|«[^»\n]{1,400}»|`[^`\n]{1,400}`|\b(?:https?:\/\/|www\.)\S+|[^\s@]{1,64}@\S{1,255}\.\p{L}{2,}/gu

export function masked(sentence: string): string {
  return sentence.replace(foreign, (part) => ' '.repeat(part.length))
}
