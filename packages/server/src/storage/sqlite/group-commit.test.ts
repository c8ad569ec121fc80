import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ServiceError } from '../../core/errors.js'
import { type Database, openWriter } from './database.js'
import { type Job, runBatch, runBatchWithReserve } from './group-commit.js'
import { carry, restore } from './messages.js'

describe('a group commit', () => {
  let directory = ''
  let db: Database
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'keepsake-group-'))
    db = openWriter(join(directory, 'group.db'))
    db.exec('CREATE TABLE notes (text TEXT NOT NULL UNIQUE) STRICT')
  })
  afterEach(() => {
    db.close()
    rmSync(directory, { recursive: true })
  })

  const write = (id: number, ...texts: string[]): Job => ({
    id,
    erases: false,
    async run() {
      for (const text of texts) db.run('INSERT INTO notes (text) VALUES (?)', text)
      return texts.length
    },
  })
  const kept = () => db.all<{ text: string }>('SELECT text FROM notes ORDER BY text').map((note) => note.text)

  it('undoes a failing write completely, and no other', async () => {
    const { outcomes } = await runBatch(db, [write(1, 'a'), write(2, 'b', 'a'), write(3, 'c')])
    expect(outcomes).toMatchObject([
      { id: 1, value: 1 },
      { id: 2, error: { message: expect.stringContaining('UNIQUE') } },
      { id: 3, value: 1 },
    ])
    expect(kept()).toEqual(['a', 'c'])
  })

  it('acknowledges nothing when the disk is full, and says that a retry may help', async () => {
    await runBatch(db, [write(1, 'before')])
    const pages = db.get<{ page_count: number }>('PRAGMA page_count')?.page_count ?? 0
    db.exec(`PRAGMA max_page_count = ${pages + 2}`)
    const { outcomes } = await runBatch(db, [write(2, 'x'.repeat(100_000)), write(3, 'small')])
    const failed = outcomes.flatMap((outcome) => ('error' in outcome ? [outcome] : []))
    expect(failed.map((outcome) => outcome.id)).toContain(2)
    for (const outcome of failed) {
      const error = restore(carry(outcome.error))
      expect(error).toBeInstanceOf(ServiceError)
      expect(error).toMatchObject({ code: 'unavailable', status: 503, retryAfterSeconds: 5 })
      expect(error.message).toContain('disk is full')
    }
    const acknowledged = outcomes.flatMap((outcome) => ('value' in outcome ? [outcome.id] : []))
    expect(kept()).toEqual(acknowledged.includes(3) ? ['before', 'small'] : ['before'])
    db.exec('PRAGMA max_page_count = 100000')
    expect((await runBatch(db, [write(4, 'after')])).outcomes).toEqual([{ id: 4, value: 1 }])
  })

  describe('with space reserved for erasing', () => {
    /** The disk is full until the reserve is released, and full again once the reserve is refilled. */
    const smallDisk = async () => {
      await runBatch(db, [write(1, 'before')])
      const pages = db.get<{ page_count: number }>('PRAGMA page_count')?.page_count ?? 0
      const limit = (to: number) => db.exec(`PRAGMA max_page_count = ${to}`)
      limit(pages + 1)
      const told: string[] = []
      const reserve = {
        giveUp: () => {
          told.push('given up')
          limit(100_000)
        },
        fill: () => {
          told.push('filled')
        },
      }
      return { reserve, told }
    }
    const large = 'x'.repeat(100_000)
    const erase = (id: number): Job => ({ ...write(id, large), erases: true })

    it('erases on a full disk, and refuses other writes', async () => {
      const { reserve, told } = await smallDisk()
      const { outcomes, erased } = await runBatchWithReserve(db, [write(2, `${large}y`), erase(3)], reserve)
      expect(outcomes).toMatchObject([
        { id: 2, error: {} },
        { id: 3, value: 1 },
      ])
      expect(erased).toBe(true)
      expect(kept()).toEqual(['before', large])
      expect(told).toEqual(['given up', 'filled'])
    })

    it('keeps the reserve when no write erases', async () => {
      const { reserve, told } = await smallDisk()
      expect((await runBatchWithReserve(db, [write(2, large)], reserve)).outcomes).toMatchObject([{ id: 2, error: {} }])
      expect(told).toEqual([])
    })
  })
})
