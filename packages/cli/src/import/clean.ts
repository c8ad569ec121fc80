/** Cleans foreign text so that the service accepts it: one bad character would make it refuse the whole request. */

const loneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g

export function cleanText(text: string): string {
  return text.replaceAll('\0', '').replace(loneSurrogate, '\uFFFD').replace(/\r\n?/g, '\n').trim()
}

/** The service refuses text that consists only of white space and invisible characters. */
export function isBlank(text: string): boolean {
  return !/[^\s\p{Cc}\p{Cf}\p{Z}]/u.test(text)
}

const maxMetadataBytes = 16_384
const maxLevels = 6

/** Keeps the fields that fit, in order. A field that is too large is dropped and `metadata_cut` is set: the text matters more than its labels. */
export function cleanMetadata(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept: [string, unknown][] = []
  let [bytes, isCut] = [200, false]
  for (const [name, value] of Object.entries(fields)) {
    const key = cleanText(name)
    const cleaned = cleanValue(value, 1)
    if (key === '' || key === '__proto__' || cleaned === undefined || kept.some(([other]) => other === key)) continue
    const size = Buffer.byteLength(JSON.stringify({ [key]: cleaned }))
    if (bytes + size > maxMetadataBytes) isCut = true
    else {
      bytes += size
      kept.push([key, cleaned])
    }
  }
  if (isCut) kept.push(['metadata_cut', true])
  return Object.fromEntries(kept)
}

function cleanValue(value: unknown, level: number): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number') {
    // The service refuses numbers with more digits than a double can hold.
    return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value)) ? value : String(value)
  }
  if (typeof value !== 'object' || level >= maxLevels) return undefined
  if (Array.isArray(value)) return value.map((item) => cleanValue(item, level + 1) ?? null)
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => {
      const cleaned = cleanValue(item, level + 1)
      return cleaned === undefined || key === '__proto__' ? [] : [[cleanText(key), cleaned]]
    }),
  )
}

const written = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s*(Z|[+-]\d{2}:?\d{2})?)?/i

/** Parses Unix seconds or a date in a common notation. Undefined for anything else and for future dates. */
export function momentOf(value: unknown, nowMs: number): string | undefined {
  const ms = typeof value === 'number' ? value * 1000 : msOf(value)
  // Programs write 1970-01-01 if they don't know the time.
  if (!Number.isFinite(ms) || ms <= 86_400_000 || ms > nowMs) return undefined
  return new Date(ms).toISOString()
}

function msOf(value: unknown): number {
  const match = typeof value === 'string' ? written.exec(value.trim()) : null
  if (!match) return Number.NaN
  const [, day = '', time, zone = 'Z'] = match
  const offset = /^[+-]\d{4}$/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase()
  const ms = Date.parse(time === undefined ? `${day}T00:00:00Z` : `${day}T${time}${offset}`)
  // Date.parse turns 30 February into a day in March.
  return new Date(Date.parse(`${day}T00:00:00Z`)).toISOString().startsWith(day) ? ms : Number.NaN
}
