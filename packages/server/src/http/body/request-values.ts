/** Converts values that passed their schema into the types of the service, with the last checks. */
import { invalid } from '../../core/errors.js'
import type { Json, Metadata } from '../../core/memory.js'
import { parseTtl, type Ttl } from '../../core/ttl.js'
import { parseTimestamp } from './timestamp.js'

const maxMetadataBytes = 16 * 1024
const maxMetadataDepth = 8
const maxFilters = 20
/** The clocks of machines differ a little. A time this close in the future counts as now. */
const clockSkewMs = 60_000

export function readTtl(text: string | undefined): Ttl | undefined {
  if (text === undefined) return undefined
  const ttl = parseTtl(text)
  if (ttl.kind === 'invalid') throw invalid('ttl', ttl.problem)
  return ttl
}

function readTimestamp(path: string, text: string): number {
  const ms = parseTimestamp(text)
  if (ms === undefined) throw invalid(path, 'must be an ISO 8601 timestamp')
  return ms
}

/** The `as_of` of a request, if it has one. */
export function readAsOf(text: string | undefined): { readonly asOf?: number } {
  return text === undefined ? {} : { asOf: readTimestamp('as_of', text) }
}

/** The time at which something was said. It must not be in the future. */
export function readPast(path: string, text: string, now: number): number {
  const ms = readTimestamp(path, text)
  if (ms > now + clockSkewMs) throw invalid(path, 'must not be in the future')
  return Math.min(ms, now)
}

export function readMetadata(value: Readonly<Record<string, unknown>>): Metadata {
  // Bodies come from the JSON reader, which returns nothing but JSON.
  const metadata = value as Metadata
  if (deeperThan(metadata, maxMetadataDepth)) {
    throw invalid('metadata', `must be nested at most ${maxMetadataDepth} levels deep`)
  }
  if (Buffer.byteLength(JSON.stringify(metadata)) > maxMetadataBytes) {
    throw invalid('metadata', `must be at most ${maxMetadataBytes} bytes as JSON`)
  }
  return metadata
}

export function deeperThan(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((item) => deeperThan(item, levels - 1))
}

export function readFilters<Filters extends object>(filters: Filters): Filters {
  if (Object.keys(filters).length > maxFilters) throw invalid('filters', `must have at most ${maxFilters} keys`)
  return filters
}

interface Owner {
  readonly user_id?: string | undefined
  readonly space?: string | undefined
}

/** The user and the space may be named in the body or in the URL. If both name one, they must agree. */
export function readOwner(inBody: Owner, inUrl: Owner): Owner {
  return { user_id: agreed('user_id', inBody, inUrl), space: agreed('space', inBody, inUrl) }
}

function agreed(field: keyof Owner, { [field]: inBody }: Owner, { [field]: inUrl }: Owner): string | undefined {
  if (inBody !== undefined && inUrl !== undefined && inBody !== inUrl) {
    throw invalid(field, 'differs between the body and the URL')
  }
  return inBody ?? inUrl
}
