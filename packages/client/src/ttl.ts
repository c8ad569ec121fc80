/** Named lifetimes of a memory. `permanent` also overrides the default of the service. */
export const ttlPresets = {
  session: '24h',
  conversation: '7d',
  short_term: '30d',
  long_term: '365d',
  permanent: 'permanent',
} as const

export type TtlPreset = keyof typeof ttlPresets

/** A preset, or a positive integer followed by min (minutes), h (hours), d (days), w (weeks), m or mo (months) or y (years): `7d`. */
export type Ttl = TtlPreset | (string & Record<never, never>)

export function wireTtl(ttl: Ttl | undefined): string | undefined {
  return ttl !== undefined && isPreset(ttl) ? ttlPresets[ttl] : ttl
}

function isPreset(ttl: Ttl): ttl is TtlPreset {
  return Object.hasOwn(ttlPresets, ttl)
}
