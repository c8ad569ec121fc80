/**
 * Reads pending texts, spaces, webhooks and keys as portable records. They are keyed by the external user id and come after all users,
 * because a user may have them before the first memory.
 */
import type { PortableOf, PortableSelection } from '../../ports/portable.js'
import { type FlagColumn, type TextsColumn, textsOf } from '../columns.js'
import type { SightedSession } from './rows.js'

export async function* readPending(
  session: SightedSession,
  selection: PortableSelection,
): AsyncGenerator<PortableOf<'pending'>> {
  for (const userId of await usersWithPending(session, selection)) {
    await session.see({ kind: 'user', userId })
    for (let after = ''; ; ) {
      // One at a time: a text may be as large as a request.
      const row = await session.get<Omit<PortableOf<'pending'>, 'record'>>(
        `SELECT user_id AS "user", id, project, payload FROM inbox WHERE user_id = ? AND id > ? ORDER BY id LIMIT 1`,
        userId,
        after,
      )
      if (!row) break
      yield { record: 'pending', ...row }
      after = row.id
    }
  }
}

async function usersWithPending(session: SightedSession, { user }: PortableSelection): Promise<string[]> {
  if (user !== undefined) return [user]
  await session.see('totals')
  const rows = await session.all<{ id: string }>('SELECT DISTINCT user_id AS id FROM inbox ORDER BY user_id')
  return rows.map(({ id }) => id)
}

const spacesAtOnce = 200

/** All of them, or the one that is selected like a user. Memberships of one user are part of no archive of that user alone. */
export async function* readSpaces(
  session: SightedSession,
  { user }: PortableSelection,
): AsyncGenerator<PortableOf<'space'>> {
  await session.see(user === undefined ? 'totals' : { kind: 'user', userId: user })
  for (let after = ''; ; ) {
    const page = await session.all<Omit<PortableOf<'space'>, 'record' | 'members'>>(
      `SELECT user_id AS id, name, created_at FROM spaces
       WHERE ${user === undefined ? 'TRUE' : 'user_id = ?'} AND user_id > ? ORDER BY user_id LIMIT ?`,
      ...(user === undefined ? [] : [user]),
      after,
      spacesAtOnce,
    )
    for (const row of page) yield { record: 'space', ...row, members: await membersOf(session, row.id) }
    const last = page.at(-1)
    if (!last || page.length < spacesAtOnce) return
    after = last.id
  }
}

async function membersOf(session: SightedSession, spaceId: string): Promise<PortableOf<'space'>['members']> {
  const rows = await session.all<
    Omit<PortableOf<'space'>['members'][number], 'founded'> & { readonly founded: FlagColumn }
  >('SELECT user_id AS "user", role, founded, joined_at FROM memberships WHERE space = ? ORDER BY user_id', spaceId)
  return rows.map(({ user, role, founded, joined_at }) => ({ user, role, founded: Boolean(founded), joined_at }))
}

type WebhookRow = Omit<PortableOf<'webhook'>, 'record' | 'types'> & { readonly types: TextsColumn }

const webhooksAtOnce = 200

export async function* readWebhooks(
  session: SightedSession,
  { user }: PortableSelection,
): AsyncGenerator<PortableOf<'webhook'>> {
  await session.see(user === undefined ? 'totals' : { kind: 'user', userId: user })
  for (let after = ''; ; ) {
    const page = await session.all<WebhookRow>(
      `SELECT id, user_id AS "user", url, types, project, secret, created_at, created_by
       FROM webhooks WHERE ${user === undefined ? 'TRUE' : 'user_id = ?'} AND id > ? ORDER BY id LIMIT ?`,
      ...(user === undefined ? [] : [user]),
      after,
      webhooksAtOnce,
    )
    for (const row of page) yield { record: 'webhook', ...row, types: [...textsOf(row.types)] }
    const last = page.at(-1)
    if (!last || page.length < webhooksAtOnce) return
    after = last.id
  }
}

const keysAtOnce = 1_000

export async function* readKeys(
  session: SightedSession,
  { user }: PortableSelection,
): AsyncGenerator<PortableOf<'key'>> {
  await session.see('keys')
  for (let after = ''; ; ) {
    const page = await session.all<Omit<PortableOf<'key'>, 'record'>>(
      `SELECT id, user_id AS "user", name, preview, hash, created_at, last_used_at, revoked_at,
         access, project, expires_at, user_prefix
       FROM keys WHERE ${user === undefined ? 'TRUE' : 'user_id = ?'} AND id > ? ORDER BY id LIMIT ?`,
      ...(user === undefined ? [] : [user]),
      after,
      keysAtOnce,
    )
    for (const row of page) yield { record: 'key', ...row }
    const last = page.at(-1)
    if (!last || page.length < keysAtOnce) return
    after = last.id
  }
}
