import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { alice, bob, employment, Notebook } from '../contract/notebook.js'
import { backUp } from './backup.js'
import { Database } from './database.js'
import { openSqliteStorage } from './sqlite-storage.js'

describe('backUp', () => {
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

  it('copies a store in use into one file, readable by its owner only, with every acknowledged write', async () => {
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

  it('copies nothing that was deleted, not even free pages', async () => {
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

  it('reports content that does not match its checksum, and keeps the copy', async () => {
    const storage = await openSqliteStorage({ dataDir })
    await new Notebook(storage).store(alice, employment('Mary', 'Globex'), employment('John', 'Acme'))
    await storage.close()
    change("UPDATE versions SET content = 'changed' WHERE row = (SELECT min(row) FROM versions)")
    expect(backUp(dataDir, target)).toMatchObject({ versions: 2, mismatches: 1 })
    expect((await stat(target)).size).toBeGreaterThan(0)
  })

  it('never overwrites a file', async () => {
    const storage = await openSqliteStorage({ dataDir })
    await storage.close()
    await writeFile(target, 'precious')
    expect(() => backUp(dataDir, target)).toThrow('already exists')
    expect((await stat(target)).size).toBe('precious'.length)
  })

  it.each([
    ['a missing database', () => undefined, 'does not exist'],
    ['an empty database', () => change('VACUUM'), 'is empty'],
    ['a database of another program', () => change('CREATE TABLE t (x)'), 'another program'],
    [
      'a database of a newer release',
      () => change('PRAGMA application_id = 0x4b656570; PRAGMA user_version = 999'),
      'newer Keepsake',
    ],
    [
      'a file that is not a database',
      () => writeFile(join(dataDir, 'keepsake.db'), 'x'.repeat(5_000)),
      'not a database',
    ],
  ])('fails for %s with a message for the operator, and leaves no file behind', async (_what, prepare, mention) => {
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
