/** Requests that newcomers get wrong: the answers say what to send instead. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/harness.js'

let open: TestService
let guarded: TestService
beforeAll(async () => {
  ;[open, guarded] = await Promise.all([startService(), startService({ auth: true })])
})
afterAll(async () => {
  await open.close()
  await guarded.close()
})

describe('the index of the API', () => {
  it.each(['/api/v1', '/api/v1/', '/'])('%s names addresses that exist, and the version', async (path) => {
    const { status, body } = await open.callRoot<Record<string, string>>('GET', path)
    expect(status).toBe(200)
    expect(body.version).toMatch(/^\d+\.\d+\.\d+/)
    const { name: _, version: __, api = '', ...pages } = body
    expect(api).toBe('/api/v1')
    expect(Object.keys(pages).sort()).toEqual(['dashboard', 'docs', 'health', 'openapi', 'redoc'])
    for (const page of Object.values(pages)) {
      const { statusCode } = await open.app.inject({ method: 'GET', url: page })
      expect([200, 308], page).toContain(statusCode)
    }
  })

  it('needs no key, and then hides the version', async () => {
    const { status, body } = await guarded.callRoot<Record<string, string>>('GET', '/api/v1')
    expect({ status, version: body.version, health: body.health }).toEqual({ status: 200, health: '/api/v1/health' })
    const { key } = await guarded.createKey('ana')
    const known = await guarded.callRoot<Record<string, string>>('GET', '/api/v1', { key })
    expect(known.body.version).toMatch(/^\d/)
    expect((await guarded.callRoot('GET', '/api/v1', { key: 'wrong' })).status).toBe(401)
  })
})

describe('a wrong method', () => {
  it.each([
    ['GET', '/store', 'POST'],
    ['DELETE', '/store', 'POST'],
    ['PATCH', '/store', 'POST'],
    ['PUT', '/store', 'POST'],
    ['POST', '/memories', 'GET, HEAD, DELETE'],
    ['POST', '/memories/mem_01h455vb4pex5vsknk084sn02q', 'GET, HEAD, PUT, DELETE'],
    ['PUT', '/', 'GET, HEAD'],
  ] as const)('%s %s is a 405 that lists the right ones', async (method, path, allowed) => {
    for (const service of [open, guarded]) {
      const error = await service.fails(405, method, path, { body: {}, unlisted: true })
      expect(error).toMatchObject({ code: 'not_found', headers: { allow: allowed } })
      expect(error.message).toContain(allowed)
    }
  })
})

describe('a slash at the end', () => {
  it('makes no difference to a request', async () => {
    const stored = await open.call<{ memories: { id: string }[] }>('POST', '/store/', {
      body: { user_id: 'slash', content: 'The ladder is yellow' },
    })
    expect(stored.status).toBe(200)
    const id = stored.body.memories[0]?.id ?? ''
    expect((await open.call<{ total: number }>('GET', '/memories/', { query: { user_id: 'slash' } })).body.total).toBe(
      1,
    )
    expect((await open.call('GET', `/memories/${id}/`)).status).toBe(200)
    expect((await guarded.call('GET', `/memories/${id}/`)).status).toBe(401)
  })

  it('deletes nothing where an id is missing', async () => {
    await open.storeOne({ user_id: 'no-id', content: 'The lid is tight' })
    await open.fails(400, 'DELETE', '/memories/')
    await open.fails(400, 'DELETE', '/memories/', { query: { user_id: 'no-id' } })
    await open.fails(400, 'DELETE', '/memories/', { body: { user_id: 'no-id' } })
    expect((await open.list({ user_id: 'no-id' })).total).toBe(1)
  })

  it.each(['/docs/', '/redoc/', '/api/v1/docs/'])('%s says what to change', async (path) => {
    const { status, body } = await open.callRoot('GET', path, { unlisted: true })
    expect({ status, message: body.error.message }).toEqual({
      status: 404,
      message: 'There is nothing at this address; remove the slash at its end',
    })
  })

  it('is not removed twice', async () => {
    await open.fails(404, 'GET', '/memories//', { unlisted: true })
    expect((await open.callRoot('GET', '//', { unlisted: true })).status).toBe(404)
  })
})

describe('an unknown field', () => {
  it.each([
    ['/store', { userId: 'ana', text: 'The door is blue' }, { userId: 'user_id', text: 'content' }],
    ['/recall', { user: 'ana', text: 'door', top_k: 3 }, { user: 'user_id', text: 'query', top_k: 'limit' }],
    ['/store', { content: 'x', user_id: 'ana', tll: '7d', unexpected: 1 }, { tll: 'ttl', unexpected: undefined }],
  ])('of %s gets the name that was probably meant: %o', async (path, body, expected) => {
    const { details = [] } = await open.fails(400, 'POST', path, { body })
    const messages = new Map(details.map((detail) => [detail.path, detail.message]))
    for (const [name, field] of Object.entries(expected)) {
      const next = field === undefined ? '' : `; did you mean ${field}?`
      expect(messages.get(name)).toBe(`is not a known field${next}`)
    }
  })

  it('in a list, in a query and among too many gets it too', async () => {
    const messages = [{ role: 'user', text: 'hello there' }]
    const nested = await open.fails(400, 'POST', '/store', { body: { user_id: 'ana', messages } })
    expect(nested.details).toContainEqual({
      path: 'messages[0].text',
      message: 'is not a known field; did you mean content?',
    })
    const query = await open.fails(400, 'GET', '/memories', { query: { userId: 'ana' } })
    expect(query.details?.[0]?.message).toContain('did you mean user_id?')
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`field${index}`, 1]))
    const refused = await open.fails(400, 'POST', '/recall', { body: { topK: 1, ...many } })
    expect(refused.details?.[0]).toEqual({ path: 'topK', message: 'is not a known field; did you mean limit?' })
  })
})

describe('DELETE /memories/{id}', () => {
  it('erases one memory, and is a 404 when there is none', async () => {
    const one = await open.storeOne({ user_id: 'single', content: 'The shelf is high' })
    const other = await open.storeOne({ user_id: 'single', content: 'The lamp is low' })
    const answer = await open.ok('DELETE', `/memories/${one.id}`)
    expect(answer).toEqual({ status: 'success', deleted: 1, memory_ids: [one.id] })
    expect((await open.list({ user_id: 'single' })).memories.map(({ id }) => id)).toEqual([other.id])
    expect((await open.fails(404, 'DELETE', `/memories/${one.id}`)).code).toBe('not_found')
    await open.fails(404, 'DELETE', '/memories/nonsense')
    await open.fails(400, 'DELETE', `/memories/${other.id}`, { body: { all: true } })
    expect((await open.list({ user_id: 'single' })).total).toBe(1)
  })

  it('never reaches another user’s memory', async () => {
    const { key: ana } = await guarded.createKey('ana-single')
    const { key: ben } = await guarded.createKey('ben-single')
    const { id } = await guarded.storeOne({ content: 'The safe is behind the clock' }, { key: ana })
    await guarded.fails(404, 'DELETE', `/memories/${id}`, { key: ben })
    await guarded.fails(404, 'DELETE', `/memories/${id}`, { key: ben, query: { user_id: 'ana-single' } })
    await guarded.fails(401, 'DELETE', `/memories/${id}`)
    const own = await open.storeOne({ user_id: 'owner-single', content: 'The bench is green' })
    await open.fails(404, 'DELETE', `/memories/${own.id}`, { body: { user_id: 'thief' } })
    await open.fails(404, 'DELETE', `/memories/${own.id}`, { query: { user_id: 'thief' } })
    expect((await open.memory(own.id)).content).toBe('The bench is green')
    expect(await guarded.ok('DELETE', `/memories/${id}`, { key: ana })).toMatchObject({ deleted: 1 })
    const line = guarded.auditLines.map((text) => JSON.parse(text)).findLast(({ event }) => event === 'memory.forget')
    expect(line).toMatchObject({ user_id: 'ana-single', memory_ids: [id], outcome: 'success' })
  })
})
