/** Values of requests about items, after their schema. */

import { invalid } from '../../core/errors.js'
import { groupedDigits } from '../../core/grouped-digits.js'
import {
  deepestValue,
  type IndexedFields,
  type ItemPlace,
  itemKeyProblem,
  longestValue,
  namespaceProblem,
} from '../../core/item.js'
import type { Json } from '../../core/memory.js'
import type { ItemBelow } from '../../storage/ports/item-store.js'
import { deeperThan } from './request-values.js'
import { charactersExceed } from './text-formats.js'

/** The names in a path, which no schema has checked. */
export function readPlace({ namespace, key }: ItemPlace): ItemPlace {
  const inNamespace = namespaceProblem(namespace)
  if (inNamespace !== undefined) throw invalid('namespace', inNamespace)
  const inKey = itemKeyProblem(key)
  if (inKey !== undefined) throw invalid('key', inKey)
  return { namespace, key }
}

export function readValue(value: unknown): Json {
  if (value === undefined) throw invalid('value', 'is required')
  // Bodies come from the JSON reader, which returns nothing but JSON.
  const json = value as Json
  if (deeperThan(json, deepestValue)) throw invalid('value', `must be nested at most ${deepestValue} levels deep`)
  if (charactersExceed(JSON.stringify(json), longestValue)) {
    throw invalid('value', `must have at most ${groupedDigits(longestValue)} characters as JSON`)
  }
  return json
}

export function readIndex(index: boolean | readonly string[] | undefined): IndexedFields {
  if (index === undefined || index === true) return null
  return index === false ? [] : index
}

export function readBelow(named: {
  readonly namespace?: string | undefined
  readonly prefix?: string | undefined
}): ItemBelow | undefined {
  const { namespace, prefix } = named
  if (namespace !== undefined && prefix !== undefined) throw invalid('prefix', 'cannot be combined with namespace')
  if (namespace !== undefined) return { namespace }
  return prefix === undefined ? undefined : { prefix }
}

/** Opaque to callers, and reveals nothing that the previous page did not show. */
export function writeItemCursor({ namespace, key }: ItemPlace): string {
  return Buffer.from(JSON.stringify([namespace, key]), 'utf8').toString('base64url')
}

export function readItemCursor(cursor: string): ItemPlace {
  const place = placeIn(Buffer.from(cursor, 'base64url').toString('utf8'))
  // Buffer ignores characters that are not base64url. A cursor must be exactly as it was issued.
  if (!place || writeItemCursor(place) !== cursor) throw invalid('cursor', 'is not a cursor of this list')
  return place
}

function placeIn(text: string): ItemPlace | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    if (!Array.isArray(parsed) || parsed.length !== 2) return undefined
    const [namespace, key]: readonly unknown[] = parsed
    return typeof namespace === 'string' && typeof key === 'string' ? { namespace, key } : undefined
  } catch {
    // Not JSON: not a cursor of ours.
    return undefined
  }
}
