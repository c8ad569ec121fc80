/** Application keys act for the user that a request names: every operation × with and without a prefix, over HTTP, MCP and event streams. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decidedNeeds } from '../attack/limited-keys.js'
import { fieldsOf } from '../attack/operation-fields.js'
import { quickKey } from '../attack/quick-key.js'
import { startReading } from '../events/event-reader.js'
import { addressOf, call as callTool, connected } from '../mcp/mcp-client.js'
import type { CreatedKeyAnswer, ErrorAnswer, KeysAnswer } from '../support/contract.js'
import { type Method, masterKey, startService, type TestService } from '../support/harness.js'
import { authorizationFields, decide, getConsent, issuer, registerClient } from '../support/oauth-flow.js'
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

const owner = 'shop:ana'
const stranger = 'bank:ben'
const content = /John|Acme|Maria|Oslo|Melanie/

let service: TestService
let fixture: Fixture
let strangers: Fixture
/** For every user, for the users of the shop, and that one with limits. */
const keys = { any: '', shop: '', reader: '', writer: '', garden: '', expired: '' }
beforeAll(async () => {
  service = await startService({ auth: true, env: { SERVICE_OAUTH_URL: issuer } })
  const fixtureFor = async (userId: string) => {
    const plain = await fixtureOf(service, userId)
    return { ...plain, ...(await graphIds(service, plain.userKey)), spaceId: await spaceFor(service, plain.userKey) }
  }
  fixture = await fixtureFor(owner)
  strangers = await fixtureFor(stranger)
  const of = async (limits: Parameters<typeof quickKey>[3]) => (await quickKey(service, null, 'backend', limits)).key
  keys.any = await of({ userPrefix: '' })
  keys.shop = await of({ userPrefix: 'shop:' })
  keys.reader = await of({ userPrefix: 'shop:', access: 'read' })
  keys.writer = await of({ userPrefix: 'shop:', access: 'write' })
  keys.garden = await of({ userPrefix: 'shop:', project: 'garden' })
  keys.expired = await of({ userPrefix: '', expiresAt: service.clock.now() })
})
afterAll(() => service.close())

/** The sample request, naming a user where the operation takes one. */
function attempt(operation: Operation, key: string, userId: string | undefined, of = fixture) {
  const fields = fieldsOf(operation)
  const takes = (list: readonly { readonly name: string }[] = []) => list.some(({ name }) => name === 'user_id')
  const body = sampleBody(operation, of)
  const inBody = body !== undefined && takes(fields.body)
  const path = samplePath(operation, of).replace('/users/me/', `/users/${encodeURIComponent(userId ?? 'me')}/`)
  return service.callRoot<ErrorAnswer>(operation.method as Method, path, {
    key,
    ...(body === undefined ? {} : { body: inBody && userId !== undefined ? { ...body, user_id: userId } : body }),
    ...(userId !== undefined && !inBody && takes(fields.query) ? { query: { user_id: userId } } : {}),
  })
}

const ofUsers = guarded.filter((operation) => ['user', 'cleanup'].includes(accessOf(operation)))
const ofMaster = guarded.filter((operation) => ['master', 'metrics'].includes(accessOf(operation)))
const decisionOf = ({ description }: Operation) => decidedNeeds[String(description.operationId)]?.[2] ?? 'none'
const owned = async (of: Fixture) => (await service.list({ limit: 500 }, { key: of.userKey })).memories

