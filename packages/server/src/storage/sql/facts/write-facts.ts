import type { StatedFact } from '../../../core/fact.js'
import type { UserScope } from '../../../core/scope.js'
import { storable } from '../../domain/storable-text.js'
import type { ReadContent } from '../../ports/facts.js'
import type { Session } from '../session.js'
import { statement } from '../statement.js'
import { dataOf } from '../user-data.js'
import { UserWrite } from '../user-write.js'

const columns = {
  version: 'bigint',
  number: 'bigint',
  start: 'bigint',
  stop: 'bigint',
  subject: 'text',
  about: 'text',
  value: 'text',
  topic: 'text',
  confidence: 'double precision',
} as const
const names = Object.keys(columns)

/** A version that was erased meanwhile gets no facts. Versions that repeat a content share the facts of the first. */
const insertFacts = statement(
  ({ rows }) =>
    `INSERT INTO facts (user_id, memory, current, ${names.join(', ')})
     SELECT v.user_id, v.memory, v.checksum = latest.checksum, ${names.map((name) => `f.${name}`).join(', ')}
     FROM ${rows('f', columns)} JOIN versions v ON v.user_id = @user AND v.row = f.version
       JOIN memories m ON m.user_id = v.user_id AND m.key = v.memory
       JOIN versions latest ON latest.user_id = m.user_id AND latest.row = m.current_row`,
)

/** The facts of a new content; those of the memory's earlier content are no longer current. */
export async function replaceFacts(
  write: UserWrite,
  { row, memory, version }: { readonly row: number; readonly memory: number; readonly version: number },
  facts: readonly StatedFact[] | undefined,
): Promise<void> {
  if (version > 1) {
    await write.send('UPDATE facts SET current = FALSE WHERE user_id = @user AND memory = ? AND current', memory)
  }
  if (facts) await insert(write, [{ row, facts }])
  else await write.send('UPDATE users SET facts_model = NULL WHERE user_id = @user')
}

async function insert(write: UserWrite, contents: readonly ReadContent[]): Promise<void> {
  const rows = contents.flatMap(({ row, facts }) =>
    facts.map((fact, number) => ({
      ...fact,
      version: row,
      number,
      subject: fact.subject === null ? null : storable(fact.subject, 'subject'),
      about: storable(fact.about, 'about'),
      value: storable(fact.value, 'value'),
    })),
  )
  if (rows.length > 0) await write.send(insertFacts(write), JSON.stringify(rows))
}

/** All contents of a new user are read by the model that read the first one. */
export async function markFirstRead(write: UserWrite, modelId: string | undefined): Promise<void> {
  if (write.revision !== 1 || modelId === undefined) return
  await write.send('UPDATE users SET facts_model = ? WHERE user_id = @user', modelId)
}

export async function writeFacts(
  session: Session,
  { userId }: UserScope,
  modelId: string,
  contents: readonly ReadContent[],
  isLast: boolean,
): Promise<void> {
  const user = await dataOf(session, userId)
  const write = user && (await UserWrite.begin(user))
  if (!write) return
  const rows = contents.map(({ row }) => row)
  if (rows.length > 0) {
    await write.send(
      `DELETE FROM facts WHERE user_id = @user AND ${write.dialect.among('version', 'bigint')} AND memory IN (
         SELECT v.memory FROM versions v WHERE v.user_id = @user AND ${write.dialect.among('v.row', 'bigint')})`,
      rows,
      rows,
    )
  }
  await insert(write, contents)
  if (isLast) await write.send('UPDATE users SET facts_model = ? WHERE user_id = @user', modelId)
}
