/**
 * The source of a long regular expression, written over several lines: a line break and the indentation after it are layout and
 * not part of the expression. Backslashes are written once, as in a literal. Embedded values stay as they are.
 */
export function pattern(text: TemplateStringsArray, ...values: readonly string[]): string {
  return text.raw.map((part, index) => part.replace(/\n */gu, '') + (values[index] ?? '')).join('')
}
