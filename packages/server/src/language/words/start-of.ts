/** The first characters of a text. Half of a surrogate pair would be a different character, and cannot be stored. */
export function startOf(text: string, length: number): string {
  return text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')
}
