/**
 * A sentence in which what is not said in the speaker's own words is blank, place by place: quotations, code, addresses
 * and mail. What is found in it can be put back into the sentence at the same place.
 */
const foreign =
  /"[^"\n]{1,400}"|“[^”\n]{1,400}”|„[^“”\n]{1,400}[“”]|«[^»\n]{1,400}»|`[^`\n]{1,400}`|\b(?:https?:\/\/|www\.)\S+|[^\s@]{1,64}@\S{1,255}\.\p{L}{2,}/gu

export function masked(sentence: string): string {
  return sentence.replace(foreign, (part) => ' '.repeat(part.length))
}