describe.each(named(ofUsers))('%s', (_name, operation) => {
  const decision = decisionOf(operation)
  const reached = { any: decision !== 'none', shop: decision === 'all' }

  it.each(['any', 'shop'] as const)('is open or closed to an application key (%s) by decision', async (kind) => {
    const answer = await attempt(operation, keys[kind], owner)
    if (reached[kind]) expect(answer.status, answer.text).not.toBe(403)
    else expect(answer.body.error, answer.text).toMatchObject({ code: 'forbidden' })
    if (!reached[kind]) expect(service.audit('auth.denied').at(-1)).toMatchObject({ user_id: null })
  })

  it.each(['any', 'shop'] as const)('needs a user with an application key (%s), and says so', async (kind) => {
    if (!reached[kind]) return
    const before = [await owned(fixture), await owned(strangers)]
    const answer = await attempt(operation, keys[kind], undefined)
    expect(answer.status, answer.text).toBe(400)
    expect(answer.body.error.details).toMatchObject([
      { path: 'user_id', message: expect.stringContaining('application key') },
    ])
    expect([await owned(fixture), await owned(strangers)]).toEqual(before)
  })

  it('shows and changes nothing of a user outside the prefix, who looks like an unknown user', async () => {
    if (!reached.shop) return
    const before = await owned(strangers)
    const answer = await attempt(operation, keys.shop, stranger, strangers)
    expect(answer.text).not.toMatch(content)
    const unknown = await attempt(operation, keys.shop, 'bank:nobody at all', strangers)
    const comparable = (text: string) =>
      text
        .replaceAll(stranger, '?')
        .replaceAll('bank:nobody at all', '?')
        .replace(/"request_id":"[^"]*"/, '')
        .replace(/"(?:as_of|calculated_at|generated_at)":"[^"]*"/g, '')
    expect(comparable(answer.text)).toBe(comparable(unknown.text))
    expect(answer.status).toBe(unknown.status)
    expect(await owned(strangers)).toEqual(before)
  })

  it('says that an application key has expired', async () => {
    expect((await attempt(operation, keys.expired, owner)).status).toBe(401)
  })
})

it.each(named(ofMaster))('%s is closed to application keys', async (_name, operation) => {
  for (const key of [keys.any, keys.shop]) expect((await attempt(operation, key, owner)).status).toBe(401)
})

it('shows no details of the service to an application key', async () => {
  const shown = await service.callRoot('GET', '/api/v1/health', { key: keys.any })
  expect(shown.body).toEqual({ status: 'healthy' })
})

describe('an application key', () => {
  it('acts for each user like a key of that user', async () => {
    const [ida, joe] = ['shop:ida', 'shop:joe']
    const { id } = await service.storeOne({ content: 'The cat of Ida is Minka', user_id: ida }, { key: keys.any })
    await service.storeOne({ content: 'The dog of Joe is Bello', user_id: joe }, { key: keys.shop })
    const own = (await quickKey(service, ida, 'own')).key
    for (const key of [keys.any, keys.shop, keys.reader]) {
      const query = { user_id: ida }
      expect((await service.list(query, { key })).memories).toEqual((await service.list({}, { key: own })).memories)
      expect((await service.recall({ query: 'pets', user_id: joe }, { key })).memories).toMatchObject([
        { content: 'The dog of Joe is Bello' },
      ])
      expect(await service.call('GET', `/memories/${id}`, { key, query })).toMatchObject({ status: 200 })
      // The id of another user.
      await service.fails(404, 'GET', `/memories/${id}`, { key, query: { user_id: joe } })
    }
    const body = { memory_ids: [id], user_id: joe }
    expect(await service.ok('DELETE', '/memories', { key: keys.any, body })).toMatchObject({ deleted: 0 })
    // Two users in one request.
    await service.fails(400, 'PUT', `/memories/${id}`, {
      key: keys.any,
      query: { user_id: joe },
      body: { content: 'x', user_id: ida },
    })
    expect(service.audit('memory.store').slice(-2)).toMatchObject([{ user_id: ida }, { user_id: joe }])
    expect(service.audit('memory.recall').at(-1)).toMatchObject({
      user_id: joe,
      key_id: expect.stringMatching(/^key_/),
    })
  })

  it('compares its prefix exactly', async () => {
    const names = ['Shop:ida', 'shop', ' shop:ida', 'ｓｈｏｐ:ida', 'bank:shop:ida']
    for (const user_id of names) {
      const error = await service.fails(400, 'POST', '/store', {
        key: keys.shop,
        body: { content: 'Hello there', user_id },
      })
      expect(error.details).toMatchObject([{ path: 'user_id' }])
      expect((await service.list({ user_id }, { key: keys.shop })).memories).toEqual([])
    }
  })

  it('keeps its other limits', async () => {
    const user_id = 'shop:kim'
    const stored = await service.store({ content: 'The roses need water', user_id }, { key: keys.writer })
    expect(stored.memories).toEqual([])
    await service.fails(403, 'POST', '/recall', { key: keys.writer, body: { query: 'roses', user_id } })
    await service.fails(403, 'POST', '/store', { key: keys.reader, body: { content: 'No', user_id } })
    const inside = await service.storeOne({ content: 'The shed is green', user_id }, { key: keys.garden })
    expect(inside.project).toBe('garden')
    expect((await service.list({ user_id }, { key: keys.garden })).memories).toHaveLength(1)
    await service.fails(400, 'POST', '/store', { key: keys.garden, body: { content: 'No', user_id, project: 'money' } })
    await service.fails(400, 'POST', '/store', {
      key: keys.garden,
      body: { content: 'No', user_id: 'bank:kim', project: 'money' },
    })
  })

  it('keeps the responses of one idempotency key apart by user', async () => {
    const headers = { 'idempotency-key': 'one-for-all' }
    for (const user_id of ['shop:a', 'shop:b']) {
      const { memories } = await service.store({ content: 'The fence is white', user_id }, { key: keys.shop, headers })
      expect(memories).toMatchObject([{ action: 'ADD' }])
    }
  })

  it('uses the spaces of a user without a prefix, and knows none with one', async () => {
    const space = fixture.spaceId
    const body = { content: 'The team meets on Monday', space, user_id: owner }
    await service.ok('POST', '/store', { key: keys.any, body })
    expect((await service.list({ space, user_id: owner }, { key: keys.any })).memories).toHaveLength(1)
    await service.fails(404, 'GET', '/memories', { key: keys.any, query: { space, user_id: stranger } })
    for (const id of [space, 'spc_01h455vb4pex5vsknk084sn02q'])
      await service.fails(404, 'GET', '/memories', { key: keys.shop, query: { space: id, user_id: owner } })
    // A space is not a user.
    expect((await service.list({ user_id: space }, { key: keys.any })).memories).toEqual([])
    await service.fails(400, 'POST', '/store', { key: keys.any, body: { content: 'No', user_id: space } })
  })

  it('approves no OAuth client', async () => {
    const clientId = await registerClient(service.app)
    const { payload } = await getConsent(service.app, authorizationFields(clientId))
    for (const filled of [{ key: keys.any }, { key: keys.any, user: owner }]) {
      const answer = await decide(service.app, payload, filled)
      expect(answer.statusCode).toBe(403)
      expect(answer.payload).toContain('An application key cannot approve a client')
    }
  })
})

