export interface GuardRule {
  readonly kind: FindingKind
  readonly weight: number
  readonly pattern: RegExp
}

type FindingKind =
  | 'instruction_override'
  | 'role_manipulation'
  | 'delimiter_injection'
  | 'exfiltration'
  | 'memory_poisoning'

const word = "[\\p{L}\\p{N}'/-]{1,24}"
/** Up to `most` words in between. */
export const gap = (most: number) => `(?:[\\s,]{1,2}${word}){0,${most}}?`

export function rule(kind: FindingKind, weight: number, source: string): GuardRule {
  return { kind, weight, pattern: new RegExp(source, 'gu') }
}
