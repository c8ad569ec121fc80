import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { alice, bob, employment, Notebook } from '../contract/notebook.js'
import { backUp } from './backup.js'
import { Database } from './database.js'
import { openSqliteStorage } from './sqlite-storage.js'

describe('a backup', () => {
  let directory = ''
  let dataDir = ''
  let target = ''
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'keepsake-backup-'))
    dataDir = join(directory, 'data')
    target = join(directory, 'copy.db')
  })
  afterEach(() => rm(directory, { recursive: true }))

  /** A change that the service would never make. */
  function change(sql: string, path = join(dataDir, 'keepsake.db')): void {
    const db = new Database(path)
    db.exec(sql)
    db.close()
  }

  it('of a store in use is one file, readable for its owner alone, with all that was acknowledged', async () => {
    const storage = await openSqliteStorage({ dataDir })
    const notebook = new Notebook(storage)
    await notebook.store(alice, employment('Mary', 'Globex'), employment('John', 'Acme'))
    await notebook.store(bob, employment('Ann', 'Initech'))
    const report = backUp(dataDir, target)
    await notebook.store(bob, employment('Late', 'Comer'))
    await storage.close()
    const { size, mode } = await stat(target)
    expect(report).toEqual({ bytes: size, users: 2, memories: 3, versions: 3, mismatches: 0 })
    if (process.platform !== 'win32') expect(mode & 0o777).toBe(0o600)
    expect((await readdir(directory)).sort()).toEqual(['copy.db', 'data'])
  })

  it('does not hold what was deleted, not even in pages that are free', async () => {
    const storage = await openSqliteStorage({ dataDir })
    const notebook = new Notebook(storage)
    const id = await notebook.storeOne(alice, { content: 'xyzzy-canary' })
    await storage.forget(alice, { memoryIds: [id] })
    backUp(dataDir, target)
    await storage.close()
    const db = new Database(target)
    expect(db.get('PRAGMA freelist_count')).toEqual({ freelist_count: 0 })
    expect(db.get('SELECT count(*) AS count FROM memories')).toEqual({ count: 0 })
    db.close()
  })

  it('tells of content that does not fit its checksum, and is kept all the same', async () => {
    const storage = await openSqliteStorage({ dataDir })
    await new Notebook(storage).store(alice, employment('Mary', 'Globex'), employment('John', 'Acme'))
    await storage.close()
    change("UPDATE versions SET content = 'changed' WHERE row = (SELECT min(row) FROM versions)")
    expect(backUp(dataDir, target)).toMatchObject({ versions: 2, mismatches: 1 })
    expect((await stat(target)).size).toBeGreaterThan(0)
  })

  it('never writes over a file', async () => {
    const storage = await openSqliteStorage({ dataDir })
    await storage.close()
    await writeFile(target, 'precious')
    expect(() => backUp(dataDir, target)).toThrow('is there already')
    expect((await stat(target)).size).toBe('precious'.length)
  })

  it.each([
    ['no database', () => undefined, 'is not there'],
    ['an empty one', () => change('VACUUM'), 'is empty'],
    ['one of another program', () => change('CREATE TABLE t (x)'), 'another program'],
    [
      'one of a newer release',
      () => change('PRAGMA application_id = 0x4b656570; PRAGMA user_version = 999'),
      'newer Keepsake',
    ],
    ['no database at all', () => writeFile(join(dataDir, 'keepsake.db'), 'x'.repeat(5_000)), 'not a database'],
  ])('of %s fails with a line for the operator, and leaves nothing behind', async (_what, prepare, mention) => {
    const storage = await openSqliteStorage({ dataDir })
    await storage.close()
    await rm(join(dataDir, 'keepsake.db'))
    await prepare()
    expect(() => backUp(dataDir, target)).toThrow(
      expect.objectContaining({ operatorMessage: true, message: expect.stringContaining(mention) }),
    )
    expect(await readdir(directory)).toEqual(['data'])
  })
})
