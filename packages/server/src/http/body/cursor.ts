import { invalid } from '../../core/errors.js'
import { isId } from '../../core/ids.js'

/**
 * Where the next page of a list begins: after the item with this time and id, or after this number. The kind names the list, so that
 * a cursor of another list is refused. Opaque to callers, and reveals nothing that the previous page did not show.
 */
type Cursor = CursorOf<Kind>

const markKinds = ['created', 'expiring', 'contradiction'] as const
const numberKinds = ['decay', 'version', 'source'] as const
type MarkKind = (typeof markKinds)[number]
type NumberKind = (typeof numberKinds)[number]
type Kind = MarkKind | NumberKind
type CursorOf<K extends Kind> = K extends MarkKind
  ? { readonly kind: K; readonly at: number; readonly id: string }
  : { readonly kind: K; readonly at: number }

/** The most common kind has no mark. */
const marks = { created: '', expiring: 'e', contradiction: 'c', decay: 'd', version: 'v', source: 's' } as const

export function writeCursor(cursor: Cursor): string {
  const text = `${marks[cursor.kind]}${cursor.at}${'id' in cursor ? `:${cursor.id}` : ''}`
  return Buffer.from(text, 'utf8').toString('base64url')
}

export function readCursor(text: string): Cursor | undefined {
  const [head = '', id, ...rest] = Buffer.from(text, 'base64url').toString('utf8').split(':')
  const [, mark, at] = /^([ecdvs]?)(0|-?[1-9][0-9]{0,15})$/.exec(head) ?? []
  const cursor = rest.length > 0 || at === undefined ? undefined : cursorOf(mark, Number(at), id)
  // Buffer ignores characters that are not base64url. A cursor must be exactly as it was issued.
  return cursor && writeCursor(cursor) === text ? cursor : undefined
}

function cursorOf(mark: string | undefined, at: number, id: string | undefined): Cursor | undefined {
  if (id === undefined) {
    const kind = numberKinds.find((each) => marks[each] === mark)
    return kind && at >= 0 && at <= 2 ** 31 ? { kind, at } : undefined
  }
  const kind = markKinds.find((each) => marks[each] === mark)
  return kind && isId(kind === 'contradiction' ? 'con' : 'mem', id) ? { kind, at, id } : undefined
}

/** The cursor of a request, which must be one of this list. Cannot be combined with a page number. */
export function cursorFor<K extends Kind>(
  query: { readonly cursor?: string | undefined; readonly page?: number | undefined },
  ...kinds: readonly K[]
): CursorOf<K> | undefined {
  if (query.cursor === undefined) return undefined
  if (query.page !== undefined) throw invalid('cursor', 'cannot be combined with page')
  const cursor = readCursor(query.cursor)
  if (!cursor || !isOneOf(cursor, kinds)) throw invalid('cursor', 'is a cursor of another list')
  return cursor
}

function isOneOf<K extends Kind>(cursor: Cursor, kinds: readonly K[]): cursor is CursorOf<K> {
  return kinds.some((kind) => kind === cursor.kind)
}
