/** Keys that only read, only store, reach one project, or expire: every operation × every kind of key, over HTTP and MCP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decidedNeeds as decided } from '../attack/limited-keys.js'
import { quickKey } from '../attack/quick-key.js'
import { addressOf, call as callTool, connected } from '../mcp/mcp-client.js'
import type { CreatedKeyAnswer, ErrorAnswer, KeysAnswer } from '../support/contract.js'
import { dayMs, type Method, masterKey, startService, type TestService } from '../support/harness.js'
import type { Operation } from '../support/openapi-check.js'
import {
  accessOf,
  type Fixture,
  fixtureOf,
  graphIds,
  guarded,
  named,
  sampleBody,
  samplePath,
  spaceFor,
} from '../support/samples.js'

let service: TestService
let fixture: Fixture
const keys: Record<'read' | 'write' | 'project' | 'expired', string> = { read: '', write: '', project: '', expired: '' }
beforeAll(async () => {
  service = await startService({ auth: true })
  const plain = await fixtureOf(service)
  fixture = { ...plain, ...(await graphIds(service, plain.userKey)), spaceId: await spaceFor(service, plain.userKey) }
  const of = async (limits: Parameters<typeof quickKey>[3]) =>
    (await quickKey(service, 'sample-user', 'limited', limits)).key
  keys.read = await of({ access: 'read' })
  keys.write = await of({ access: 'write' })
  keys.project = await of({ project: 'garden' })
  keys.expired = await of({ expiresAt: service.clock.now() })
})
afterAll(() => service.close())

async function attempt(operation: Operation, key: string) {
  const body = sampleBody(operation, fixture)
  // The OpenAPI document contains only HTTP methods.
  return service.callRoot<ErrorAnswer>(operation.method as Method, samplePath(operation, fixture), {
    key,
    ...(body === undefined ? {} : { body }),
  })
}

const ofUsers = guarded.filter((operation) => ['user', 'cleanup'].includes(accessOf(operation)))
const content = /John|Acme|Maria|Oslo|Melanie/

describe.each(named(ofUsers))('%s', (_name, operation) => {
  const operationId = String(operation.description.operationId)
  const owned = async () => (await service.list({ limit: 500 }, { key: fixture.userKey })).memories

  it('is refused to every key that does not allow it, and changes nothing', async () => {
    const decision = decided[operationId]
    if (decision === undefined) throw new Error(`decide which keys may call ${operationId}`)
    const [needs, ofProject] = decision
    const refusedTo = {
      read: needs !== 'read' && 'This API key may only read',
      write: needs !== 'store' && 'This API key may only store memories',
      project: !ofProject && 'This API key is limited to one project, and this concerns all projects of its user',
    }
    const before = await owned()
    for (const [kind, message] of Object.entries(refusedTo)) {
      if (message === false) continue
      // Only the kinds above are in the table.
      const answer = await attempt(operation, keys[kind as keyof typeof refusedTo])
      expect(answer.status, `${kind}: ${answer.text}`).toBe(403)
      expect(answer.body.error).toMatchObject({ code: 'forbidden', message })
      expect(service.audit('auth.denied').at(-1)).toMatchObject({ user_id: 'sample-user', operation: operationId })
    }
    expect(await owned()).toEqual(before)
  })

  it('says that a key has expired', async () => {
    const answer = await attempt(operation, keys.expired)
    expect(answer.status, answer.text).toBe(401)
    expect(answer.body.error).toMatchObject({ code: 'authentication_error' })
    expect(answer.body.error.message).toContain('expired')
  })

  it('shows and changes nothing of other projects with a key of one project', async () => {
    const before = await owned()
    const answer = await attempt(operation, keys.project)
    expect([200, 403, 404], answer.text).toContain(answer.status)
    expect(answer.text).not.toMatch(content)
    const after = (await owned()).filter(({ project }) => project !== 'garden')
    expect(after).toEqual(before.filter(({ project }) => project !== 'garden'))
  })

  it('is served to a key that allows it', async () => {
    const [needs] = decided[operationId] ?? []
    if (needs !== 'read') return
    const answer = await attempt(operation, keys.read)
    expect(answer.status, answer.text).toBe(200)
  })
})

it('decides for no operation that does not exist', () => {
  const existing = ofUsers.map(({ description }) => String(description.operationId))
  expect(Object.keys(decided).filter((operationId) => !existing.includes(operationId))).toEqual([])
})

describe('a key that only stores', () => {
  it('stores, and learns nothing about what is known', async () => {
    const known = await service.storeOne({ content: 'The cat of Ida is Minka' }, { key: fixture.userKey })
    for (const text of ['The cat of Ida is Minka', 'The dog of Ida is Bello']) {
      const headers = { 'idempotency-key': `once-${text.length}-${text.slice(4, 7)}` }
      for (let time = 0; time < 2; time++) {
        const answer = await service.store({ content: text }, { key: keys.write, headers })
        expect(answer).toEqual({ status: 'success', memories: [], entities_extracted: 0, relationships_created: 0 })
      }
    }
    const { memories } = await service.list({ q: 'Ida' }, { key: fixture.userKey })
    expect(memories.map((memory) => memory.content).sort()).toEqual([
      'The cat of Ida is Minka',
      'The dog of Ida is Bello',
    ])
    expect(memories.map(({ id }) => id)).toContain(known.id)
  })
})

describe('a key of one project', () => {
  it('stores into its project, and reads and changes only that', async () => {
    const inside = await service.storeOne({ content: 'The roses need water' }, { key: keys.project })
    expect(inside.project).toBe('garden')
    const outside = await service.storeOne(
      { content: 'The roses were expensive', project: 'money' },
      { key: fixture.userKey },
    )
    const { memories } = await service.recall({ query: 'roses' }, { key: keys.project })
    expect(memories.map(({ id }) => id)).toContain(inside.id)
    expect(memories.map(({ id }) => id)).not.toContain(outside.id)
    expect((await service.recall({ query: 'roses', project: 'money' }, { key: keys.project })).memories).toEqual([])
    expect((await service.list({}, { key: keys.project })).memories.every(({ project }) => project === 'garden')).toBe(
      true,
    )
    await service.fails(404, 'GET', `/memories/${outside.id}`, { key: keys.project })
    await service.fails(404, 'PUT', `/memories/${outside.id}`, { key: keys.project, body: { content: 'No' } })
    for (const project of ['money', null]) {
      const moved = await service.fails(400, 'PUT', `/memories/${inside.id}`, { key: keys.project, body: { project } })
      expect(moved.details).toMatchObject([{ path: 'project' }])
    }
    const stored = await service.fails(400, 'POST', '/store', {
      key: keys.project,
      body: { content: 'x', project: 'money' },
    })
    expect(stored.details).toMatchObject([{ path: 'project' }])
    const body = { memory_ids: [outside.id] }
    expect(await service.ok('DELETE', '/memories', { key: keys.project, body })).toMatchObject({ deleted: 0 })
    expect(await service.ok('DELETE', '/memories', { key: keys.project, body: { all: true } })).toMatchObject({
      deleted: expect.any(Number),
    })
    expect((await service.memory(outside.id, { key: fixture.userKey })).content).toBe('The roses were expensive')
  })

  it('does not see what a memory said in another project', async () => {
    const { id } = await service.storeOne({ content: 'The shed costs 900', project: 'money' }, { key: fixture.userKey })
    await service.ok('PUT', `/memories/${id}`, {
      key: fixture.userKey,
      body: { content: 'The shed is green', project: 'garden' },
    })
    const history = await service.call('GET', `/memories/${id}/history`, { key: keys.project })
    expect(history.status).toBe(200)
    expect(JSON.stringify((history.body as unknown as { versions: unknown }).versions)).not.toContain('900')
  })
})

describe('limits of a key', () => {
  it('are set when it is created, shown in lists, and recorded in the audit log', async () => {
    const body = { user_id: 'ana', name: 'reports', access: 'read', project: 'garden', ttl: '30d' }
    const created = await service.ok<CreatedKeyAnswer>('POST', '/keys', { key: masterKey, body })
    const until = new Date(service.clock.now() + 30 * dayMs).toISOString()
    const limits = { access: 'read', project: 'garden', expires_at: until }
    expect(created).toMatchObject(limits)
    const listed = () => service.ok<KeysAnswer>('GET', '/keys', { key: masterKey, query: { user_id: 'ana' } })
    expect((await listed()).keys).toMatchObject([{ ...limits, status: 'active' }])
    expect(service.audit('key.created').at(-1)).toMatchObject({ access: 'read', one_project: true, expires_at: until })
    await service.list({}, { key: created.key })
    service.clock.advance(30 * dayMs)
    expect((await service.fails(401, 'GET', '/memories', { key: created.key })).message).toContain('expired')
    expect((await listed()).keys).toMatchObject([{ status: 'expired' }])
    service.clock.advance(-30 * dayMs)
  })

  it.each([
    ['access', 'admin'],
    ['access', ''],
    ['ttl', '0d'],
    ['ttl', 'soon'],
    ['project', ''],
    ['expires_at', '2030-01-01T00:00:00Z'],
  ])('are refused if %s is %j', async (field, value) => {
    const body = { user_id: 'ana', name: 'bad', [field]: value }
    const error = await service.fails(400, 'POST', '/keys', { key: masterKey, body })
    expect(error.details).toMatchObject([{ path: field }])
  })

  it('are those that a later release knows better: an unknown access allows nothing', async () => {
    // As a later release might write it.
    const limits = { access: 'recall' as 'read' }
    const { key } = await quickKey(service, 'sample-user', 'of tomorrow', limits)
    await service.fails(403, 'GET', '/memories', { key })
    await service.fails(403, 'POST', '/store', { key, body: { content: 'Hello there' } })
  })
})

describe('over MCP', () => {
  const tools = {
    store_memory: { content: 'The fence is white' },
    recall_memories: { query: 'roses' },
    profile: {},
    update_memory: { memory_id: 'mem_01h455vb4pex5vsknk084sn02q', content: 'No' },
    forget_memories: { memory_ids: ['mem_01h455vb4pex5vsknk084sn02q'] },
    list_memories: {},
    search_entities: {},
    list_spaces: {},
    put_item: { namespace: 'n', key: 'k', value: 1 },
    get_item: { namespace: 'n', key: 'k' },
    search_items: {},
  }
  const allowed = {
    read: [
      ...['recall_memories', 'profile', 'list_memories', 'search_entities', 'list_spaces'],
      ...['get_item', 'search_items'],
    ],
    write: ['store_memory'],
    project: Object.keys(tools).filter((name) => name !== 'list_spaces'),
  }

  let url: URL
  beforeAll(async () => {
    url = await addressOf(service)
  })

  it.each(['read', 'write', 'project'] as const)(
    'a %s key sees and calls only the tools that it allows',
    async (kind) => {
      const client = await connected(url, '2025-11-25', keys[kind])
      const listed = (await client.listTools()).tools.map(({ name }) => name)
      expect(listed.sort()).toEqual([...allowed[kind]].sort())
      for (const [name, given] of Object.entries(tools)) {
        const { answer, text } = await callTool(client, name, given)
        if (allowed[kind].includes(name)) expect(answer.code, `${name}: ${text}`).not.toBe('forbidden')
        else expect(answer, name).toMatchObject({ code: 'forbidden' })
        if (kind === 'project') expect(text).not.toMatch(content)
      }
      if (kind === 'write') {
        await expect(client.listResources()).rejects.toThrow('may only store')
        await expect(client.getPrompt({ name: 'user_context' })).rejects.toThrow('may only store')
      }
      await client.close()
    },
  )
})
