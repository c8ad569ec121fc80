/** `/mcp` with clients that ignore the protocol, careless clients and attackers. */
import { readFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Call, manualClock, startService, type TestService } from '../support/harness.js'
import { addressOf, call, connected, idOf, memoriesOf, revisions } from './mcp-client.js'

const accept = { accept: 'application/json, text/event-stream' }
const message = (method: string, params: object = {}, id: number | string = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
const toolCall = (name: string, given: object) => message('tools/call', { name, arguments: given })

let service: TestService
let key = ''
beforeAll(async () => {
  service = await startService({ auth: true, clock: manualClock() })
  key = (await service.createKey('alice')).key
})
afterAll(() => service.close())

async function post(body: unknown, more: Call = {}, at = service) {
  const response = await at.app.inject({
    method: 'POST',
    url: '/mcp',
    headers: {
      'content-type': 'application/json',
      ...accept,
      ...(more.key === null ? {} : { authorization: `Bearer ${more.key ?? key}` }),
      ...more.headers,
    },
    payload: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const data = /^data: (.*)$/m.exec(response.payload)?.[1] ?? response.payload
  return { status: response.statusCode, headers: response.headers, body: data === '' ? undefined : JSON.parse(data) }
}

describe('the route /mcp', () => {
  it('answers any message without a session, so that any instance can answer', async () => {
    const { status, body } = await post(toolCall('list_memories', {}))
    expect({ status, structured: body.result.structuredContent }).toMatchObject({
      status: 200,
      structured: { total: 0 },
    })
    expect((await post(message('initialize', {}))).headers['mcp-session-id']).toBeUndefined()
  })

  it.each(['GET', 'DELETE'] as const)('has no streams or sessions: %s gets 405', async (method) => {
    const { statusCode, headers } = await service.app.inject({
      method,
      url: '/mcp',
      headers: { authorization: `Bearer ${key}`, ...accept },
    })
    expect({ statusCode, allow: headers.allow }).toEqual({ statusCode: 405, allow: 'POST' })
  })

  it.each([
    ['invalid JSON', '{"jsonrpc":', 400],
    ['an empty body', '', 400],
    ['a duplicate key', '{"jsonrpc":"2.0","jsonrpc":"2.0"}', 400],
    ['JSON that is not JSON-RPC', '{"hello":"world"}', 400],
    ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"tools/list"}', 400],
    ['a batch', JSON.stringify([message('tools/list'), message('tools/list')]), 400],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"tools/list"}', 400],
    ['a string', '"tools/list"', 400],
    ['null', 'null', 400],
    ['parameters that are null', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}', 400],
    ['a body that is too large', JSON.stringify(toolCall('store_memory', { content: 'x'.repeat(1_100_000) })), 413],
  ])('refuses %s', async (_what, body, status) => {
    const answer = await post(body)
    expect(answer.status, JSON.stringify(answer.body)).toBe(status)
    expect(JSON.stringify(answer.body)).not.toMatch(/\bat .*\.(?:js|ts|mjs):\d/)
  })

  it.each([
    ['an unknown method', message('memories/steal'), -32601],
    ['a tool without a name', message('tools/call', {}), -32602],
    ['an unknown tool', toolCall('__proto__', {}), -32602],
    ['arguments that are a list', message('tools/call', { name: 'list_memories', arguments: [] }), -32602],
    ['a resource of another kind', message('resources/read', { uri: 'file:///etc/passwd' }), -32602],
    ['a resource with a path', message('resources/read', { uri: 'keepsake://memories/../keys' }), -32602],
    ['an unknown cursor', message('resources/list', { cursor: 'x' }), -32602],
  ])('answers %s with a protocol error', async (_what, body, code) => {
    const answer = await post(body)
    expect(answer.body.error, JSON.stringify(answer.body)).toMatchObject({ code })
    expect(JSON.stringify(answer.body)).not.toMatch(/\bat .*\.(?:js|ts|mjs):\d/)
  })

  it('refuses other media types', async () => {
    expect((await post('x', { headers: { 'content-type': 'text/plain' } })).status).toBe(415)
  })

  it('refuses foreign origins, and accepts pages of this machine, of its own host and of listed origins', async () => {
    const from = async (headers: Record<string, string>, at?: TestService, asked?: string | null) =>
      (await post(message('tools/list'), { headers, ...(asked === undefined ? {} : { key: asked }) }, at)).status
    for (const origin of [
      'http://attacker.example',
      'null',
      'http://localhost.attacker.example',
      'http://127.0.0.1.attacker.example',
      'http://localhost@attacker.example',
      'file://localhost',
      'chrome-extension://localhost',
      '',
    ])
      expect(await from({ origin }), origin).toBe(403)
    for (const origin of ['http://localhost:5173', 'https://localhost', 'http://127.0.0.1:1', 'http://[::1]:8787'])
      expect(await from({ origin }), origin).toBe(200)
    // DNS rebinding: page and Host agree, but the name is not ours.
    expect(await from({ origin: 'http://attacker.example', host: 'attacker.example' })).toBe(403)
    const env = { SERVICE_CORS_ORIGINS: 'https://app.example.com', SERVICE_ALLOWED_HOSTS: 'memory.example' }
    const open = await startService({ env })
    expect(await from({ origin: 'https://app.example.com' }, open, null)).toBe(200)
    expect(await from({ origin: 'https://memory.example', host: 'memory.example' }, open, null)).toBe(200)
    expect(await from({ origin: 'https://memory.example:444', host: 'memory.example' }, open, null)).toBe(403)
    expect(await from({ origin: 'https://other.example', host: 'memory.example' }, open, null)).toBe(403)
    await open.close()
  })

  it('refuses every message without a valid key before it reads the body', async () => {
    const answer = await post('{"broken', { key: null })
    expect(answer).toMatchObject({ status: 401, headers: { 'www-authenticate': expect.stringContaining('Bearer') } })
    expect((await post(message('tools/list'), { key: 'ks_wrong' })).status).toBe(401)
  })
})

describe('rate limits', () => {
  it('count a tool call like the matching route, and other messages like other requests', async () => {
    const env = {
      SERVICE_RATE_LIMIT_ENABLED: 'true',
      SERVICE_RATE_LIMIT_STORE: '2/minute',
      SERVICE_RATE_LIMIT_RECALL: '1/minute',
      SERVICE_RATE_LIMIT_FORGET: '1/minute',
      SERVICE_RATE_LIMIT_DEFAULT: '5/minute',
    }
    const limited = await startService({ auth: true, env })
    const { key: ownKey } = await limited.createKey('alice')
    const ask = (body: unknown) => post(body, { key: ownKey }, limited)
    const store = toolCall('store_memory', { content: 'The boat is called Pelican.' })
    expect((await ask(store)).headers).toMatchObject({ 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '1' })
    // HTTP and MCP share one count.
    await limited.store({ content: 'The cat is called Minka.' }, { key: ownKey })
    const refused = await ask(store)
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limit_exceeded' } } })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)

    expect((await ask(toolCall('recall_memories', { query: 'boat' }))).status).toBe(200)
    expect((await ask(message('prompts/get', { name: 'user_context' }))).status).toBe(429)
    expect((await ask(toolCall('forget_memories', { memory_ids: ['x'] }))).headers['x-ratelimit-limit']).toBe('1')
    for (const body of [message('tools/list'), toolCall('list_memories', {}), '{"broken', toolCall('no_tool', {})]) {
      expect((await ask(body)).status, JSON.stringify(body)).not.toBe(429)
    }
    expect((await ask(message('resources/list'))).status).toBe(200)
    for (const body of [message('tools/list'), '{"broken']) expect((await ask(body)).status).toBe(429)
    await limited.close()
  })
})

describe.each(revisions)('with authentication off, at revision %s', (revision) => {
  it('uses the configured user if a call names none', async () => {
    const open = await startService({ env: { SERVICE_MCP_USER: 'carla' } })
    const client = await connected(await addressOf(open), revision, null)
    const mine = idOf(await call(client, 'store_memory', { content: 'The boat is called Pelican.' }))
    const named = await call(client, 'store_memory', { content: 'The cat is called Minka.', user_id: 'dora' })
    expect(memoriesOf(await call(client, 'list_memories'))).toMatchObject([{ id: mine, user_id: 'carla' }])
    expect(memoriesOf(await call(client, 'list_memories', { user_id: 'dora' }))).toMatchObject([{ id: idOf(named) }])
    const uri = `keepsake://memories/${idOf(named)}`
    await expect(client.readResource({ uri })).rejects.toMatchObject({ data: { uri } })
    await client.close()
    await open.close()
  })
})

describe.each(revisions)('a client of revision %s', (revision) => {
  it('can abort a call without harming the service', async () => {
    const own = await startService({ auth: true })
    const { key: ownKey } = await own.createKey('alice')
    const url = await addressOf(own)
    const client = await connected(url, revision, ownKey)
    const gone = new AbortController()
    const asked = client.callTool(
      { name: 'store_memory', arguments: { content: 'The boat is called Pelican.' } },
      { signal: gone.signal },
    )
    gone.abort(new Error('changed my mind'))
    await expect(asked).rejects.toThrow()
    await client.close()
    const again = await connected(url, revision, ownKey)
    expect((await again.listTools()).tools).toHaveLength(11)
    await again.close()
    await own.close()
  })

  it('does not keep the service from stopping while it is connected', async () => {
    const own = await startService({ auth: true })
    const { key: ownKey } = await own.createKey('alice')
    const client = await connected(await addressOf(own), revision, ownKey)
    await call(client, 'list_memories')
    await own.close()
    await expect(call(client, 'list_memories')).rejects.toThrow()
    await client.close()
  })
})

it('answers the request from docs/mcp.md', async () => {
  const page = readFileSync(new URL('../../../../docs/mcp.md', import.meta.url), 'utf8')
  const body = /\/mcp -H .* -d '(.*?)'\n```/s.exec(page)?.[1] ?? ''
  const { status, body: answer } = await post(body)
  expect({ status, answer }).toMatchObject({
    status: 200,
    answer: { result: { structuredContent: { status: 'success' } } },
  })
})

it('counts a request before it reads the body, and a call towards the limit of its operation only', async () => {
  const limits = { SERVICE_RATE_LIMIT_DEFAULT: '3/minute', SERVICE_RATE_LIMIT_RECALL: '9/minute' }
  const own = await startService({ auth: true, env: { SERVICE_RATE_LIMIT_ENABLED: 'true', ...limits } })
  const { key: ownKey } = await own.createKey('alice')
  const url = await addressOf(own)
  const recall = message('tools/call', { name: 'recall_memories', arguments: { query: 'tea' } })
  for (let count = 0; count < 5; count++) expect((await post(recall, { key: ownKey }, own)).status).toBe(200)
  const headers = { authorization: `Bearer ${ownKey}`, 'content-type': 'application/json', 'content-length': 1000 }
  const open = Array.from({ length: 4 }, () => {
    const unfinished = httpRequest(url, { method: 'POST', headers, agent: false })
    unfinished.on('error', () => undefined)
    const status = new Promise<number | undefined>((resolve) =>
      unfinished.on('response', ({ statusCode }) => resolve(statusCode)),
    )
    unfinished.write('{"jsonrpc":')
    return { unfinished, status }
  })
  // Three bodies are awaited. The fourth is refused without waiting for its body.
  expect(await Promise.race(open.map(({ status }) => status))).toBe(429)
  for (const { unfinished } of open) unfinished.destroy()
  await own.close()
})

it('keeps serving after a client disconnects in the middle of its body', async () => {
  const own = await startService({ auth: true })
  const { key: ownKey } = await own.createKey('alice')
  const url = await addressOf(own)
  await new Promise<void>((resolve) => {
    const headers = { authorization: `Bearer ${ownKey}`, 'content-type': 'application/json', 'content-length': 1000 }
    const broken = httpRequest(url, { method: 'POST', headers })
    broken.on('error', () => resolve())
    broken.write('{"jsonrpc":', () => broken.destroy(new Error('gone')))
  })
  expect((await post(message('tools/list'), { key: ownKey }, own)).status).toBe(200)
  await own.close()
})
