import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { CleanupAnswer } from '../support/contract.js'
import { dayMs, hourMs, masterKey, startService, type TestService } from '../support/harness.js'

const routes = ['/cleanup-expired', '/temporal/cleanup'] as const

/** Two users with two expired memories each (one in a project), one active memory, and one old memory with a low score. */
async function fill(service: TestService, users: readonly string[], keys: readonly string[] = []): Promise<void> {
  for (const [index, user] of users.entries()) {
    const key = keys[index]
    const call = key === undefined ? {} : { key }
    const body = key === undefined ? { user_id: user } : {}
    await service.store({ ...body, content: `Expired note of ${user}`, ttl: '1h' }, call)
    await service.store({ ...body, content: `Expired note in the project of ${user}`, ttl: '2h', project: 'p' }, call)
    await service.store({ ...body, content: `Living note of ${user}`, ttl: '30d' }, call)
    await service.store({ ...body, content: `Faded note of ${user}`, created_at: '2015-01-01' }, call)
  }
  service.clock.advance(dayMs)
}

describe.each(routes)('POST %s with authentication off', (route) => {
  let service: TestService
  let users = 0
  let ana: string
  const clean = (body: object) => service.ok<CleanupAnswer>('POST', route, { body })
  const kept = async (user_id: string) => (await service.list({ user_id, include_expired: true })).total
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())
  beforeEach(async () => {
    users += 1
    ana = `ana-${users}`
    await fill(service, [ana])
  })

  it('deletes nothing with dry_run, and returns how many it would delete', async () => {
    expect(await clean({ user_id: ana, dry_run: true })).toMatchObject({
      status: 'success',
      deleted: 0,
      would_delete: 2,
      dry_run: true,
    })
    expect(await kept(ana)).toBe(4)
  })

  it('permanently deletes expired memories, and none because of a low decay score', async () => {
    const as_of = new Date(service.clock.now() - dayMs + 1).toISOString()
    const then = async () => {
      const { memories } = await service.recall({ user_id: ana, query: 'Expired note', as_of, limit: 100 })
      return memories.map(({ content }) => content)
    }
    expect(await then()).toContain(`Expired note of ${ana}`)
    expect(await clean({ user_id: ana, dry_run: false })).toMatchObject({ deleted: 2, would_delete: 2, dry_run: false })
    const { memories } = await service.list({ user_id: ana, include_expired: true })
    expect(memories.map(({ content }) => content).sort()).toEqual([`Faded note of ${ana}`, `Living note of ${ana}`])
    expect(await then()).not.toContain(`Expired note of ${ana}`)
    expect(await clean({ user_id: ana, dry_run: false })).toMatchObject({ deleted: 0, would_delete: 0 })
  })

  it('covers one project of a user, all projects of a user, or all users', async () => {
    await clean({ dry_run: false })
    await fill(service, ['paul', 'ruth'])
    expect(await clean({ user_id: 'paul', project: 'p', dry_run: false })).toMatchObject({ deleted: 1 })
    expect(await clean({ user_id: 'paul', dry_run: false })).toMatchObject({ deleted: 1 })
    expect(await kept('ruth')).toBe(4)
    expect(await clean({ user_id: 'nobody', dry_run: false })).toMatchObject({ deleted: 0 })
    expect(await clean({ dry_run: false })).toMatchObject({ deleted: 2 })
    expect(await kept('ruth')).toBe(2)
  })

  it('deletes a memory in the millisecond in which its TTL ends, and not before', async () => {
    await service.store({ user_id: 'edge', content: 'On the edge of time', ttl: '1h' })
    service.clock.advance(hourMs - 1)
    expect(await clean({ user_id: 'edge', dry_run: false })).toMatchObject({ deleted: 0 })
    service.clock.advance(1)
    expect(await clean({ user_id: 'edge', dry_run: false })).toMatchObject({ deleted: 1 })
  })

  it.each([{ dry_run: 'no' }, { dry_run: 0 }, { dryrun: false }, { user_id: 7 }, { user_id: '' }])(
    'refuses %o and deletes nothing',
    async (body) => {
      expect((await service.fails(400, 'POST', route, { body })).code).toBe('validation_error')
      expect(await kept(ana)).toBe(4)
    },
  )
})

describe('without dry_run', () => {
  it('POST /cleanup-expired deletes and POST /temporal/cleanup only previews', async () => {
    const service = await startService()
    await fill(service, ['ana', 'bob'])
    const preview = await service.ok<CleanupAnswer>('POST', '/temporal/cleanup', { body: {} })
    expect(preview).toMatchObject({ deleted: 0, would_delete: 4, dry_run: true })
    expect(preview.memories).toHaveLength(4)
    expect(preview.memories?.find(({ content }) => content === 'Expired note of ana')).toMatchObject({
      expired_at: new Date(service.clock.now() - dayMs + hourMs).toISOString(),
    })
    const purge = await service.ok<CleanupAnswer>('POST', '/cleanup-expired', { body: {} })
    expect(purge).toMatchObject({ deleted: 4, dry_run: false })
    expect(purge).not.toHaveProperty('memories')
    await service.close()
  })

  it('a preview lists at most 100 memories, with the full count', async () => {
    const service = await startService()
    await Promise.all(
      Array.from({ length: 105 }, (_, index) =>
        service.store({ user_id: 'many', content: `Ticket number ${index}`, ttl: '1h' }),
      ),
    )
    service.clock.advance(dayMs)
    const preview = await service.ok<CleanupAnswer>('POST', '/temporal/cleanup', { body: { dry_run: true } })
    expect(preview.memories).toHaveLength(100)
    expect(preview.would_delete).toBe(105)
    await service.close()
  })
})

describe.each(routes)('POST %s with authentication on', (route) => {
  let service: TestService
  let ana: string
  let bob: string
  const clean = (key: string, body: object) => service.ok<CleanupAnswer>('POST', route, { key, body })
  beforeAll(async () => {
    service = await startService({ auth: true })
    ana = (await service.createKey('ana')).key
    bob = (await service.createKey('bob')).key
  })
  afterAll(() => service.close())

  it('covers only the user of an API key, whatever user_id the body names', async () => {
    await fill(service, ['ana', 'bob'], [ana, bob])
    expect(await clean(ana, { dry_run: true })).toMatchObject({ would_delete: 2 })
    expect(await clean(ana, { user_id: 'bob', dry_run: false })).toMatchObject({ deleted: 0, would_delete: 0 })
    expect(await clean(ana, { user_id: 'ana', dry_run: false })).toMatchObject({ deleted: 2 })
    expect(await clean(masterKey, { user_id: 'bob', dry_run: true })).toMatchObject({ would_delete: 2 })
  })

  it('covers all users with the master key, or the user that the body names', async () => {
    await clean(masterKey, { dry_run: false })
    await fill(service, ['ana', 'bob'], [ana, bob])
    expect(await clean(masterKey, { dry_run: true })).toMatchObject({ would_delete: 4 })
    expect(await clean(masterKey, { user_id: 'bob', dry_run: false })).toMatchObject({ deleted: 2 })
    expect(await clean(masterKey, { dry_run: false })).toMatchObject({ deleted: 2 })
  })
})
