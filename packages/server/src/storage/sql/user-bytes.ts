/**
 * What a user's rows take up: texts, metadata, and a fixed amount per version for its vector and index entries. `users.bytes` changes
 * in the transaction that adds or erases the rows, under the lock of the user's row, so it cannot drift. While there is no limit,
 * every write resets it, and the first write under a limit counts once.
 */
import type { UserData } from './user-data.js'

const perVersion = 2_048

export function versionSize(content: string, metadataJson: string): number {
  return perVersion + Buffer.byteLength(content) + Buffer.byteLength(metadataJson)
}

/** Likewise for a version of an item. */
export function itemSize(valueJson: string): number {
  return perVersion + Buffer.byteLength(valueJson)
}

export function textSize(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}

/** Everything of the user, or only these versions. */
export async function versionBytesOf(user: UserData, rows?: readonly number[]): Promise<number> {
  const { dialect } = user
  const found = await user.get<{ bytes: number }>(
    `SELECT CAST(coalesce(sum(${perVersion} + octet_length(content) + octet_length(${dialect.jsonText('metadata')})), 0) AS bigint)
       AS bytes FROM versions WHERE user_id = @user ${rows ? `AND ${dialect.among('row', 'bigint')}` : ''}`,
    ...(rows ? [rows] : []),
  )
  return found?.bytes ?? 0
}

/** Everything of the user, or only the segments of these documents. */
export async function segmentBytesOf(user: UserData, documents?: readonly number[]): Promise<number> {
  const found = await user.get<{ bytes: number }>(
    `SELECT CAST(coalesce(sum(octet_length(text)), 0) AS bigint) AS bytes FROM segments
     WHERE user_id = @user ${documents ? `AND ${user.dialect.among('document', 'bigint')}` : ''}`,
    ...(documents ? [documents] : []),
  )
  return found?.bytes ?? 0
}

/** Everything of the user, or only these versions of items. */
export async function itemBytesOf(user: UserData, rows?: readonly number[]): Promise<number> {
  const { dialect } = user
  const found = await user.get<{ bytes: number }>(
    `SELECT CAST(coalesce(sum(${perVersion} + octet_length(${dialect.jsonText('value')})), 0) AS bigint) AS bytes FROM items
     WHERE user_id = @user ${rows ? `AND ${dialect.among('row', 'bigint')}` : ''}`,
    ...(rows ? [rows] : []),
  )
  return found?.bytes ?? 0
}
