/** Reads a number that a command of the attack suites passes to its tests. */
export function numberFrom(name: string, fallback: number): number {
  const text = process.env[name]
  if (text === undefined || text === '') return fallback
  const value = Number(text)
  if (!Number.isInteger(value) || value < 0) throw new Error(`${name}: ${text} is not a whole number`)
  return value
}
