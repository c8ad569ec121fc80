const mostDays = 100
const farthest = 36_500

/** Reads a list such as `7,30,90`. Undefined if the text is not such a list. */
export function readDays(text: string): number[] | undefined {
  const parts = text.split(',', mostDays + 1)
  if (parts.length > mostDays || !parts.every((part) => /^[0-9]{1,5}$/.test(part))) return undefined
  const days = parts.map(Number)
  return days.every((day) => day <= farthest) ? days : undefined
}
