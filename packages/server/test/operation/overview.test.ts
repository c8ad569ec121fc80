/** Users, projects and activity: counts for operators and for a user. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { masterKey, startService, type TestService } from '../support/harness.js'

interface Users {
  readonly users: readonly { readonly user_id: string; readonly memories: number }[]
  readonly total: number
}

describe('with authentication', () => {
  let service: TestService
  let ana: { key: string }
  let ben: { key: string }
  beforeAll(async () => {
    service = await startService({ auth: true })
    ana = await service.createKey('ana')
    ben = await service.createKey('ben')
    await service.storeOne({ content: 'The tea is green', project: 'home' }, { key: ana.key })
    await service.storeOne({ content: 'The desk is oak', project: 'work' }, { key: ana.key })
    await service.storeOne({ content: 'The car is red', project: 'garage' }, { key: ben.key })
  })
  afterAll(() => service.close())

  it('lists users for the master key only', async () => {
    const found = await service.ok<Users>('GET', '/users?q=AN', { key: masterKey })
    expect(found).toMatchObject({ users: [{ user_id: 'ana', memories: 2 }], total: 1 })
    for (const key of [ana.key, null]) {
      expect((await service.call('GET', '/users', { key })).status).toBe(401)
    }
  })

  it('shows a key the projects and the activity of its own user', async () => {
    const projects = (query: string, key: string) => service.ok('GET', `/projects${query}`, { key })
    const own = { projects: [expect.objectContaining({ name: 'home' }), { name: 'work', memories: 1 }] }
    expect(await projects('', ana.key)).toEqual(own)
    expect(await projects('?user_id=ben', ana.key)).toEqual({ projects: [] })
    const today = { days: [{ day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), created: 2 }] }
    expect(await service.ok('GET', '/temporal/activity', { key: ana.key })).toEqual(today)
    expect(await service.ok('GET', '/temporal/activity?user_id=ben', { key: ana.key })).toEqual({ days: [] })
    const one = { days: [expect.objectContaining({ created: 1 })] }
    expect(await service.ok('GET', '/temporal/activity?project=home', { key: ana.key })).toEqual(one)
  })

  it('shows a key of one project only that project', async () => {
    const { key } = await service.ok<{ key: string }>('POST', '/keys', {
      key: masterKey,
      body: { user_id: 'ana', name: 'home', project: 'home' },
    })
    expect(await service.ok('GET', '/projects', { key })).toEqual({ projects: [{ name: 'home', memories: 1 }] })
    expect(await service.ok('GET', '/temporal/activity', { key })).toMatchObject({ days: [{ created: 1 }] })
  })
})

describe('without authentication', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
    for (const user_id of ['ana', 'ben', 'cem'])
      await service.storeOne({ user_id, content: `The tea of ${user_id} is hot` })
  })
  afterAll(() => service.close())

  it('lists users to everyone, page by page', async () => {
    const page = await service.ok<Users>('GET', '/users?limit=2&page=2')
    expect(page).toEqual({ users: [{ user_id: 'cem', memories: 1 }], total: 3, page: 2, limit: 2 })
  })
})
