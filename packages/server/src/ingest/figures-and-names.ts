/** Whether a text has every number and every name of another one. A name at the beginning of a sentence looks like any word. */
export function hasFiguresAndNamesOf(content: string, other: string): boolean {
  const known = content.toLowerCase()
  const figures = other.match(/\d+(?:[.,:]\d+)*/gu) ?? []
  const names = other.match(/(?<=[\p{L}\p{N},;:)] )\p{Lu}[\p{L}\p{N}'’-]+/gu) ?? []
  return hasLabelsOf(content, other) && [...figures, ...names].every((word) => known.includes(word.toLowerCase()))
}

/** "exp A", "ward C": one capital tells a thing from another of its kind. */
const label = /(?<=\p{Ll} )(?!I(?!\p{L}))\p{Lu}(?![\p{L}\p{N}'’.+#&-])/gu

function hasLabelsOf(content: string, other: string): boolean {
  const words = new Set(content.toLowerCase().match(/[\p{L}\p{N}]+/gu))
  return (other.match(label) ?? []).every((letter) => words.has(letter.toLowerCase()))
}
