/** Stored pieces of the search index. See `ports/index-segments.ts`. */
import type { UserScope } from '../../../core/scope.js'
import { hasRowOf, joinAligned, packRows } from '../../domain/row-list.js'
import type { ChangeMark } from '../../ports/index-feed.js'
import type { IndexSegments, NewSegment, SegmentKind, SegmentPage, SegmentSpan } from '../../ports/index-segments.js'
import type { Session, Transact } from '../session.js'
import { dataOf, type UserData } from '../user-data.js'
import { UserWrite } from '../user-write.js'
import { endOfRevision } from './changes.js'

interface SpanRow {
  readonly from_revision: number
  readonly from_row: number
  readonly to_revision: number
  readonly to_row: number
  readonly versions: number
  readonly seed: number
}

const spanColumns = 'from_revision, from_row, to_revision, to_row, versions, seed'
const ofKind = 'user_id = @user AND model_id = ? AND format = ?'

/** A host that took over has the segments of the revisions that it has. */
function spanOf({ epoch: now }: Session, row: SpanRow): SegmentSpan {
  const epoch = now === undefined ? {} : { epoch: now }
  return {
    from: { revision: row.from_revision, row: row.from_row, ...epoch },
    to: { revision: row.to_revision, row: row.to_row, ...epoch },
    versions: row.versions,
    seed: row.seed,
  }
}

export async function segmentSpans(session: Session, scope: UserScope, kind: SegmentKind): Promise<SegmentSpan[]> {
  const user = await dataOf(session, scope.userId)
  const rows = await user?.all<SpanRow>(
    `SELECT ${spanColumns} FROM index_segments WHERE ${ofKind} ORDER BY from_revision, from_row`,
    kind.modelId,
    kind.format,
  )
  return (rows ?? []).map((row) => spanOf(session, row))
}

export async function segments(
  session: Session,
  scope: UserScope,
  kind: SegmentKind,
  from: ChangeMark,
  limit: number,
): Promise<SegmentPage> {
  return pageOf(session, scope, (user) =>
    user.all<SpanRow>(
      `SELECT ${spanColumns} FROM index_segments WHERE ${ofKind} AND (from_revision, from_row) >= (?, ?)
       ORDER BY from_revision, from_row LIMIT ?`,
      kind.modelId,
      kind.format,
      from.revision,
      from.row,
      limit,
    ),
  )
}

export async function segmentsBefore(
  session: Session,
  scope: UserScope,
  kind: SegmentKind,
  before: ChangeMark | undefined,
  limit: number,
): Promise<SegmentPage> {
  return pageOf(session, scope, async (user) => {
    const rows = await user.all<SpanRow>(
      `SELECT ${spanColumns} FROM index_segments WHERE ${ofKind} AND (from_revision, from_row) < (?, ?)
       ORDER BY from_revision DESC, from_row DESC LIMIT ?`,
      kind.modelId,
      kind.format,
      before?.revision ?? endOfRevision,
      before?.row ?? 0,
      limit,
    )
    return rows.reverse()
  })
}

async function pageOf(
  session: Session,
  scope: UserScope,
  read: (user: UserData) => Promise<readonly SpanRow[]>,
): Promise<SegmentPage> {
  const user = await dataOf(session, scope.userId)
  const known = await user?.get<{ revision: number; memories: number }>(
    'SELECT revision, memories FROM users WHERE user_id = @user',
  )
  if (!user || !known) return { revision: 0, memories: 0, spans: [], ...joinAligned([]) }
  const spans = (await read(user)).map((row) => spanOf(session, row))
  const marks = spans.map((span) => span.from)
  const pieces = marks.length === 0 ? [] : await session.segmentBytes(user.key, marks)
  return { ...known, spans, ...joinAligned(pieces) }
}

export async function saveSegment(
  session: Session,
  scope: UserScope,
  kind: SegmentKind,
  segment: NewSegment,
): Promise<boolean> {
  const user = await dataOf(session, scope.userId)
  // Holds the lock on the user, so that nothing is erased between the check and the insert. The revision stays as it is.
  const write = user && (await UserWrite.begin(user))
  if (!write) return false
  const { from, to, rows, seed, bytes } = segment
  const alive = await write.get<{ alive: number }>(
    `SELECT count(*) AS alive FROM versions WHERE user_id = @user AND ${write.dialect.among('row', 'bigint')}`,
    rows,
  )
  if (alive?.alive !== rows.length) return false
  await write.send(
    'DELETE FROM index_segments WHERE user_id = @user AND NOT (model_id = ? AND format = ?)',
    kind.modelId,
    kind.format,
  )
  const saved = await write.run(
    `INSERT INTO index_segments (user_id, ${spanColumns}, model_id, format, first_row, last_row, rows, bytes)
     VALUES (@user, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    from.revision,
    from.row,
    to.revision,
    to.row,
    rows.length,
    seed,
    kind.modelId,
    kind.format,
    rows.reduce((least, row) => Math.min(least, row), Number.MAX_SAFE_INTEGER),
    rows.reduce((most, row) => Math.max(most, row), 0),
    packRows(rows),
    bytes,
  )
  return saved === 1
}

export async function dropSegments(session: Session, scope: UserScope, from: ChangeMark | 'all'): Promise<void> {
  const user = await dataOf(session, scope.userId)
  if (from === 'all') await user?.send('DELETE FROM index_segments WHERE user_id = @user')
  else await user?.send(dropOne, from.revision, from.row)
}

const dropOne = 'DELETE FROM index_segments WHERE user_id = @user AND from_revision = ? AND from_row = ?'

/** A segment holds words and vectors of its versions. It goes with the first of them, in the same transaction. */
export async function dropSegmentsWith(write: UserWrite, rows: readonly number[]): Promise<void> {
  if (rows.length === 0) return
  const candidates = await write.all<{ from_revision: number; from_row: number; rows: Uint8Array }>(
    `SELECT from_revision, from_row, rows FROM index_segments
     WHERE user_id = @user AND first_row <= ? AND last_row >= ? ORDER BY from_revision, from_row`,
    rows.reduce((most, row) => Math.max(most, row), 0),
    rows.reduce((least, row) => Math.min(least, row), Number.MAX_SAFE_INTEGER),
  )
  const erased = new Set(rows)
  for (const candidate of candidates) {
    if (hasRowOf(candidate.rows, erased)) await write.send(dropOne, candidate.from_revision, candidate.from_row)
  }
}

/** @param engine - called for each transaction, because an engine sets these up after this. */
export function segmentStore(engine: () => { readonly read: Transact; readonly writeAside: Transact }): IndexSegments {
  return {
    segments: (scope, ...asked) => engine().read(scope, segments, scope, ...asked),
    segmentsBefore: (scope, ...asked) => engine().read(scope, segmentsBefore, scope, ...asked),
    segmentSpans: (scope, kind) => engine().read(scope, segmentSpans, scope, kind),
    saveSegment: (scope, kind, segment) => engine().writeAside(scope, saveSegment, scope, kind, segment),
    dropSegments: (scope, from) => engine().writeAside(scope, dropSegments, scope, from),
  }
}