describe('POST /keys', () => {
  const create = (body: object) => service.ok<CreatedKeyAnswer>('POST', '/keys', { key: masterKey, body })

  it('creates application keys, lists them without a user, and records them', async () => {
    const created = await create({
      kind: 'application',
      name: 'backend',
      user_prefix: 'shop:',
      access: 'read',
      ttl: '1d',
    })
    const shown = { kind: 'application', user_id: null, user_prefix: 'shop:', access: 'read' }
    expect(created).toMatchObject(shown)
    expect(await create({ kind: 'application', name: 'all' })).toMatchObject({ user_id: null, user_prefix: null })
    const { keys: listed } = await service.ok<KeysAnswer>('GET', '/keys', { key: masterKey })
    expect(listed.find(({ id }) => id === created.id)).toMatchObject(shown)
    expect(service.audit('key.created').at(-2)).toMatchObject({ user_id: null, user_prefix: 'shop:' })
    await service.list({ user_id: owner }, { key: created.key })
    await service.ok('DELETE', `/keys/${created.id}`, { key: masterKey })
    await service.fails(401, 'GET', '/memories', { key: created.key, query: { user_id: owner } })
    expect(await create({ user_id: 'ana', name: 'x' })).toMatchObject({
      kind: 'user',
      user_id: 'ana',
      user_prefix: null,
    })
  })

  it.each([
    ['user_id', { name: 'x' }],
    ['user_id', { kind: 'application', user_id: 'ana', name: 'x' }],
    ['user_prefix', { user_id: 'ana', user_prefix: 'a', name: 'x' }],
    ['user_prefix', { kind: 'application', user_prefix: '', name: 'x' }],
    ['kind', { kind: 'admin', user_id: 'ana', name: 'x' }],
  ])('refuses a wrong %s', async (path, body) => {
    expect((await service.fails(400, 'POST', '/keys', { key: masterKey, body })).details).toMatchObject([{ path }])
  })
})

