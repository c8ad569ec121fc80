/** Undefined where the text is not JSON: the caller has to check the value anyway. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
