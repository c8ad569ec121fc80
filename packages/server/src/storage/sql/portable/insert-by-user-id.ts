/** Inserts pending texts, spaces, webhooks and keys, which are keyed by the external user id. */
import { endOf } from '../../../core/memory-event.js'
import type { PortableOf } from '../../ports/portable.js'
import { dataOf } from '../user-data.js'
import type { SightedSession } from './rows.js'

export async function insertPending(session: SightedSession, records: readonly PortableOf<'pending'>[]): Promise<void> {
  for (const { user, id, project, payload } of records) {
    await session.see({ kind: 'user', userId: user })
    await session.send(
      'INSERT INTO inbox (user_id, id, project, payload) VALUES (?, ?, ?, ?)',
      user,
      id,
      project,
      payload,
    )
  }
}

export async function insertSpaces(session: SightedSession, records: readonly PortableOf<'space'>[]): Promise<void> {
  for (const { id, name, created_at, members } of records) {
    await session.see({ kind: 'user', userId: id })
    await session.send(
      'INSERT INTO spaces (user_id, name, created_at, closing) VALUES (?, ?, ?, FALSE)',
      id,
      name,
      created_at,
    )
    for (const { user, role, founded, joined_at } of members) {
      await session.send(
        'INSERT INTO memberships (user_id, space, role, founded, joined_at) VALUES (?, ?, ?, ?, ?)',
        user,
        id,
        role,
        founded,
        joined_at,
      )
    }
  }
}

/** A webhook starts after the imported memories: its receiver already knows them. */
export async function insertWebhooks(
  session: SightedSession,
  records: readonly PortableOf<'webhook'>[],
): Promise<void> {
  for (const record of records) {
    await session.see({ kind: 'user', userId: record.user })
    const user = await dataOf(session, record.user)
    const known = await user?.get<{ revision: number }>('SELECT revision FROM users WHERE user_id = @user')
    const { revision, position } = endOf(known?.revision ?? 0)
    await session.send(
      `INSERT INTO webhooks (user_id, id, url, types, project, secret, created_at, created_by, revision, position)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      record.user,
      record.id,
      record.url,
      record.types,
      record.project,
      record.secret,
      record.created_at,
      record.created_by,
      revision,
      position,
    )
  }
}

const columns = {
  id: 'text',
  user_id: 'text',
  name: 'text',
  preview: 'text',
  hash: 'text',
  created_at: 'bigint',
  last_used_at: 'bigint',
  revoked_at: 'bigint',
  access: 'text',
  project: 'text',
  expires_at: 'bigint',
  user_prefix: 'text',
} as const

const withoutLimits = { project: null, expires_at: null, access: 'full', user_prefix: null }

export async function insertKeys(session: SightedSession, records: readonly PortableOf<'key'>[]): Promise<void> {
  await session.see('keys')
  const names = Object.keys(columns)
  await session.send(
    `INSERT INTO keys (${names.join(', ')})
     SELECT ${names.map((name) => `x.${name}`).join(', ')} FROM ${session.dialect.rows('x', columns)}`,
    JSON.stringify(records.map((record) => ({ ...withoutLimits, ...record, user_id: record.user }))),
  )
}
