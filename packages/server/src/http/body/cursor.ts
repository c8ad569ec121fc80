import { isId } from '../../core/ids.js'
import type { ListCursor } from '../../storage/ports/storage.js'

/** Opaque to callers: where the next page begins. It holds nothing that the page before did not show. */
export function writeCursor(cursor: ListCursor): string {
  return Buffer.from(`${cursor.createdAt}:${cursor.id}`, 'utf8').toString('base64url')
}

export function readCursor(text: string): ListCursor | undefined {
  const [createdAt = '', id = '', ...rest] = Buffer.from(text, 'base64url').toString('utf8').split(':')
  if (rest.length > 0 || !/^(?:0|-?[1-9][0-9]{0,15})$/.test(createdAt) || !isId('mem', id)) return undefined
  const cursor = { createdAt: Number(createdAt), id }
  // Buffer passes over characters that are not base64url; a cursor is taken only as it was given.
  return writeCursor(cursor) === text ? cursor : undefined
}
