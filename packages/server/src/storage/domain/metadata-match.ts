import { isDeepStrictEqual } from 'node:util'
import type { Json, Metadata } from '../../core/memory.js'

export function holdsAllOf(metadata: Metadata, wanted: readonly (readonly [string, Json])[]): boolean {
  return wanted.every(([key, value]) => Object.hasOwn(metadata, key) && isDeepStrictEqual(metadata[key], value))
}
