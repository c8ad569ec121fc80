import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { liveFully } from '../contract/full-life.js'
import { leftOut, recordFields } from '../contract/portable-columns.js'
import type { PortableRecord } from '../ports/portable.js'
import { Database } from './database.js'
import { openSqlitePortableReader } from './portable-read.js'
import { openSqlitePortableWriter } from './portable-write.js'
import { openSqliteStorage } from './sqlite-storage.js'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'keepsake-portable-'))
})
afterEach(async () => {
  await rm(dataDir, { recursive: true })
})

interface Column {
  readonly table: string
  readonly column: string
}

const columnsOf = (db: Database) =>
  db.all<Column>(
    `SELECT t.name AS "table", c.name AS "column" FROM sqlite_schema t, pragma_table_info(t.name) c
     WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`,
  )

describe('portable records of SQLite', () => {
  it('contain every column that is not listed as an exception with a reason', async () => {
    const storage = await openSqliteStorage({ dataDir })
    await liveFully(storage)
    const db = new Database(join(dataDir, 'keepsake.db'), { readOnly: true })
    const columns = columnsOf(db)
    const names = columns.map(({ table, column }) => `${table}.${column}`)
    expect(names.filter((name) => !(name in recordFields) && !(name in leftOut))).toEqual([])
    // No table may be empty, or the tests of the export would prove little.
    const empty = columns.filter(
      ({ table, column }) =>
        !(`${table}.${column}` in leftOut) && !db.get(`SELECT 1 FROM ${table} WHERE "${column}" IS NOT NULL`),
    )
    expect(empty).toEqual([])
    db.close()
    await storage.close()
    const fields = fieldsOf(await recordsOf())
    const untrue = Object.values(recordFields).filter((field) => !fields.has(field))
    expect(untrue).toEqual([])
  })

  it('are neither written to a directory in use nor read from one with a lock', async () => {
    const storage = await openSqliteStorage({ dataDir })
    expect(() => openSqlitePortableWriter(dataDir)).toThrow(/in use by another Keepsake process/)
    expect(() => openSqlitePortableReader({ dataDir, locked: true })).toThrow(/in use by another Keepsake process/)
    await storage.close()
    const reader = openSqlitePortableReader({ dataDir, locked: true })
    await expect(openSqliteStorage({ dataDir })).rejects.toThrow(/in use/)
    await reader.close()
    await (await openSqliteStorage({ dataDir })).close()
  })

  it('are neither read from nor written to anything but a store of this release', async () => {
    expect(() => openSqlitePortableReader({ dataDir })).toThrow(/does not exist/)
    await writeFile(
      join(dataDir, 'keepsake.db'),
      'not a database at all, and much longer than the header of an SQLite file is',
    )
    expect(() => openSqlitePortableReader({ dataDir })).toThrow(/not a database/)
    expect(() => openSqlitePortableWriter(dataDir)).toThrow(/not a database/)
    await rm(join(dataDir, 'keepsake.db'))
    await (await openSqliteStorage({ dataDir })).close()
    const db = new Database(join(dataDir, 'keepsake.db'))
    db.exec('PRAGMA user_version = 2')
    db.close()
    expect(() => openSqlitePortableReader({ dataDir })).toThrow(/older Keepsake/)
  })

  it('that refer to missing rows are reported at the end', async () => {
    const writer = openSqlitePortableWriter(dataDir)
    await writer.begin('source')
    await writer.write([
      { record: 'user', id: 'alice', numbers: 5, entities: 3, expiry_told: 0 },
      {
        ...{ record: 'relationship', id: 'rel_1', source: 1, target: 2, type: 'KNOWS', valid_from: 0, valid_to: null },
        ...{ told_at: 0, exclusive: false, tellings: [], ends: [] },
      },
    ])
    await expect(writer.finish()).rejects.toThrow('relationships refer to entities that do not exist')
    await writer.close()
  })
})

async function recordsOf(): Promise<PortableRecord[]> {
  const reader = openSqlitePortableReader({ dataDir })
  const records: PortableRecord[] = []
  for await (const record of reader.read({ vectors: true, keys: true })) records.push(record)
  await reader.close()
  return records
}

/** Paths such as `version.mentions.entity`. Keys inside a user's JSON are not fields. */
function fieldsOf(records: readonly PortableRecord[]): Set<string> {
  const fields = new Set<string>()
  const visit = (value: unknown, path: string): void => {
    if (Array.isArray(value)) for (const each of value) visit(each, path)
    else {
      fields.add(path)
      if (typeof value !== 'object' || value === null || /metadata$|properties$|reason$/.test(path)) return
      for (const [name, inner] of Object.entries(value)) visit(inner, `${path}.${name}`)
    }
  }
  for (const record of records) visit(record, record.record)
  return fields
}
