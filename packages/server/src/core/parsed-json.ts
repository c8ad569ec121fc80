/** Undefined where the text is no JSON: what stands in it has to be checked anyway. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
