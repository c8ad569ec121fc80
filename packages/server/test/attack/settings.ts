/** Numbers that the commands of the attack suites hand over to the tests they start. */
export function numberFrom(name: string, fallback: number): number {
  const text = process.env[name]
  if (text === undefined || text === '') return fallback
  const value = Number(text)
  if (!Number.isInteger(value) || value < 0) throw new Error(`${name}: ${text} is not a whole number`)
  return value
}
