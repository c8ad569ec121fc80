/** Why a text can't be kept as it is: what no store and no UTF-8 answer can carry. Undefined: it can. */
export function textProblem(text: string): string | undefined {
  if (text.includes('\0')) return 'has a NUL character'
  if (!isWellFormed(text)) return 'has half of a surrogate pair'
  return undefined
}

/** Node 20 has `String.prototype.isWellFormed`; the ES2023 library doesn't declare it yet. */
const loneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/
function isWellFormed(text: string): boolean {
  return !loneSurrogate.test(text)
}
