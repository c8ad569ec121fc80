import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { userScope } from '../../core/scope.js'
import { mostEventsKept, revisionsBetweenTrims } from '../ports/event-log.js'
import { events } from '../sql/events/events.js'
import { writeEvents } from '../sql/events/write-events.js'
import { UserData } from '../sql/user-data.js'
import { Database } from './database.js'
import { migrate, migrations } from './migrate.js'
import { SqliteSession } from './session.js'

it('keeps a bounded number of events per user, and says where they begin', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'keepsake-events-'))
  const db = new Database(join(directory, 'keepsake.db'))
  try {
    migrate(db, migrations, 'a test')
    const revision = revisionsBetweenTrims * 40
    const session = new SqliteSession(db)
    db.run('INSERT INTO users (user_id, id, revision, next_row) VALUES (1, ?, ?, 1)', 'alice', revision)
    const at = (each: number) => Object.assign(new UserData(session, 1), { revision: each })
    const event = (memoryId: string) =>
      ({
        type: 'memory.stored',
        action: 'ADD',
        memoryId,
        project: null,
        checksum: null,
        relatedIds: [],
        at: 1,
      }) as const
    db.exec('BEGIN')
    for (let each = revision - mostEventsKept; each < revision; each++) await writeEvents(at(each), [event('old')])
    await writeEvents(at(revision), [event('new'), event('new')])
    db.exec('COMMIT')
    const kept = (await events(session, userScope('alice'), null, mostEventsKept * 2)).events
    expect(kept).toHaveLength(mostEventsKept)
    expect(kept.at(-1)?.memoryId).toBe('new')
    const { missedUpTo } = await events(session, userScope('alice'), { revision: 1, position: 0 }, 1)
    expect(missedUpTo?.revision).toBe(revision - mostEventsKept + 1)
  } finally {
    db.close()
    await rm(directory, { recursive: true })
  }
})
