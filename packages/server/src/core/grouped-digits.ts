/** 50000 as "50,000". Without `toLocaleString`, whose tables of languages take a start 20 ms to load. */
export function groupedDigits(wholeNumber: number): string {
  const digits = String(wholeNumber)
  const first = digits.length % 3 || 3
  const groups = [digits.slice(0, first)]
  for (let at = first; at < digits.length; at += 3) groups.push(digits.slice(at, at + 3))
  return groups.join(',')
}
