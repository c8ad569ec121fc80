import { isId } from '../../core/ids.js'
import type { ListCursor } from '../../storage/ports/memory-reads.js'

/** Where the next page begins. Opaque to callers, and reveals nothing that the previous page did not show. */
export function writeCursor(cursor: ListCursor): string {
  return Buffer.from(`${cursor.createdAt}:${cursor.id}`, 'utf8').toString('base64url')
}

export function readCursor(text: string): ListCursor | undefined {
  const [createdAt = '', id = '', ...rest] = Buffer.from(text, 'base64url').toString('utf8').split(':')
  if (rest.length > 0 || !/^(?:0|-?[1-9][0-9]{0,15})$/.test(createdAt) || !isId('mem', id)) return undefined
  const cursor = { createdAt: Number(createdAt), id }
  // Buffer ignores characters that are not base64url. A cursor must be exactly as it was issued.
  return writeCursor(cursor) === text ? cursor : undefined
}