describe('over MCP', () => {
  it('acts for the user that a call names, and for nobody else', async () => {
    const url = await addressOf(service)
    const client = await connected(url, '2025-11-25', keys.shop)
    const tools = (await client.listTools()).tools.map(({ name }) => name)
    expect(tools).toContain('store_memory')
    expect(tools).not.toContain('list_spaces')
    const stored = await callTool(client, 'store_memory', { content: 'The boat is called Nixe', user_id: 'shop:mia' })
    expect(stored.isError, stored.text).toBe(false)
    expect((await callTool(client, 'recall_memories', { query: 'boat', user_id: 'shop:mia' })).text).toContain('Nixe')
    expect((await callTool(client, 'profile', { user_id: 'shop:mia' })).isError).toBe(false)
    for (const user_id of [stranger, 'shop:other'])
      expect((await callTool(client, 'recall_memories', { query: 'boat', user_id })).text).toBe(
        'Nothing is known about this.',
      )
    for (const [name, given] of [
      ['recall_memories', { query: 'boat' }],
      ['list_memories', {}],
      ['profile', {}],
    ] as const) {
      expect((await callTool(client, name, given)).answer).toMatchObject({ details: [{ path: 'user_id' }] })
    }
    await expect(client.listResources()).rejects.toThrow('application key')
    await expect(client.readResource({ uri: 'keepsake://profile' })).rejects.toThrow('application key')
    await expect(client.getPrompt({ name: 'user_context' })).rejects.toThrow('application key')
    await client.close()

    const events = new URL('/api/v1/events', url)
    const headers = { authorization: `Bearer ${keys.shop}` }
    await expect(startReading(events.href, headers)).rejects.toThrow(/400 .*application key/)
    const own = await startReading(`${events.href}?user_id=shop:mia`, headers)
    const foreign = await startReading(`${events.href}?user_id=${stranger}`, headers)
    expect((await own.next()).event).toBe('events.opened')
    await service.storeOne({ content: 'The bike of Ben is red' }, { key: strangers.userKey })
    await service.storeOne({ content: 'The boat is blue now', user_id: 'shop:mia' }, { key: keys.any })
    expect((await own.next()).event).toBe('memory.stored')
    await own.close()
    expect(foreign.text()).not.toContain('memory.stored')
    await foreign.close()
  })
})

describe('rate limits', () => {
  it('count per user of an application key, and for the key where no user is named', async () => {
    const limited = await startService({
      auth: true,
      env: {
        SERVICE_RATE_LIMIT_ENABLED: 'true',
        SERVICE_RATE_LIMIT_RECALL: '2/minute',
        SERVICE_RATE_LIMIT_DEFAULT: '3/minute',
      },
    })
    const { key } = await quickKey(limited, null, 'backend', { userPrefix: 'shop:' })
    const recalls = async (user_id: string | undefined, times: number) => {
      const seen: number[] = []
      for (let time = 0; time < times; time++)
        seen.push(
          (await limited.call('POST', '/recall', { key, body: { query: 'boat', ...(user_id ? { user_id } : {}) } }))
            .status,
        )
      return seen
    }
    expect(await recalls('shop:ana', 3)).toEqual([200, 200, 429])
    expect(await recalls('shop:ben', 3)).toEqual([200, 200, 429])
    // Users outside the prefix, and requests without one, share the counter of the key.
    expect(await recalls('bank:a', 1)).toEqual([200])
    expect(await recalls('bank:b', 1)).toEqual([200])
    expect(await recalls('bank:c', 1)).toEqual([429])
    expect(await recalls(undefined, 1)).toEqual([429])
    expect(await recalls('shop:cem', 1)).toEqual([200])
    const broken = async () => (await limited.call('POST', '/recall', { key, raw: '{' })).status
    expect([await broken(), await broken(), await broken(), await broken()]).toEqual([400, 400, 400, 429])
    expect(await recalls('shop:cem', 1)).toEqual([200])
    const own = (await quickKey(limited, 'shop:ana', 'own')).key
    expect((await limited.call('POST', '/recall', { key: own, body: { query: 'boat' } })).status).toBe(200)
    await limited.close()
  })
})
