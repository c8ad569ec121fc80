/** The past of one memory: its versions, and the texts that it was made from. */
import type { MemoryVersion } from '../../../core/memory.js'
import type { Scope } from '../../../core/scope.js'
import type { HistoryPage, Part, Provenance } from '../../ports/memory-reads.js'
import { type OutdatedColumn, outdatedOf } from '../columns.js'
import { fitting, versionBytes } from '../page-bytes.js'
import type { Session } from '../session.js'
import { metadataOf } from './memory-rows.js'
import { identify } from './read-memories.js'

const nothing = { items: [], next: null }

type VersionRow = Omit<MemoryVersion, 'metadata' | 'outdated'> & {
  readonly metadata: string
  readonly outdated: OutdatedColumn
}

export async function history(
  session: Session,
  scope: Scope,
  memoryId: string,
  { after, limit }: HistoryPage,
): Promise<Part<MemoryVersion>> {
  const found = await identify(session, scope, memoryId)
  if (!found) return nothing
  const { dialect } = session
  // A memory may have been in another project before.
  const project = scope.kind === 'nobody' || scope.project === undefined ? [] : [scope.project]
  const sizes = await found.owner.all<{ row: number; version: number; bytes: number }>(
    `SELECT v.row, v.version, ${versionBytes(session, 'v')} AS bytes FROM versions v
     WHERE v.user_id = @user AND v.memory = ? AND v.version > ?${project.length === 0 ? '' : ' AND v.project = ?'}
     ORDER BY v.version LIMIT ?`,
    found.memory.key,
    after,
    ...project,
    limit + 1,
  )
  const shown = fitting(sizes.slice(0, limit), ({ bytes }) => bytes)
  const rows = await found.owner.all<VersionRow>(
    `SELECT version, content, ${dialect.jsonText('outdated')} AS outdated, checksum,
       ${dialect.jsonText('metadata')} AS metadata, project,
       trust_score AS "trustScore", valid_from AS "validFrom", valid_to AS "validTo", expires_at AS "expiresAt"
     FROM versions WHERE user_id = @user AND ${dialect.among('row', 'bigint')} ORDER BY version`,
    shown.map(({ row }) => row),
  )
  const items = rows.map((row) => ({ ...row, outdated: outdatedOf(row.outdated), metadata: metadataOf(row.metadata) }))
  return { items, next: sizes.length > shown.length ? (shown.at(-1)?.version ?? null) : null }
}

/** In this order a new text comes last, so a number of texts to skip stays valid. */
const oldestFirst = 'd.stored_at, d.key, o.first_segment, o.last_segment'

const segments = `FROM segments g WHERE g.user_id = d.user_id AND g.document = d.key
  AND g.position BETWEEN o.first_segment AND o.last_segment`

export async function provenance(
  session: Session,
  scope: Scope,
  memoryId: string,
  { after, limit }: HistoryPage,
): Promise<Part<Provenance>> {
  const found = await identify(session, scope, memoryId)
  if (!found) return nothing
  const read = <Row>(columns: string, most: number) =>
    found.owner.all<Row>(
      `SELECT ${columns} FROM memory_sources o JOIN documents d ON d.user_id = o.user_id AND d.key = o.document
       WHERE o.user_id = @user AND o.memory = ? ORDER BY ${oldestFirst} LIMIT ? OFFSET ?`,
      found.memory.key,
      most,
      after,
    )
  const sizes = await read<{ bytes: number }>(
    `(SELECT coalesce(sum(octet_length(g.text)), 0) ${segments}) AS bytes`,
    limit + 1,
  )
  const { length } = fitting(sizes.slice(0, limit), ({ bytes }) => bytes)
  const items = await read<Provenance>(
    `d.id AS "documentId", d.source, d.stored_at AS "storedAt",
       (SELECT coalesce(string_agg(g.text, '' ORDER BY g.position), '') ${segments}) AS text`,
    length,
  )
  return { items, next: sizes.length > length ? after + length : null }
}
