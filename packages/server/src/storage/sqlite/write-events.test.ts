import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { userScope } from '../../core/scope.js'
import { mostEventsKept, revisionsBetweenTrims } from '../ports/event-log.js'
import { Database } from './database.js'
import { events } from './events.js'
import { migrate, migrations } from './migrate.js'
import { writeEvents } from './write-events.js'

it('keeps a bounded number of events of a user, and says from where on', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'keepsake-events-'))
  const db = new Database(join(directory, 'keepsake.db'))
  try {
    migrate(db, migrations, 'a test')
    const revision = revisionsBetweenTrims * 40
    db.run('INSERT INTO users (key, id, revision, next_sequence) VALUES (1, ?, ?, 1)', 'alice', revision)
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
    for (let each = revision - mostEventsKept; each < revision; each++)
      writeEvents(db, { key: 1, revision: each }, [event('old')])
    writeEvents(db, { key: 1, revision }, [event('new'), event('new')])
    db.exec('COMMIT')
    const kept = events(db, userScope('alice'), null, mostEventsKept * 2).events
    expect(kept).toHaveLength(mostEventsKept)
    expect(kept.at(-1)?.memoryId).toBe('new')
    expect(events(db, userScope('alice'), { revision: 1, position: 0 }, 1).missedUpTo?.revision).toBe(
      revision - mostEventsKept + 1,
    )
  } finally {
    db.close()
    await rm(directory, { recursive: true })
  }
})
