/** Whether a text has every number and every name of another one. A name at the beginning of a sentence looks like any word. */
export function hasFiguresAndNamesOf(content: string, other: string): boolean {
  const known = content.toLowerCase()
  const figures = other.match(/\d+(?:[.,:]\d+)*/gu) ?? []
  const names = other.match(/(?<=[\p{L}\p{N},;:)] )\p{Lu}[\p{L}\p{N}'’-]+/gu) ?? []
  return [...figures, ...names].every((word) => known.includes(word.toLowerCase()))
}
