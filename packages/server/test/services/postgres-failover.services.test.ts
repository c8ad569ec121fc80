/** The primary dies, and its standby takes over: nothing acknowledged is lost, and two servers are never written to. */
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openPortableReader, openPortableWriter } from '../../src/boot/portable.js'
import { ServiceError } from '../../src/core/errors.js'
import { userScope } from '../../src/core/scope.js'
import { Notebook, start } from '../../src/storage/contract/notebook.js'
import type { Storage } from '../../src/storage/ports/storage.js'
import { openPostgresStorage } from '../../src/storage/postgres/postgres-storage.js'
import { startService, temporaryDirectory } from '../support/harness.js'
import { type PostgresPair, startPair } from './postgres-pair.js'

const alice = userScope('alice')
const timeouts = { connectTimeoutMs: 3_000, statementTimeoutMs: 3_000, graceMs: 1_000 }

/** The time limit of the test ends the wait. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20)
}

describe('storage on a primary with a standby', () => {
  let pair: PostgresPair
  let directory: string
  let storage: Storage
  const lines: string[] = []

  const open = () =>
    openPostgresStorage({
      url: pair.url,
      poolSize: 4,
      timeouts,
      timelineFile: `${directory}/timeline.json`,
      patienceMs: 1_000,
      log: (line) => lines.push(line),
    })

  beforeEach(async () => {
    lines.length = 0
    directory = await temporaryDirectory()
    pair = await startPair()
    storage = await open()
  })
  afterEach(async () => {
    await storage.close()
    await pair.close()
    await rm(directory, { recursive: true })
  })

  const write = (content: string) => new Notebook(storage).store(alice, { content })
  const contents = async () =>
    (await storage.list(alice, { now: start, limit: 500 })).items.map(({ content }) => content)
  const untilWritten = (content: string) =>
    until(async () => {
      try {
        await write(content)
        return true
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== 'unavailable') throw error
        return false
      }
    })

  it('follows the promoted standby within 10 s, and does not write to the old primary when it returns', async () => {
    await write('before')
    const old = pair.primary()
    await old.destroy()
    await expect(write('while nobody is the primary')).rejects.toMatchObject({ code: 'unavailable' })
    await pair.promote()
    const promotedAt = performance.now()
    await untilWritten('after')
    expect(performance.now() - promotedAt).toBeLessThan(10_000)
    await pair.reviveOld()
    const nextWrite = await pair.nextWrite(old)
    await until(() => lines.some((line) => line.includes('not used, because outdated')))
    for (let number = 0; number < 20; number++) await write(`beside the old primary ${number}`)
    expect(await pair.nextWrite(old)).toBe(nextWrite)
    // A new process remembers the newest timeline.
    await storage.close()
    storage = await open()
    await write('after a restart')
    expect(await contents()).toEqual(expect.arrayContaining(['before', 'after', 'after a restart']))
    expect(await pair.nextWrite(old)).toBe(nextWrite)
    // Alone, the old primary is not used either.
    await pair.primary().destroy()
    await until(() => lines.at(-1)?.startsWith('no host is the primary; not used, because outdated') ?? false)
    await expect(write('to the old primary')).rejects.toMatchObject({ code: 'unavailable' })
    expect(await pair.nextWrite(old)).toBe(nextWrite)
  })

  it('writes to neither server while both accept writes and none is known to be newer', async () => {
    const service = await startService({ env: { SERVICE_DATABASE_URL: pair.url }, languageModel: null })
    service.forbidInLogs('of-the-tests')
    const stores = async (content: string) =>
      (await service.call('POST', '/store', { body: { user_id: 'ana', content } })).status === 200
    await until(() => stores('I love hiking in the Alps'))
    await pair.promote()
    const [promoted, old] = [pair.primary(), pair.standby()]
    const health = async () =>
      (await service.call<{ checks: { storage: string } }>('GET', '/health')).body.checks.storage
    await until(async () => (await health()) === 'unreachable: several hosts of the database accept writes')
    const before = [await pair.nextWrite(old), await pair.nextWrite(promoted)]
    await service.fails(503, 'POST', '/store', { body: { user_id: 'ana', content: 'I love the sea as well' } })
    await expect(write('to one of two')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('several hosts of the database accept writes'),
    })
    // A new process cannot know which one it should use.
    await expect(
      openPostgresStorage({ url: pair.url, patienceMs: 0, timeouts }).then((opened) => opened.close()),
    ).rejects.toMatchObject({ operatorMessage: true, message: expect.stringContaining('several hosts') })
    expect([await pair.nextWrite(old), await pair.nextWrite(promoted)]).toEqual(before)
    await old.destroy()
    await until(async () => (await service.call('GET', '/health')).status === 200)
    await until(() => stores('I love the sea as well'))
    await service.close()
  })

  it('does not acknowledge a commit that no standby confirmed, even if PostgreSQL lets it pass', async () => {
    await write('before')
    await pair.standby().freeze()
    const unconfirmed = write('never confirmed')
    unconfirmed.catch(() => undefined)
    const admin = pair.primary().asAdmin('postgres')
    await until(async () => {
      const ended = await admin`SELECT pg_cancel_backend(pid) FROM pg_stat_activity
        WHERE wait_event = 'SyncRep' AND application_name = 'keepsake'`
      return ended.length > 0
    })
    await expect(unconfirmed).rejects.toMatchObject({ message: expect.stringContaining('no standby') })
    await admin.end()
    await pair.standby().thaw()
    await untilWritten('after')
  })

  it('refuses writes while no standby confirms them, without using up the connections of the server', async () => {
    await write('before')
    await pair.standby().freeze()
    await expect(write('never confirmed')).rejects.toMatchObject({ code: 'unavailable' })
    const admin = pair.primary().asAdmin('postgres')
    const waiting = () => admin`SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'`
    await until(async () => (await waiting()).length === 0)
    await admin.end()
    await until(() =>
      contents().then(
        (found) => found.includes('before'),
        () => false,
      ),
    )
    await pair.standby().thaw()
    await untilWritten('after')
  })

  it('lets export and import use the primary', async () => {
    await write('before')
    const reader = await openPortableReader({ databaseUrl: pair.url })
    expect(await reader.count({ vectors: false, keys: false })).toBeGreaterThan(0)
    await reader.close()
    const writer = await openPortableWriter({ databaseUrl: pair.url })
    await writer.close()
    await pair.primary().destroy()
    await expect(openPortableReader({ databaseUrl: pair.url })).rejects.toThrow(
      'no host of the database is its primary',
    )
    await pair.promote()
    await (await openPortableReader({ databaseUrl: pair.url })).close()
    await untilWritten('after')
  })

  it('reads changes from the beginning after a failover, because the new primary may have fewer of them', async () => {
    await write('one')
    const first = await storage.changes(alice, { revision: 0, row: 0 }, 100)
    expect(first.changed.map(({ content }) => content)).toEqual(['one'])
    expect(await storage.changes(alice, first.mark, 100)).toMatchObject({ mark: first.mark, changed: [] })
    await pair.primary().destroy()
    await pair.promote()
    await untilWritten('two')
    const afterwards = await storage.changes(alice, first.mark, 100)
    expect(afterwards.mark.revision).toBe(0)
    const whole = await storage.changes(alice, afterwards.mark, 100)
    expect(whole.changed.map(({ content }) => content)).toEqual(['one', 'two'])
    await expect(storage.changes(alice, { ...first.mark, row: 1 }, 100)).rejects.toMatchObject({ code: 'unavailable' })
  })
})
