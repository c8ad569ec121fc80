import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { fieldsOf } from '../attack/operation-fields.js'
import { masterKey, startService, type TestService } from '../support/harness.js'
import { operations } from '../support/openapi-check.js'
import { type Door, doors, knockAt } from './doors.js'

interface SpaceView {
  readonly id: string
  readonly name: string
  readonly role: string
}
interface Listed {
  readonly memories: readonly { readonly id: string; readonly content: string; readonly user_id: string }[]
  readonly total: number
}
interface RecalledView {
  readonly memories: readonly { readonly content: string; readonly space?: string | null; readonly score: number }[]
  readonly context: string
}

const unknown = 'spc_01h455vb4pex5vsknk084sn02q'

describe('spaces', () => {
  let service: TestService
  const keys: Record<string, string> = {}
  beforeAll(async () => {
    service = await startService({ auth: true })
    for (const user of ['ana', 'ben', 'eve', 'kim']) keys[user] = (await service.createKey(user)).key
  })
  // A user can create a hundred.
  afterEach(() => service.ok('DELETE', '/users/ana/spaces', { key: masterKey }))
  afterAll(() => service.close())

  const as = (user: string) => ({ key: keys[user] ?? null })
  const createSpace = async (user: string, name = 'Team') =>
    (await service.ok<{ space: SpaceView }>('POST', '/spaces', { ...as(user), body: { name } })).space.id
  const grant = (owner: string, space: string, member: string, role: string) =>
    service.ok('POST', `/spaces/${space}/members`, { ...as(owner), body: { member, role } })
  const revoke = (owner: string, space: string, member: string) =>
    service.ok('DELETE', `/spaces/${space}/members`, { ...as(owner), query: { member } })
  const storeIn = async (user: string, space: string, content: string) => {
    const { memories } = await service.ok<Listed>('POST', '/store', { ...as(user), body: { content, space } })
    return memories[0]?.id ?? ''
  }
  const list = (user: string, space: string) =>
    service.ok<Listed>('GET', '/memories', { ...as(user), query: { space } })
  const recall = (user: string, body: object) =>
    service.ok<RecalledView>('POST', '/recall', { ...as(user), body: { query: 'Where does John work?', ...body } })

  it('belong to who created them, and are listed with the role', async () => {
    const id = await createSpace('ana', 'Launch')
    await grant('ana', id, 'ben', 'writer')
    const spacesOf = async (user: string) =>
      (await service.ok<{ spaces: readonly SpaceView[] }>('GET', '/spaces', as(user))).spaces
    expect(await spacesOf('ana')).toContainEqual(expect.objectContaining({ id, name: 'Launch', role: 'owner' }))
    expect(await spacesOf('ben')).toContainEqual(expect.objectContaining({ id, name: 'Launch', role: 'writer' }))
    expect((await spacesOf('eve')).map((space) => space.id)).not.toContain(id)
    const members = await service.ok('GET', `/spaces/${id}/members`, as('ben'))
    expect(members).toMatchObject({
      members: [
        { member: 'ana', role: 'owner' },
        { member: 'ben', role: 'writer' },
      ],
      total: 2,
    })
  })

  it('have memories of their own, beside those of their members', async () => {
    const id = await createSpace('ana')
    await grant('ana', id, 'ben', 'writer')
    const memoryId = await storeIn('ben', id, 'John works at Acme Corp')
    expect((await list('ana', id)).memories).toMatchObject([{ id: memoryId, user_id: id }])
    const own = await service.ok<Listed>('GET', '/memories', as('ben'))
    expect(own.memories.map((memory) => memory.id)).not.toContain(memoryId)
    // Without naming the space, even a member does not find it.
    for (const user of ['ana', 'ben']) {
      expect((await service.call('GET', `/memories/${memoryId}`, as(user))).status).toBe(404)
      expect((await service.call('GET', `/memories/${memoryId}`, { ...as(user), query: { space: id } })).status).toBe(
        200,
      )
    }
    const entities = await service.ok<{ total: number }>('GET', '/entities', { ...as('ana'), query: { space: id } })
    expect(entities.total).toBe(2)
    const history = await service.ok('GET', `/memories/${memoryId}/history`, { ...as('ana'), query: { space: id } })
    expect(history).toMatchObject({ memory_id: memoryId })
    const updated = await service.ok('PUT', `/memories/${memoryId}`, {
      ...as('ben'),
      body: { content: 'John works at Initech', space: id },
    })
    expect(updated).toMatchObject({ memory: { user_id: id, content: 'John works at Initech' } })
    const profile = await service.ok('GET', '/users/me/profile', { ...as('ana'), query: { space: id } })
    expect(profile).toMatchObject({ user_id: id })
  })

  it('are searched together by score, and each memory says where it comes from', async () => {
    const [first, second] = [await createSpace('ana', 'one'), await createSpace('ana', 'two')]
    await storeIn('ana', first, 'John works at Acme Corp')
    await storeIn('ana', second, 'Maria lives in Oslo')
    await service.ok('POST', '/store', { ...as('ana'), body: { content: 'John works at night' } })
    const contents = async (body: object) =>
      (await recall('ana', body)).memories.map(({ content, space }) => [content, space])
    expect(await contents({})).toEqual([['John works at night', undefined]])
    expect(await contents({ spaces: [first] })).toEqual([['John works at Acme Corp', first]])
    const all = await recall('ana', { spaces: ['own', second, first, first] })
    expect(new Set(all.memories.map(({ content, space }) => `${content} ${space}`))).toEqual(
      new Set([`John works at Acme Corp ${first}`, `Maria lives in Oslo ${second}`, 'John works at night null']),
    )
    const scores = all.memories.map(({ score }) => score)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    expect(all.context.split('\n')).toHaveLength(3)
    // The score does not depend on what else is searched.
    const alone = await recall('ana', { spaces: [first] })
    expect(all.memories.find(({ space }) => space === first)?.score).toBe(alone.memories[0]?.score)
    expect((await recall('ana', { spaces: ['own', second, first], limit: 1 })).memories).toHaveLength(1)
  })

  it('explain memories across spaces', async () => {
    const [first, second] = [await createSpace('ana'), await createSpace('ana')]
    const hit = await storeIn('ana', first, 'John works at Acme Corp')
    const cut = await storeIn('ana', second, 'John works in Oslo as a painter of old boats')
    const hidden = await storeIn('ana', await createSpace('ana'), 'John works at Initech')
    const { not_returned: reasons } = await service.ok<{ not_returned: readonly object[] }>('POST', '/recall', {
      ...as('ana'),
      body: {
        query: 'John works at Acme Corp',
        spaces: [second, first],
        limit: 1,
        explain_memory_ids: [cut, hidden, hit],
      },
    })
    expect(reasons).toEqual([
      expect.objectContaining({ id: cut, reason: 'beyond_limit', rank: 2 }),
      { id: hidden, reason: 'not_found' },
    ])
  })

  it('count a recalled memory as accessed in its space only', async () => {
    const id = await createSpace('ana')
    const memoryId = await storeIn('ana', id, 'John works at Acme Corp')
    await recall('ana', { spaces: ['own', id] })
    await service.deps.accesses.settle()
    const read = await service.ok('GET', `/memories/${memoryId}`, { ...as('ana'), query: { space: id } })
    expect(read).toMatchObject({ memory: { access_count: 1 } })
  })

  const knock = (user: string, space: string, door: Door) => knockAt(service, keys[user] ?? null, space, door)

  it.each(doors)('without a membership do not exist, as %s of %s %s', async (...door) => {
    const id = await createSpace('ana')
    await storeIn('ana', id, 'John works at Acme Corp')
    const refused = await knock('eve', id, door)
    expect(refused.status).toBe(404)
    expect(refused.text).toContain('Space not found')
    expect(refused).toEqual(await knock('eve', unknown, door))
    // After a membership has ended, the next request finds nothing.
    await grant('ana', id, 'eve', 'owner')
    expect((await service.call('GET', `/spaces/${id}`, as('eve'))).status).toBe(200)
    await revoke('ana', id, 'eve')
    expect(await knock('eve', id, door)).toEqual(refused)
  })

  it.each(doors)('need the role %s for %s %s', async (...door) => {
    const [least] = door
    const ranks = ['reader', 'writer', 'owner']
    for (const role of ranks) {
      const id = await createSpace('ana')
      await grant('ana', id, 'kim', role)
      const { status, text } = await knock('kim', id, door)
      expect(text, role).not.toContain('Space not found')
      if (ranks.indexOf(role) < ranks.indexOf(least)) expect(status, role).toBe(403)
      else expect([200, 404], role).toContain(status)
    }
  })

  it('cover every operation that takes a space', () => {
    const taking = operations.flatMap((operation) => {
      const { query, body = [] } = fieldsOf(operation)
      const takesSpace = [...query, ...body].some(({ name }) => name === 'space' || name === 'spaces')
      const isOfSpace = operation.path.includes('/spaces/{id}')
      return takesSpace || isOfSpace ? [`${operation.method} ${operation.path.replace('/api/v1', '')}`] : []
    })
    const covered = doors.map(
      ([, method, path]) =>
        `${method} ${path
          .replace('{space}', '{id}')
          .replace(/\/[a-z]{3}_\w{26}/, '/{id}')
          .replace('/me/', '/{user_id}/')
          .replace('/notes/today', '/{namespace}/{key}')}`,
    )
    expect([...new Set(covered)].sort()).toEqual([...new Set(taking)].sort())
  })

  it('cannot be named as a user, by anyone', async () => {
    const id = await createSpace('ana')
    await storeIn('ana', id, 'John works at Acme Corp')
    const created = await service.call('POST', '/keys', { key: masterKey, body: { user_id: id, name: 'x' } })
    expect(created.status).toBe(400)
    expect(await service.ok('GET', '/memories', { ...as('ana'), query: { user_id: id } })).toMatchObject({ total: 0 })
    expect((await service.call('POST', '/store', { ...as('ana'), body: { content: 'x', user_id: id } })).status).toBe(
      400,
    )
    const cleanup = await service.call('POST', '/cleanup-expired', { key: masterKey, body: { user_id: id } })
    expect(cleanup.status).toBe(400)
    expect((await service.call('GET', `/users/${id}/profile`, as('ana'))).body).toMatchObject({ text: '' })
    const member = await service.call('POST', `/spaces/${id}/members`, {
      ...as('ana'),
      body: { member: unknown, role: 'reader' },
    })
    expect(member.status).toBe(400)
  })

  it('replay a store to the member who sent it, and to nobody else', async () => {
    const id = await createSpace('ana')
    await grant('ana', id, 'ben', 'writer')
    const send = (user: string, content: string) =>
      service.call('POST', '/store', {
        ...as(user),
        body: { content, space: id },
        headers: { 'idempotency-key': 'one' },
      })
    const first = await send('ana', 'John works at Acme Corp')
    expect((await send('ben', 'Maria lives in Oslo')).status).toBe(200)
    const again = await send('ana', 'John works at Acme Corp')
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(again.text).toBe(first.text)
    expect((await list('ana', id)).total).toBe(2)
  })

  it('keep an owner', async () => {
    const id = await createSpace('ana')
    await grant('ana', id, 'ben', 'writer')
    const leave = () => service.call('DELETE', `/spaces/${id}/members`, as('ana'))
    expect((await leave()).status).toBe(400)
    await grant('ana', id, 'ben', 'owner')
    expect((await leave()).status).toBe(200)
    expect((await service.call('GET', `/spaces/${id}`, as('ana'))).status).toBe(404)
    expect((await service.call('GET', `/spaces/${id}`, as('ben'))).status).toBe(200)
  })

  it('are deleted with all of their memories', async () => {
    const id = await createSpace('ana')
    await grant('ana', id, 'ben', 'reader')
    await storeIn('ana', id, 'John works at Acme Corp')
    expect(await service.ok('DELETE', `/spaces/${id}`, as('ana'))).toEqual({ status: 'success', id, deleted: 1 })
    for (const user of ['ana', 'ben'])
      expect((await service.call('GET', '/memories', { ...as(user), query: { space: id } })).status).toBe(404)
    expect((await service.call('DELETE', `/spaces/${id}`, as('ana'))).status).toBe(404)
  })

  it('are not orphaned silently when their last owner goes', async () => {
    const { key } = await service.createKey('leaver')
    keys.leaver = key
    const [shared, alone] = [await createSpace('leaver', 'shared'), await createSpace('leaver', 'alone')]
    await grant('leaver', shared, 'ben', 'writer')
    await storeIn('leaver', alone, 'John works at Acme Corp')
    const auditedBefore = service.auditLines.length
    expect((await service.call('DELETE', '/users/leaver/spaces', as('eve'))).status).toBe(404)
    const gone = await service.ok('DELETE', '/users/leaver/spaces', { key: masterKey })
    expect(gone).toEqual({ status: 'success', left: [shared], ownerless: [shared], deleted: [alone] })
    const audited = service.auditLines.slice(auditedBefore).join('\n')
    expect(audited).toContain(`"event":"space.ownerless","user_id":"leaver","key_id":null,"space_id":"${shared}"`)
    // Its members go on, but none of them can take over.
    expect((await list('ben', shared)).total).toBe(0)
    const promote = (user: string | null, member: string) =>
      service.call('POST', `/spaces/${shared}/members`, {
        key: user === null ? masterKey : (keys[user] ?? null),
        body: { member, role: 'owner' },
      })
    expect((await promote('ben', 'ben')).status).toBe(403)
    expect((await promote(null, 'ben')).status).toBe(200)
    expect((await promote(null, 'eve')).status).toBe(400)
    expect((await promote('ben', 'ana')).status).toBe(200)
  })

  it('are audited without content', async () => {
    const id = await createSpace('ana', 'Secret plans')
    service.forbidInLogs('Secret plans')
    const memory = await storeIn('ana', id, 'John works at Acme Corp')
    await grant('ana', id, 'ben', 'reader')
    await recall('ana', { spaces: [id] })
    const lines = service.auditLines.filter((line) => line.includes(id))
    const events = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(events).toMatchObject([
      { event: 'space.created', user_id: 'ana', space_id: id },
      { event: 'memory.store', user_id: id, memory_id: memory, key_id: expect.stringMatching(/^key_/) },
      { event: 'space.member_set', user_id: 'ana', space_id: id, member_id: 'ben', role: 'reader' },
      { event: 'memory.recall', user_id: id },
    ])
  })
})

describe('spaces without authentication', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  it('are reached by the user that a request names', async () => {
    const { space } = await service.ok<{ space: SpaceView }>('POST', '/spaces', { body: { name: 'T', user_id: 'ana' } })
    const store = (user_id: string | undefined) =>
      service.call('POST', '/store', { body: { content: 'John works at Acme Corp', space: space.id, user_id } })
    expect((await store('ana')).status).toBe(200)
    expect((await store('eve')).status).toBe(404)
    expect((await store(undefined)).status).toBe(400)
    const asUser = await service.call('GET', '/memories', { query: { user_id: space.id } })
    expect(asUser.status).toBe(400)
    expect((await service.call('GET', '/spaces')).status).toBe(400)
  })
})
