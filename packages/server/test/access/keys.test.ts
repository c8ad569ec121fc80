import { rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keptIn } from '../services/engine.js'
import type { CreatedKeyAnswer, KeysAnswer } from '../support/contract.js'
import { isoPattern } from '../support/contract.js'
import { masterKey, startService, type TestService, temporaryDirectory } from '../support/harness.js'

const keyPattern = /^ksk_([0-7][0-9a-hjkmnp-tv-z]{25})_([A-Za-z0-9_-]{43})$/

describe('API keys', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService({ auth: true })
  })
  afterAll(() => service.close())
  const keys = (query = {}) => service.ok<KeysAnswer>('GET', '/keys', { key: masterKey, query })
  const revoke = (id: string) =>
    service.ok<{ status: string; id: string; revoked_at: string }>('DELETE', `/keys/${id}`, { key: masterKey })

  it('are created with the master key and contain 256 bits of secret, shown once', async () => {
    const answer = await service.call<CreatedKeyAnswer>('POST', '/keys', {
      key: masterKey,
      body: { user_id: 'ana', name: 'laptop' },
    })
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({ user_id: 'ana', name: 'laptop', created_at: expect.stringMatching(isoPattern) })
    const [, id, secret = ''] = keyPattern.exec(answer.body.key) ?? []
    expect(answer.body.id).toBe(`key_${id}`)
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
    service.forbidInLogs(secret)
    const listed = JSON.stringify(await keys())
    expect(listed).not.toContain(secret)
    expect(listed).not.toContain(secret.slice(0, 8))
  })

  it('are unique', async () => {
    const created = await Promise.all(Array.from({ length: 8 }, (_, index) => service.createKey('many', `k${index}`)))
    expect(new Set(created.map(({ key }) => key.split('_').slice(2).join('_'))).size).toBe(8)
    expect(new Set(created.map(({ id }) => id)).size).toBe(8)
  })

  it('are listed with their state, optionally by user, without hash or key', async () => {
    const { id, key } = await service.createKey('lister', 'first')
    const { keys: listed, total } = await keys({ user_id: 'lister' })
    expect(total).toBe(1)
    expect(listed[0]).toMatchObject({
      id,
      user_id: 'lister',
      name: 'first',
      status: 'active',
      last_used_at: null,
      revoked_at: null,
    })
    expect(key.startsWith(listed[0]?.preview.replace(/[….]+$/, '') ?? '?')).toBe(true)
    expect(Object.keys(listed[0] ?? {}).sort()).toEqual([
      'access',
      'created_at',
      'expires_at',
      'id',
      'kind',
      'last_used_at',
      'name',
      'preview',
      'project',
      'revoked_at',
      'status',
      'user_id',
      'user_prefix',
    ])
    expect((await keys({ user_id: 'nobody' })).total).toBe(0)
    expect((await keys()).total).toBeGreaterThan(1)
  })

  it('give access to the memories of their own user only', async () => {
    const ana = (await service.createKey('k-ana')).key
    const bob = (await service.createKey('k-bob')).key
    const { id } = await service.storeOne({ content: 'The vault opens at dawn' }, { key: ana })
    expect(await service.list({}, { key: ana })).toMatchObject({ total: 1, memories: [{ id, user_id: 'k-ana' }] })
    expect(await service.list({ user_id: 'k-ana' }, { key: bob })).toMatchObject({ total: 0, memories: [] })
    expect(await service.recall({ query: 'vault dawn', user_id: 'k-ana' }, { key: bob })).toMatchObject({
      memories: [],
      context: '',
      total: 0,
    })
    await service.fails(404, 'GET', `/memories/${id}`, { key: bob })
    const error = await service.fails(400, 'POST', '/store', {
      key: bob,
      body: { content: 'planted', user_id: 'k-ana' },
    })
    expect(error.details).toMatchObject([{ path: 'user_id' }])
    const remove = { key: bob, body: { user_id: 'k-ana', all: true } }
    expect(await service.ok('DELETE', '/memories', remove)).toMatchObject({ deleted: 0 })
    expect((await service.list({}, { key: ana })).total).toBe(1)
  })

  it('stop working as soon as they are revoked; revoking a revoked or unknown key gets 404', async () => {
    const { id, key } = await service.createKey('revoked')
    await service.list({}, { key })
    expect(await revoke(id)).toMatchObject({
      status: 'success',
      id,
      revoked_at: new Date(service.clock.now()).toISOString(),
    })
    await service.fails(401, 'GET', '/memories', { key })
    await service.fails(404, 'DELETE', `/keys/${id}`, { key: masterKey })
    for (const odd of ['key_01h455vb4pex5vsknk084sn02q', 'nonsense', 'mem_01h455vb4pex5vsknk084sn02q']) {
      expect((await service.fails(404, 'DELETE', `/keys/${odd}`, { key: masterKey })).code).toBe('not_found')
    }
    expect((await keys({ user_id: 'revoked' })).keys).toMatchObject([
      { id, status: 'revoked', revoked_at: expect.any(String) },
    ])
  })

  it('get the same 401 over a socket if they are too long or have invalid characters', async () => {
    const { key } = await service.createKey('wire')
    const { port } = new URL(await service.app.listen({ host: '127.0.0.1', port: 0 }))
    const answerTo = (token: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const lines = [
          'GET /api/v1/memories HTTP/1.1',
          'Host: x',
          'Connection: close',
          `Authorization: Bearer ${token}`,
        ]
        const socket = connect(Number(port), '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`))
        let text = ''
        socket.on('data', (chunk) => {
          text += chunk
        })
        socket.on('error', reject)
        socket.on('close', () => resolve(text))
      })
    const shapes = new Set<string>()
    for (const token of [
      `${key}${'A'.repeat(30)}`,
      `${key}\0`,
      `\0${key}`,
      `${key.slice(0, 40)}\0${key.slice(41)}`,
      `${key}\u0001`,
      `${key.slice(0, -1)}ä`,
      `${key.slice(0, -1)}🔑`,
      `${key} ${key}`,
      'x'.repeat(8000),
      key.toUpperCase(),
    ]) {
      const text = await answerTo(token)
      expect(text.split('\r\n')[0], JSON.stringify(token.slice(-20))).toBe('HTTP/1.1 401 Unauthorized')
      expect(text).toMatch(/\r\nwww-authenticate: Bearer/i)
      shapes.add(text.slice(text.indexOf('{')).replace(/[0-9a-f-]{36}/, 'id'))
    }
    expect([...shapes]).toEqual([
      '{"error":{"code":"authentication_error","message":"The API key is not valid","request_id":"id"}}',
    ])
    expect((await answerTo(key)).split('\r\n')[0]).toBe('HTTP/1.1 200 OK')
  })

  it('keep working when another key of the user is revoked', async () => {
    const [one, two] = [await service.createKey('pair'), await service.createKey('pair')]
    await revoke(one.id)
    await service.list({}, { key: two.key })
  })

  it.each([
    [{}, 'name'],
    [{ user_id: 'a' }, 'name'],
    [{ name: 'a' }, 'user_id'],
    [{ user_id: '', name: 'a' }, 'user_id'],
    [{ user_id: 'a', name: '' }, 'name'],
    [{ user_id: 7, name: 'a' }, 'user_id'],
    [{ user_id: 'a', name: 'b', admin: true }, 'admin'],
  ])('are not created from the invalid body %o', async (body, path) => {
    const { total } = await keys()
    const error = await service.fails(400, 'POST', '/keys', { key: masterKey, body })
    expect(error.details?.map((detail) => detail.path)).toContain(path)
    expect((await keys()).total).toBe(total)
  })

  it('can be managed with the master key when authentication is off, and not at all without a master key', async () => {
    const open = await startService({ env: { SERVICE_MASTER_KEY: masterKey, SERVICE_AUTH_ENABLED: 'false' } })
    await open.createKey('ana')
    await open.fails(401, 'GET', '/keys')
    await open.close()
    const without = await startService()
    for (const key of [null, masterKey, 'undefined', '']) await without.fails(401, 'GET', '/keys', { key })
    await without.fails(401, 'POST', '/keys', { body: { user_id: 'ana', name: 'x' } })
    await without.close()
  })

  it('are on disk only as bcrypt hashes of cost 10', async () => {
    const service = await startService({ auth: true, realBcrypt: true })
    const { key } = await service.createKey('disk')
    await service.list({}, { key })
    const secret = key.split('_').slice(2).join('_')
    let hashes = 0
    for (const { path, bytes } of await keptIn(service.dataDir)) {
      expect(bytes.includes(secret), path).toBe(false)
      if (bytes.includes('$2b$10$')) hashes += 1
    }
    expect(hashes).toBeGreaterThan(0)
    await service.close()
  })

  it('show their last use immediately and after a restart', async () => {
    const dataDir = await temporaryDirectory()
    const service2 = await startService({ auth: true, dataDir })
    const { id, key } = await service2.createKey('used')
    service2.clock.advance(5000)
    await service2.list({}, { key })
    const used = new Date(service2.clock.now()).toISOString()
    const { keys: now } = await service2.ok<KeysAnswer>('GET', '/keys', { key: masterKey })
    expect(now).toMatchObject([{ id, last_used_at: used }])
    await service2.close()
    const again = await startService({ auth: true, dataDir, clock: service2.clock })
    const { keys: listed } = await again.ok<KeysAnswer>('GET', '/keys', { key: masterKey })
    expect(listed).toMatchObject([{ id, last_used_at: used }])
    await again.list({}, { key })
    await again.close()
    await rm(dataDir, { recursive: true })
  })
})
