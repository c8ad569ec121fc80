import { invalid } from '../../../core/errors.js'
import type { UserScope } from '../../../core/scope.js'
import { bytesOf } from '../../domain/quantize.js'
import { isStorableJson, storable } from '../../domain/storable-text.js'
import { type ItemPut, type NewItem, versionsOfItem } from '../../ports/item-store.js'
import { eraseEventsOfItems, type PlaceOfItem as Place, tellOfPut } from '../events/item-events.js'
import type { Session } from '../session.js'
import { requireOpenSpace } from '../spaces/spaces.js'
import { itemSize } from '../user-bytes.js'
import { UserWrite } from '../user-write.js'
import { buryItems, eraseItemRows, erasePlace } from './erase-rows.js'
import { type ItemRow, isAt, isCurrent, itemColumns, itemOf, noProject } from './item-rows.js'

type Known = ItemRow & { readonly fields: string | null }

export async function putItem(session: Session, scope: UserScope, item: NewItem): Promise<ItemPut> {
  await requireOpenSpace(session, scope)
  const write = await UserWrite.beginOrCreate(session, scope.userId)
  const place = [
    storable(scope.project ?? noProject, 'project'),
    storable(item.namespace, 'namespace'),
    storable(item.key, 'key'),
  ] as const
  const found = await write.get<Known>(
    `SELECT ${itemColumns(write.dialect)}, i.fields FROM items i WHERE i.user_id = @user AND ${isAt} AND ${isCurrent}`,
    ...place,
  )
  const isExpired = found !== undefined && found.expires_at !== null && found.expires_at <= item.now
  const known = isExpired ? undefined : found
  if (item.ifVersion !== undefined && item.ifVersion !== (known?.version ?? 0)) {
    return { outcome: 'conflict', version: known?.version ?? 0 }
  }
  if (known && isSame(known, item)) return keep(write, place, known, item)
  // An expired item has no past either.
  if (isExpired) {
    await erasePlace(write, place)
    await eraseEventsOfItems(write, [place])
  }
  const row = await insertItem(write, place, item, known)
  if (known) await trimItem(write, place)
  await write.requireRoom()
  tellOfPut(write, place, row.version, { action: known ? 'UPDATE' : 'ADD', at: item.now })
  await write.end()
  return { outcome: known ? 'updated' : 'created', item: itemOf(row) }
}

function isSame(known: Known, { value, fields, trustScore, flagged }: NewItem): boolean {
  return (
    known.value === JSON.stringify(value) &&
    known.fields === (fields && JSON.stringify(fields)) &&
    known.trust_score === trustScore &&
    Boolean(known.flagged) === flagged
  )
}

/** Only the expiry may change. */
async function keep(write: UserWrite, place: Place, known: Known, { expiresAt, now }: NewItem): Promise<ItemPut> {
  if (known.expires_at !== expiresAt) {
    await write.send(
      'UPDATE items SET expires_at = ?, revision = ? WHERE user_id = @user AND row = ?',
      expiresAt,
      write.revision,
      known.row,
    )
    tellOfPut(write, place, known.version, { action: 'UPDATE', at: now })
    await write.end()
  }
  return { outcome: 'unchanged', item: itemOf({ ...known, expires_at: expiresAt }) }
}

async function insertItem(write: UserWrite, place: Place, item: NewItem, known: Known | undefined): Promise<ItemRow> {
  if (!isStorableJson(item.value)) throw invalid('value', 'must not contain the NUL character or a lone surrogate')
  const value = JSON.stringify(item.value)
  if (known) {
    await buryItems(write, [known.row])
    await write.send(
      'UPDATE items SET valid_to = ?, vector = NULL WHERE user_id = @user AND row = ?',
      item.now,
      known.row,
    )
  }
  const [project, namespace, key] = place
  const row: ItemRow = {
    row: write.nextRow(),
    ...{ project, namespace, key, value },
    // An imported item may have a version above the revision.
    version: Math.max(write.revision, (known?.version ?? 0) + 1),
    trust_score: item.trustScore,
    flagged: item.flagged,
    created_at: known?.created_at ?? item.now,
    valid_from: item.now,
    expires_at: item.expiresAt,
  }
  const { modelId, vector } = item.embedding
    ? { modelId: item.embedding.modelId, vector: bytesOf(item.embedding.vector) }
    : { modelId: null, vector: null }
  await write.send(
    `INSERT INTO items (user_id, row, project, namespace, key, version, value, fields, trust_score, flagged, created_at,
       valid_from, valid_to, expires_at, revision, model_id, vector)
     VALUES (@user, ?, ?, ?, ?, ?, ${write.dialect.jsonValue}, ?, ?, ?, ?, ?, NULL, ?, ?, ?, ?)`,
    row.row,
    ...place,
    row.version,
    value,
    item.fields && JSON.stringify(item.fields),
    row.trust_score,
    row.flagged,
    row.created_at,
    row.valid_from,
    row.expires_at,
    write.revision,
    modelId,
    vector,
  )
  write.countBytes(itemSize(value))
  return row
}

/** Keeps the last versions. */
async function trimItem(write: UserWrite, place: Place): Promise<void> {
  const old = await write.all<{ row: number }>(
    `SELECT i.row FROM items i WHERE i.user_id = @user AND ${isAt} ORDER BY i.version DESC LIMIT 1000 OFFSET ?`,
    ...place,
    versionsOfItem,
  )
  await eraseItemRows(
    write,
    old.map(({ row }) => row),
  )
}
