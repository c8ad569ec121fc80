/** Why a text cannot be stored or sent as UTF-8. Undefined if it can. */
export function textProblem(text: string): string | undefined {
  if (text.includes('\0')) return 'has a NUL character'
  if (!isWellFormed(text)) return 'has an unpaired surrogate'
  return undefined
}

/** Node 20 has `String.prototype.isWellFormed`, but the ES2023 library does not declare it yet. */
const loneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/
function isWellFormed(text: string): boolean {
  return !loneSurrogate.test(text)
}
