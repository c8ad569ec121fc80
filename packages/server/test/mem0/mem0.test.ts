/** The REST interface of mem0: requests as its clients send them, and the fields that they read. `npm run test:doors` uses the real package. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { quickKey } from '../attack/quick-key.js'
import { type Method, masterKey, startService, type TestService } from '../support/harness.js'

interface Item {
  readonly id: string
  readonly memory: string
  readonly [field: string]: unknown
}

let service: TestService
const keys = { any: '', shop: '', ana: '', reader: '', writer: '' }
beforeAll(async () => {
  service = await startService({ auth: true })
  keys.any = (await quickKey(service, null, 'backend', { userPrefix: '' })).key
  keys.shop = (await quickKey(service, null, 'backend', { userPrefix: 'shop:' })).key
  keys.reader = (await quickKey(service, null, 'backend', { userPrefix: 'shop:', access: 'read' })).key
  keys.writer = (await quickKey(service, null, 'backend', { userPrefix: 'shop:', access: 'write' })).key
  keys.ana = (await quickKey(service, 'shop:ana', 'own')).key
})
afterAll(() => service.close())

async function send<T>(method: Method, url: string, key: string | null, body?: unknown, scheme = 'Token') {
  const answer = await service.app.inject({
    method,
    url,
    headers: {
      ...(key === null ? {} : { authorization: `${scheme} ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  })
  return { status: answer.statusCode, text: answer.payload, body: JSON.parse(answer.payload) as T }
}

async function ok<T>(method: Method, url: string, key: string | null, body?: unknown): Promise<T> {
  const answer = await send<T>(method, url, key, body)
  expect(answer.status, `${method} ${url} ${answer.text}`).toBe(200)
  return answer.body
}

async function refused(status: number, method: Method, url: string, key: string | null, body?: unknown) {
  const answer = await send<{ error: { code: string; message: string; details?: { path: string }[] } }>(
    method,
    url,
    key,
    body,
  )
  expect(answer.status, `${method} ${url} ${answer.text}`).toBe(status)
  return answer.body.error
}

async function added(key: string, body: object): Promise<Item> {
  const { results } = await ok<{ results: Item[] }>('POST', '/v3/memories/add/', key, body)
  expect(results, JSON.stringify(body)).toHaveLength(1)
  return results[0] as Item
}

const found = async (key: string, filters: object, more: object = {}) =>
  (await ok<{ results: Item[] }>('POST', '/v3/memories/search/', key, { query: 'pets', filters, ...more })).results
const all = async (key: string, filters: object, query = '') =>
  ok<{ count: number; next: string | null; previous: string | null; results: Item[] }>(
    'POST',
    `/v3/memories/${query}`,
    key,
    { filters },
  )

describe('the interface of mem0', () => {
  it('accepts a key as Token or Bearer here, and as Token nowhere else', async () => {
    for (const key of [keys.any, keys.shop, keys.ana, keys.writer])
      expect(await ok('GET', '/v1/ping/', key)).toMatchObject({ status: 'ok' })
    expect((await send('GET', '/v1/ping', keys.ana, undefined, 'Bearer')).status).toBe(200)
    expect((await send('GET', '/api/v1/memories', keys.ana)).status).toBe(401)
    for (const key of [null, 'ksk_wrong', masterKey]) expect((await send('GET', '/v1/ping/', key)).status).toBe(401)
  })

  it('adds, finds, reads, changes and deletes a memory, by its id alone with an application key', async () => {
    const labels = { agent_id: 'bot', run_id: 'r1', app_id: 'web' }
    const sent = { messages: [{ role: 'user', content: 'My cat is called Minka.' }], user_id: 'shop:ida', ...labels }
    const memory = await added(keys.shop, { ...sent, metadata: { topic: 'pets' }, infer: true, output_format: 'v1.1' })
    expect(memory).toMatchObject({
      event: 'ADD',
      memory: expect.stringContaining('Minka'),
      data: { memory: memory.memory },
    })
    const shown = { id: memory.id, memory: memory.memory, user_id: 'shop:ida', ...labels, metadata: { topic: 'pets' } }
    const [hit] = await found(keys.shop, { user_id: 'shop:ida' })
    expect(hit).toMatchObject({
      ...shown,
      score: expect.any(Number),
      created_at: expect.stringMatching(/Z$/),
      categories: [],
    })
    const path = `/v1/memories/${memory.id}/`
    expect(await ok('GET', path, keys.shop)).toMatchObject({
      ...shown,
      hash: expect.any(String),
      expiration_date: null,
    })
    const changed = { text: 'My cat is called Mimi.', metadata: { topic: 'cats' }, expiration_date: '2027-01-31' }
    expect(await ok('PUT', path, keys.any, changed)).toMatchObject({
      memory: changed.text,
      metadata: { topic: 'cats' },
      // An update of the metadata keeps them.
      ...labels,
      expiration_date: expect.stringMatching(/^2027-0(?:1-31|2-01)/),
    })
    const history = await ok<Item[]>('GET', `${path}history/`, keys.shop)
    expect(history).toMatchObject([
      { memory_id: memory.id, event: 'ADD', old_memory: null, new_memory: memory.memory, user_id: 'shop:ida' },
      { memory_id: memory.id, event: 'UPDATE', old_memory: memory.memory, new_memory: changed.text },
    ])
    expect(await ok('DELETE', path, keys.shop)).toEqual({ message: 'Memory deleted successfully!' })
    for (const method of ['GET', 'DELETE'] as const) await refused(404, method, path, keys.shop)
    expect(service.audit('memory.forget').at(-1)).toMatchObject({ user_id: 'shop:ida' })
  })

  it('shows nothing of a user outside the prefix, also by the id of a memory', async () => {
    const { id } = await added(keys.any, { messages: 'The dog of Ben is Bello.', user_id: 'bank:ben' })
    const before = await all(keys.any, { user_id: 'bank:ben' })
    for (const key of [keys.shop, keys.ana]) {
      expect(await found(key, { user_id: 'bank:ben' })).toEqual([])
      expect(await all(key, { user_id: 'bank:ben' })).toMatchObject({ count: 0, results: [] })
      for (const each of [id, 'mem_01h455vb4pex5vsknk084sn02q']) {
        const path = `/v1/memories/${each}/`
        await refused(404, 'GET', path, key)
        await refused(404, 'PUT', path, key, { text: 'No.' })
        await refused(404, 'DELETE', path, key)
        await refused(404, 'GET', `${path}history/`, key)
      }
      await refused(400, 'POST', '/v3/memories/add/', key, { messages: 'No.', user_id: 'bank:ben' })
      await ok('DELETE', '/v1/memories/?user_id=bank:ben', key)
      await ok('DELETE', '/v2/entities/user/bank:ben/', key)
    }
    expect(await all(keys.any, { user_id: 'bank:ben' })).toEqual(before)
  })

  it('requires a user_id with an application key, and uses the key’s own user otherwise', async () => {
    for (const [method, path, body] of [
      ['POST', '/v3/memories/add/', { messages: 'I like tea.' }],
      ['POST', '/v3/memories/search/', { query: 'tea' }],
      ['POST', '/v3/memories/', {}],
      ['GET', '/v1/memories/', undefined],
      ['DELETE', '/v1/memories/?agent_id=bot', undefined],
      ['DELETE', '/v2/entities/agent/bot/', undefined],
      ['GET', '/v1/entities/', undefined],
    ] as const) {
      const error = await refused(400, method, path, keys.any, body)
      expect(error.message).toContain('application key')
    }
    const { id } = await added(keys.ana, { messages: 'I like tea.', agent_id: 'bot' })
    expect((await all(keys.ana, { agent_id: 'bot' })).results).toMatchObject([
      { id, user_id: 'shop:ana', agent_id: 'bot' },
    ])
    expect(await ok('GET', '/v1/entities/', keys.ana)).toMatchObject({
      count: 1,
      results: [{ name: 'shop:ana', type: 'user', total_memories: 1 }],
    })
    await refused(400, 'DELETE', '/v1/memories/', keys.ana)
    await ok('DELETE', '/v2/entities/agent/nobody/', keys.ana)
    expect((await all(keys.ana, {})).count).toBe(1)
    await ok('DELETE', '/v2/entities/agent/bot/', keys.ana)
    expect((await all(keys.ana, {})).count).toBe(0)
  })

  it('keeps the limits of a key', async () => {
    const user_id = 'shop:kim'
    expect(await ok('POST', '/v3/memories/add/', keys.writer, { messages: 'I like tea.', user_id })).toEqual({
      results: [],
    })
    await refused(403, 'POST', '/v3/memories/search/', keys.writer, { query: 'tea', filters: { user_id } })
    await refused(403, 'POST', '/v3/memories/add/', keys.reader, { messages: 'I like tea.', user_id })
    await refused(403, 'DELETE', `/v1/memories/?user_id=${user_id}`, keys.reader)
    expect(await found(keys.reader, { user_id })).toHaveLength(1)
  })
})

describe('filters of mem0', () => {
  const user_id = 'shop:filters'
  beforeAll(async () => {
    for (const [name, agent_id, rank] of [
      ['Ada', 'a', 1],
      ['Bob', 'b', 2],
      ['Cid', undefined, 3],
    ] as const)
      await added(keys.shop, {
        messages: `The pet of ${name} is a hamster.`,
        user_id,
        ...(agent_id ? { agent_id } : {}),
        metadata: { rank, 'a.b': name },
      })
  })

  it.each([
    [{ user_id, agent_id: 'a' }, ['Ada']],
    [{ user_id, agent_id: { in: ['a', 'b'] } }, ['Ada', 'Bob']],
    [{ user_id, agent_id: { ne: 'a' } }, ['Bob', 'Cid']],
    [{ user_id, agent_id: '*' }, ['Ada', 'Bob']],
    [{ AND: [{ user_id }, { metadata: { rank: 3 } }] }, ['Cid']],
    [{ OR: [{ user_id }] }, ['Ada', 'Bob', 'Cid']],
    [{ user_id, OR: [{ agent_id: 'a' }, { metadata: { rank: 3 } }] }, ['Ada', 'Cid']],
    [{ user_id, NOT: [{ agent_id: 'a' }, { agent_id: 'b' }] }, ['Cid']],
    [{ user_id, metadata: { 'a.b': 'Bob' } }, ['Bob']],
    [{ user_id: { in: [user_id] }, created_at: { gte: '2026-01-01', lt: '2027-01-01' } }, ['Ada', 'Bob', 'Cid']],
    [{ user_id, created_at: { lt: '2026-01-01' } }, []],
  ])('narrow a list and a search alike: %j', async (filters, names) => {
    const named = (items: readonly Item[]) => items.map(({ memory }) => /Ada|Bob|Cid/.exec(memory)?.[0]).sort()
    expect(named((await all(keys.shop, filters)).results)).toEqual(names)
    expect(named(await found(keys.shop, filters))).toEqual(names)
  })

  it.each([
    [{ user_id, categories: { in: ['x'] } }, 'filters.categories'],
    [{ user_id, keywords: { contains: 'x' } }, 'filters.keywords'],
    [{ user_id, agent_id: { contains: 'a' } }, 'filters.agent_id.contains'],
    [{ user_id, and: [] }, 'filters.and'],
    [{ user_id, AND: [] }, 'filters.AND'],
    [{ user_id: '*' }, 'filters.user_id'],
    [{ user_id: { in: [user_id, 'shop:ana'] } }, 'filters.user_id'],
    [{ OR: [{ user_id }, { user_id: 'shop:ana' }] }, 'filters.OR[0].user_id'],
    [{ NOT: [{ user_id }] }, 'filters.NOT[0].user_id'],
    [{ AND: [{ user_id }, { user_id: 'shop:ana' }] }, 'filters.AND[1].user_id'],
    [{ user_id, metadata: { a: { b: 1 } } }, 'filters.metadata.a'],
  ])('are refused if they are not supported: %j', async (filters, path) => {
    for (const key of [keys.shop, keys.ana]) {
      const error = await refused(400, 'POST', '/v3/memories/', key, { filters })
      expect(error.details).toMatchObject([{ path }])
    }
  })

  it('are refused beside unknown options', async () => {
    for (const option of [
      { categories: ['x'] },
      { reference_date: '2026-01-01' },
      { project_id: 'p' },
      { show_expired: true },
      { unknown: 1 },
    ])
      await refused(400, 'POST', '/v3/memories/search/', keys.shop, { query: 'pets', filters: { user_id }, ...option })
    for (const option of [
      { infer: false },
      { custom_instructions: 'x' },
      { org_id: 'o' },
      { expiration_date: 'soon' },
      { expiration_date: '2020-01-01' },
    ])
      await refused(400, 'POST', '/v3/memories/add/', keys.shop, { messages: 'Hello there', user_id, ...option })
    const image = [{ role: 'user', content: { type: 'image_url', image_url: { url: 'https://example.com' } } }]
    await refused(400, 'POST', '/v3/memories/add/', keys.shop, { messages: image, user_id })
    await refused(400, 'DELETE', '/v1/memories/mem_01h455vb4pex5vsknk084sn02q/?delete_linked=true', keys.ana)
    await refused(400, 'DELETE', `/v1/memories/?user_id=${user_id}&project_id=p`, keys.shop)
    expect((await all(keys.shop, { user_id })).count).toBe(3)
  })

  it('give pages, and the shapes of the earlier versions', async () => {
    const first = await all(keys.shop, { user_id }, '?page=1&page_size=2')
    expect(first).toMatchObject({ count: 3, previous: null, next: expect.stringContaining('page=2') })
    const second = await all(keys.shop, { user_id }, '?page=2&page_size=2')
    expect(second).toMatchObject({ next: null, previous: expect.stringContaining('page=1') })
    expect([...first.results, ...second.results]).toHaveLength(3)
    expect(await ok('GET', `/v1/memories/?user_id=${user_id}`, keys.shop)).toHaveLength(3)
    expect(await ok('POST', '/v2/memories/', keys.shop, { filters: { user_id } })).toHaveLength(3)
    const query = { query: 'pets', user_id, top_k: 2, version: 'v1' }
    expect(await ok('POST', '/v1/memories/search/', keys.shop, query)).toHaveLength(2)
    expect(await ok('POST', '/v2/memories/search/', keys.shop, { ...query, output_format: 'v1.1' })).toMatchObject({
      results: [{}, {}],
    })
    const [picked] = await found(keys.shop, { user_id }, { fields: ['memory'], top_k: 1 })
    expect(Object.keys(picked ?? {})).toEqual(['id', 'memory'])
    const [old] = await ok<Item[]>('POST', '/v1/memories/', keys.shop, {
      messages: [{ role: 'user', content: [{ type: 'text', text: 'My boat is called Nixe.' }] }],
      user_id,
      version: 'v2',
      timestamp: 1_767_225_600,
    })
    expect(await ok('GET', `/v1/memories/${old?.id}/`, keys.shop)).toMatchObject({
      created_at: '2026-01-01T00:00:00.000Z',
    })
  })
})

it('counts each user of an application key, also for requests that name only a memory', async () => {
  const env = { SERVICE_RATE_LIMIT_ENABLED: 'true', SERVICE_RATE_LIMIT_FORGET: '1/minute' }
  const limited = await startService({ auth: true, env })
  const { key } = await quickKey(limited, null, 'backend', { userPrefix: '' })
  const inject = async (method: Method, url: string, payload?: object) =>
    limited.app.inject({ method, url, headers: { authorization: `Token ${key}` }, ...(payload ? { payload } : {}) })
  const seen: number[] = []
  for (const user_id of ['ana', 'ben']) {
    for (const messages of ['My cat is called Minka.', 'My boat is called Nixe.']) {
      const { results } = (await inject('POST', '/v3/memories/add/', { messages, user_id })).json()
      seen.push((await inject('DELETE', `/v1/memories/${results[0].id}/`)).statusCode)
    }
  }
  expect(seen).toEqual([200, 429, 200, 429])
  await limited.close()
})

it('works without authentication, whatever the key is', async () => {
  const open = await startService()
  const headers = { authorization: 'Token anything' }
  const inject = async (method: Method, url: string, payload?: object) =>
    (await open.app.inject({ method, url, headers, ...(payload ? { payload } : {}) })).json()
  expect(await inject('GET', '/v1/ping/')).toMatchObject({ status: 'ok' })
  const { results } = await inject('POST', '/v3/memories/add/', { messages: 'My cat is called Minka.', user_id: 'ana' })
  expect(await inject('GET', `/v1/memories/${results[0].id}/`)).toMatchObject({ user_id: 'ana' })
  expect(
    (await inject('POST', '/v3/memories/search/', { query: 'cat', filters: { user_id: 'ana' } })).results,
  ).toHaveLength(1)
  expect(await inject('POST', '/v3/memories/search/', { query: 'cat' })).toMatchObject({
    error: { code: 'validation_error' },
  })
  await open.close()
})
