import { execFile } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { alice, bob, employment, Notebook, start } from '../contract/notebook.js'
import type { Storage } from '../ports/storage.js'
import { openSqliteStorage } from './sqlite-storage.js'
import { markerOf, VacuumPlan, vacuumDirectory } from './vacuum.js'

describe('the vacuum plan', () => {
  const settings = { quietMs: 10, latestMs: 100, maxBytes: 1 }

  it('waits for a quiet moment after an erasure, and never runs without one', () => {
    const plan = new VacuumPlan(settings)
    plan.wrote(0)
    expect(plan.waitMs(1_000)).toBeUndefined()
    plan.erased(1_000)
    expect(plan.waitMs(1_000)).toBe(10)
    plan.wrote(1_008)
    expect(plan.waitMs(1_010)).toBe(8)
    expect(plan.waitMs(1_018)).toBe(0)
  })

  it('is due a fixed time after the first erasure at the latest, however much is written', () => {
    const plan = new VacuumPlan(settings)
    plan.erased(0)
    plan.erased(95)
    plan.wrote(99)
    expect(plan.waitMs(99)).toBe(1)
  })

  it('takes at most a twentieth of the time, and waits after a failure', () => {
    const plan = new VacuumPlan(settings)
    plan.erased(0)
    plan.done(20, 50)
    expect(plan.waitMs(20)).toBeUndefined()
    plan.erased(25)
    expect(plan.waitMs(25)).toBe(995)
    plan.failed(2_000)
    expect(plan.waitMs(2_000)).toBe(600_000)
  })
})

describe('the vacuum after an erasure', () => {
  const canary = 'xyzzycanary'
  let dataDir = ''
  let path = ''
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'keepsake-vacuum-'))
    path = join(dataDir, 'keepsake.db')
  })
  afterEach(() => rm(dataDir, { recursive: true }))

  const forms = {
    'in plain text': Buffer.from(canary),
    'in little-endian UTF-16': Buffer.from(canary, 'utf16le'),
    'in big-endian UTF-16': Buffer.from(canary, 'utf16le').swap16(),
    'in base64': Buffer.from(Buffer.from(canary).toString('base64').slice(0, -4)),
    'in base64, shifted by one byte': Buffer.from(Buffer.from(` ${canary}`).toString('base64').slice(4, -4)),
    'in base64, shifted by two bytes': Buffer.from(Buffer.from(`  ${canary}`).toString('base64').slice(4, -4)),
    'in hexadecimal': Buffer.from(Buffer.from(canary).toString('hex')),
  }

  /** Read by another process: closing our own handle of a file would drop the locks that SQLite holds on it. */
  async function found(): Promise<string[]> {
    const files = (await readdir(dataDir)).map((name) => join(dataDir, name))
    const hits: string[] = []
    for (const [form, bytes] of Object.entries(forms)) {
      const pattern = [...bytes].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
      const names = await new Promise<string>((resolve, reject) => {
        const options = { env: { ...process.env, LC_ALL: 'C' } }
        execFile('grep', ['-l', '-a', '-i', '-P', '-e', pattern, ...files], options, (error, stdout) => {
          // grep exits with 1 if it finds nothing.
          if (error && error.code !== 1) reject(error)
          else resolve(stdout)
        })
      })
      if (names !== '') hits.push(`${form}: ${names}`)
    }
    return hits
  }

  /** Enough rows, in many sizes and of two users in turn, for SQLite to move some between pages: without a vacuum, copies remain. */
  async function fill(storage: Storage): Promise<void> {
    const notebook = new Notebook(storage)
    for (let at = 0; at < 60; at += 1) {
      const filler = `word${at} `.repeat((at * 37) % 200)
      await notebook.store(
        alice,
        employment(`Ann${at} ${canary}`, `Acme ${canary} ${filler}`, { metadata: { note: canary } }),
      )
      await notebook.store(bob, employment(`Bob${at}`, `Globex ${filler}`))
    }
  }

  it('leaves no erased content in any file, in any encoding, and keeps the memories of others', async () => {
    const storage = await openSqliteStorage({ dataDir, vacuum: { quietMs: 1 } })
    await fill(storage)
    expect(await found()).not.toEqual([])
    await storage.forget(alice, { all: true })
    expect(existsSync(markerOf(path))).toBe(true)
    await expect.poll(() => existsSync(markerOf(path)), { timeout: 20_000 }).toBe(false)
    expect(await found()).toEqual([])
    expect((await storage.list(bob, { now: start + 1, limit: 100 })).total).toBe(60)
    await storage.close()
    expect(await found()).toEqual([])
  })

  it('runs on closing if it has not run before', async () => {
    const storage = await openSqliteStorage({ dataDir })
    await fill(storage)
    await storage.forget(alice, { all: true })
    expect(existsSync(markerOf(path))).toBe(true)
    await storage.close()
    expect([existsSync(markerOf(path)), await found()]).toEqual([false, []])
  })

  it('leaves a file that is too large to the operator, and keeps the marker', async () => {
    const storage = await openSqliteStorage({ dataDir, vacuum: { quietMs: 1, maxBytes: 1 } })
    await fill(storage)
    await storage.forget(alice, { all: true })
    await storage.close()
    expect(existsSync(markerOf(path))).toBe(true)
    // This is why the vacuum exists. If SQLite ever overwrites all of it, the vacuum can go.
    expect(await found()).not.toEqual([])
    const { bytesBefore, bytesAfter } = vacuumDirectory(dataDir)
    expect(bytesAfter).toBeLessThan(bytesBefore)
    expect(statSync(path).size).toBe(bytesAfter)
    expect([existsSync(markerOf(path)), await found()]).toEqual([false, []])
  })

  it('runs after a restart if it is still due', async () => {
    const first = await openSqliteStorage({ dataDir, vacuum: { maxBytes: 0 } })
    await fill(first)
    await first.forget(alice, { all: true })
    await first.close()
    const second = await openSqliteStorage({ dataDir, vacuum: { quietMs: 1 } })
    await expect.poll(() => existsSync(markerOf(path)), { timeout: 20_000 }).toBe(false)
    expect(await found()).toEqual([])
    await second.close()
  })

  it('is not due if nothing was erased', async () => {
    const storage = await openSqliteStorage({ dataDir })
    await storage.forget(alice, { all: true })
    await storage.forget(alice, { memoryIds: ['mem_01jqzzzzzzzzzzzzzzzzzzzzzz'] })
    expect(existsSync(markerOf(path))).toBe(false)
    await storage.close()
  })

  it('refuses to run on a missing store, on a file that is not a database, and on a directory in use', async () => {
    expect(() => vacuumDirectory(dataDir)).toThrow('does not exist')
    await writeFile(path, 'no database at all '.repeat(100))
    expect(() => vacuumDirectory(dataDir)).toThrow('not a database')
    await rm(path)
    const storage = await openSqliteStorage({ dataDir })
    expect(() => vacuumDirectory(dataDir)).toThrow('in use')
    await storage.close()
  })
})
