/** The last turns of each conversation, one row per conversation. See `ports/conversations.ts`. */
import { continued, continuing, type KeptTurn, longestPauseMs } from '../../../core/conversation.js'
import type { Scope, UserScope } from '../../../core/scope.js'
import { isStorable, storable } from '../../domain/storable-text.js'
import type { ConversationTurns } from '../../ports/conversations.js'
import type { Session } from '../session.js'
import { dataOf, type UserData, usersIn } from '../user-data.js'

/** Conversations kept per user: an import may bring thousands within an hour. */
const mostConversations = 64

/** The project of a row: no project has an empty name. */
const noProject = ''

interface Row {
  readonly turns: string
  /** The last document with turns of the conversation. */
  readonly document: number | null
}

export async function lastTurns(
  session: Session,
  scope: UserScope,
  conversation: string,
  storedAfter: number,
): Promise<readonly KeptTurn[]> {
  const user = await dataOf(session, scope.userId)
  const { project = noProject } = scope
  if (!user || !isStorable(project) || !isStorable(conversation)) return []
  return turnsOf(await rowOf(user, project, conversation, storedAfter))
}

function rowOf(user: UserData, project: string, name: string, storedAfter: number): Promise<Row | undefined> {
  return user.get<Row>(
    'SELECT turns, document FROM conversations WHERE user_id = @user AND project = ? AND name = ? AND stored_at > ?',
    project,
    name,
    storedAfter,
  )
}

function turnsOf(row: Row | undefined): readonly KeptTurn[] {
  // Only `keepTurns` writes them.
  return row ? (JSON.parse(row.turns) as KeptTurn[]) : []
}

export interface OpenConversation {
  readonly project: string
  readonly name: string
  readonly turns: readonly KeptTurn[]
  /** The document with the turns that the new ones follow; null if they follow none. */
  readonly document: number | null
}

/** Part of a commit, under the user's lock: turns that another store has added since they were read stay. */
export async function openConversation(
  user: UserData,
  said: ConversationTurns | undefined,
  now: number,
): Promise<OpenConversation | null> {
  if (said === undefined) return null
  const project = said.project === null ? noProject : storable(said.project, 'project')
  const name = storable(said.name, 'conversation_id')
  const row = await rowOf(user, project, name, now - longestPauseMs)
  const kept = turnsOf(row)
  const isContinued = continuing(kept, said.turns[0]?.at ?? 0, now).length > 0
  return {
    project,
    name,
    turns: continued(kept, said.turns, now),
    document: isContinued ? (row?.document ?? null) : null,
  }
}

/** The end of the commit. `document`: where the new turns are, if they were kept. Also drops the user's old conversations. */
export async function keepTurns(
  user: UserData,
  { project, name, turns, document: before }: OpenConversation,
  document: number | null,
  now: number,
): Promise<void> {
  await user.send(
    `DELETE FROM conversations WHERE user_id = @user AND (project = ? AND name = ? OR stored_at <= ? OR stored_at < (
       SELECT c.stored_at FROM conversations c WHERE c.user_id = @user ORDER BY c.stored_at DESC LIMIT 1 OFFSET ?))`,
    project,
    name,
    now - longestPauseMs,
    mostConversations - 1,
  )
  if (turns.length === 0) return
  await user.send(
    'INSERT INTO conversations (user_id, project, name, stored_at, document, turns) VALUES (@user, ?, ?, ?, ?, ?)',
    project,
    name,
    now,
    document ?? before,
    storable(JSON.stringify(turns), 'content'),
  )
}

/** Part of an erasure: nothing that a user has erased may live on as context. */
export async function eraseConversations(user: UserData): Promise<void> {
  await user.send('DELETE FROM conversations WHERE user_id = @user')
}

/** All conversations of the scope, within its project. */
export async function emptyConversations(session: Session, scope: Scope): Promise<void> {
  const within = await usersIn(session, scope, 'conversations')
  if (!within || scope.kind === 'nobody') return
  const project = scope.project === undefined ? [] : [scope.project]
  if (!project.every(isStorable)) return
  const condition = [within.sql, ...project.map(() => 'project = ?')].join(' AND ')
  await session.run(`DELETE FROM conversations WHERE ${condition}`, ...within.values, ...project)
}

export async function dropConversations(session: Session, scope: Scope, until: number): Promise<number> {
  const within = await usersIn(session, scope, 'conversations')
  if (!within) return 0
  return session.run(`DELETE FROM conversations WHERE stored_at <= ? AND ${within.sql}`, until, ...within.values)
}
