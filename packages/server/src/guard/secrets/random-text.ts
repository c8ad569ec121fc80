/** Whether a value looks like a generated secret. Random characters are recognised by how seldom they repeat. */
const bitsPerCharacter = 3

export function isRandom(value: string): boolean {
  if (value.length < 16 || value.includes('://')) return false
  // An address on a blockchain is public.
  if (/^0x[0-9a-f]{40}$/i.test(value)) return false
  return /\d/.test(value) && /[a-z]/i.test(value) && entropyOf(value) >= bitsPerCharacter
}

/** Such as `ghp_xxxxxxxx` in a manual. */
export function isPlaceholder(value: string): boolean {
  return new Set(value.slice(-16)).size < 5
}

function entropyOf(value: string): number {
  const counts = new Map<string, number>()
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length)
  return bits
}
