/** Items as portable records, one per version. */
import { notEmbedded } from '../../domain/not-embedded.js'
import type { PortableOf } from '../../ports/portable.js'
import type { FlagColumn } from '../columns.js'
import type { UserData } from '../user-data.js'
import type { UserWrite } from '../user-write.js'
import { type ItemRow, itemColumns, itemText, noProject, parsedValue } from './item-rows.js'

/** Values may have 50,000 characters. */
const itemsAtOnce = 50

type Row = ItemRow & { readonly fields: string | null; readonly valid_to: number | null; readonly flagged: FlagColumn }

export async function* readItems(user: UserData): AsyncGenerator<PortableOf<'item'>> {
  for (let after: Row | undefined; ; ) {
    const page: Row[] = await user.all<Row>(
      `SELECT ${itemColumns(user.dialect)}, i.fields, i.valid_to FROM items i
       WHERE i.user_id = @user AND (i.project, i.namespace, i.key, i.version) > (?, ?, ?, ?)
       ORDER BY i.project, i.namespace, i.key, i.version LIMIT ?`,
      after?.project ?? '',
      after?.namespace ?? '',
      after?.key ?? '',
      after?.version ?? 0,
      itemsAtOnce,
    )
    for (const row of page) yield recordOf(row)
    after = page.at(-1)
    if (!after || page.length < itemsAtOnce) return
  }
}

function recordOf(row: Row): PortableOf<'item'> {
  return {
    record: 'item',
    project: row.project === noProject ? null : row.project,
    namespace: row.namespace,
    key: row.key,
    version: row.version,
    // A value of the schema `json`.
    value: parsedValue(row.value) as PortableOf<'item'>['value'],
    // `putItem` wrote it, or an import that checked it.
    fields: row.fields === null ? null : (JSON.parse(row.fields) as string[]),
    trust_score: row.trust_score,
    flagged: Boolean(row.flagged),
    created_at: row.created_at,
    valid_from: row.valid_from,
    valid_to: row.valid_to,
    expires_at: row.expires_at,
  }
}

export async function insertItems(write: UserWrite, records: readonly PortableOf<'item'>[]): Promise<void> {
  for (const record of records) {
    const value = JSON.stringify(record.value)
    const fields = record.fields && JSON.stringify(record.fields)
    const isSearched = record.valid_to === null && itemText(value, fields) !== ''
    await write.send(
      `INSERT INTO items (user_id, row, project, namespace, key, version, value, fields, trust_score, flagged, created_at,
         valid_from, valid_to, expires_at, revision, model_id, vector)
       VALUES (@user, ?, ?, ?, ?, ?, ${write.dialect.jsonValue}, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)`,
      write.nextRow(),
      record.project ?? noProject,
      record.namespace,
      record.key,
      record.version,
      value,
      fields,
      record.trust_score,
      record.flagged,
      record.created_at,
      record.valid_from,
      record.valid_to,
      record.expires_at,
      write.revision,
      isSearched ? notEmbedded : null,
    )
  }
}
