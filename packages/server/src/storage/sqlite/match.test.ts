import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Metadata } from '../../core/memory.js'
import { matching } from '../sql/index/match.js'
import { Database, type Value } from './database.js'

import { migrate, migrations } from './migrate.js'
import { SqliteSession } from './session.js'

class RecordingDatabase extends Database {
  readonly texts = new Set<string>()

  override all<Row>(sql: string, ...values: Value[]): Row[] {
    this.texts.add(sql)
    return super.all(sql, ...values)
  }
}

it('uses one statement for any metadata filter, so that callers cannot fill memory with prepared statements', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'keepsake-match-'))
  const db = new RecordingDatabase(join(directory, 'match.db'))
  migrate(db, migrations, 'match.db')
  const session = new SqliteSession(db)
  await session.createUser('alice', 0)
  const filters: Metadata[] = [
    { a: 1 },
    { a: 'text' },
    { a: null, b: true },
    { 'a"b': 'c\u0001' },
    { a: 1, b: 2, c: 'x' },
  ]
  for (const metadata of filters) await matching(session, { kind: 'user', userId: 'alice' }, { metadata })
  expect(db.texts.size).toBe(1)
  db.close()
  rmSync(directory, { recursive: true })
})
