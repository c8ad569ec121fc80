/** Two services on one database, as behind a proxy: each can answer every request. */
import { rm } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { good, type LlmStub, type StubAnswer, startLlmStub } from '../../src/models/llm/llm-stub.fixture.js'
import type { StoreAnswer } from '../support/contract.js'
import { manualClock, startService, type TestService, temporaryDirectory } from '../support/harness.js'
import { killAll, post, runService } from '../support/running-service.js'
import { anyPostgres, makeDatabase, type PostgresServer } from './postgres.js'

let server: Pick<PostgresServer, 'url' | 'close'>
let database: Awaited<ReturnType<typeof makeDatabase>>
const open: TestService[] = []
const stubs: LlmStub[] = []

beforeEach(async () => {
  server = await anyPostgres()
  database = await makeDatabase(server.url)
})
afterEach(async () => {
  for (const service of open.splice(0)) await service.close()
  for (const stub of stubs.splice(0)) await stub.close()
  await database.drop()
  await server.close()
})

const clock = manualClock()
async function instance(more: Parameters<typeof startService>[0] = {}): Promise<TestService> {
  const env = { SERVICE_DATABASE_URL: database.url }
  const service = await startService({ clock, languageModel: null, ...more, env: { ...env, ...more.env } })
  open.push(service)
  return service
}

it('prints its database without the password at start, and keeps its memories after a kill', async () => {
  const dataDir = await temporaryDirectory()
  const env = { SERVICE_DATA_DIR: dataDir, SERVICE_DATABASE_URL: database.url, SERVICE_RATE_LIMIT_ENABLED: 'false' }
  const { host, pathname, password } = new URL(database.url)
  try {
    const first = await runService(env)
    expect(first.output()).toContain(`PostgreSQL at ${host}${pathname}`)
    const stored = await post(`${first.url}/api/v1/store`, { user_id: 'ana', content: 'The boat leaves at noon' })
    expect(stored.status).toBe(200)
    first.process.kill('SIGKILL')
    const { output, errors } = await first.finished
    expect(output + errors).not.toContain(password)
    const second = await runService(env)
    const found = await post(`${second.url}/api/v1/recall`, { user_id: 'ana', query: 'When does the boat leave?' })
    expect(found.body).toMatchObject({ memories: [{ content: 'The boat leaves at noon' }] })
    second.process.kill('SIGTERM')
    expect(await second.finished).toMatchObject({ code: 0 })
  } finally {
    await killAll()
    await rm(dataDir, { recursive: true })
  }
})

it('sees at once what another instance stored, changed or deleted', async () => {
  const [one, two] = [await instance(), await instance()]
  for (let round = 0; round < 5; round++) {
    const content = `The password of round ${round} is walrus${round}`
    const { id } = await one.storeOne({ user_id: 'ana', content })
    const ask = async (service: TestService) =>
      (await service.recall({ user_id: 'ana', query: `walrus${round}` })).memories.map((memory) => memory.id)
    expect((await ask(two))[0]).toBe(id)
    const changed = { body: { content: `The password of round ${round} is now a secret` } }
    await two.ok('PUT', `/memories/${id}`, changed)
    expect((await one.memory(id)).content).toBe(changed.body.content)
    await two.ok('DELETE', '/memories', { body: { memory_ids: [id] } })
    expect(await ask(one)).not.toContain(id)
  }
})

it('ends a membership on every instance at once, and stores nothing into a space that another instance deletes', async () => {
  const [one, two] = [await instance(), await instance()]
  const body = { name: 'Team', user_id: 'ana' }
  const { id } = (await one.ok<{ space: { id: string } }>('POST', '/spaces', { body })).space
  const grant = { body: { member: 'ben', role: 'writer', user_id: 'ana' } }
  const store = (service: TestService, user_id: string, number: number) =>
    service.call('POST', '/store', {
      body: { user_id, space: id, content: `The boat number ${number} leaves at noon` },
    })
  for (let round = 0; round < 5; round++) {
    await one.ok('POST', `/spaces/${id}/members`, grant)
    const query = { space: id, user_id: 'ben' }
    expect((await two.call('GET', '/memories', { query })).status).toBe(200)
    expect((await store(two, 'ben', round)).status).toBe(200)
    await one.ok('DELETE', `/spaces/${id}/members`, { query: { member: 'ben', user_id: 'ana' } })
    expect((await two.call('GET', '/memories', { query })).status).toBe(404)
    expect((await store(two, 'ben', round)).status).toBe(404)
  }
  const late = Array.from({ length: 12 }, (_, number) => store(two, 'ana', 100 + number))
  await one.ok('DELETE', `/spaces/${id}`, { query: { user_id: 'ana' } })
  for (const { status } of await Promise.all(late)) expect([200, 404]).toContain(status)
  expect((await one.list()).total).toBe(0)
})

it('stores one memory when all instances get the same text at the same time', async () => {
  const services = [await instance(), await instance()]
  const stores = Array.from({ length: 10 }, (_, index) =>
    services[index % 2]?.store({ user_id: 'ana', content: 'I love hiking in the Alps' }),
  )
  const actions = (await Promise.all(stores)).flatMap((stored) => stored?.memories.map((memory) => memory.action) ?? [])
  expect(actions.filter((action) => action === 'ADD')).toHaveLength(1)
  expect((await services[0]?.list({ user_id: 'ana' }))?.total).toBe(1)
})

it('stores once when all instances get the same idempotency key at the same time', async () => {
  const services = [await instance(), await instance()]
  const headers = { 'idempotency-key': 'one-for-all' }
  for (let round = 0; round < 5; round++) {
    const body = { user_id: `ana-${round}`, content: `The harbour master is called Piet ${round}` }
    const send = (service: TestService) => service.call<StoreAnswer>('POST', '/store', { body, headers })
    const answers = await Promise.all([...services, ...services].map(send))
    const first = answers.filter(({ status, headers: own }) => status === 200 && !own['idempotency-replayed'])
    expect(first).toHaveLength(1)
    for (const { status, text } of answers) {
      expect([200, 409]).toContain(status)
      if (status === 200) expect(text).toBe(first[0]?.text)
    }
    for (const service of services) {
      expect((await send(service)).text).toBe(first[0]?.text)
      expect((await service.list({ user_id: body.user_id })).total).toBe(1)
    }
  }
})

it('rejects a revoked key on every instance at once', async () => {
  const [one, two] = [await instance({ auth: true }), await instance({ auth: true })]
  const created = await one.createKey('ana')
  await two.list({}, { key: created.key })
  await one.ok('DELETE', `/keys/${created.id}`, { key: 'master-key-of-the-test-suite-0123456789abcdef' })
  await two.fails(401, 'GET', '/memories', { key: created.key })
  two.forbidInLogs(created.key)
})

it('refuses what one process revoked in the next request to another, for every kind of key and for a lower role', async () => {
  const master = 'master-key-of-the-test-suite-0123456789abcdef'
  const env = { SERVICE_DATABASE_URL: database.url, SERVICE_MASTER_KEY: master, SERVICE_RATE_LIMIT_ENABLED: 'false' }
  const directories = [await temporaryDirectory(), await temporaryDirectory()]
  try {
    const processes = await Promise.all(directories.map((path) => runService({ ...env, SERVICE_DATA_DIR: path })))
    const [one, two] = processes.map(({ url }) => async (key: string, method: string, path: string, body?: object) => {
      const headers = {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      }
      const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
      const answer = await fetch(`${url}/api/v1${path}`, init)
      // Every response is a JSON object.
      return {
        status: answer.status,
        body: (await answer.json()) as { id: string; key: string; space: { id: string } },
      }
    })
    if (!one || !two) throw new Error('two processes')
    const keyOf = async (more: object) => (await one(master, 'POST', '/keys', { name: 'a key', ...more })).body
    const ana = await keyOf({ user_id: 'ana' })
    const ben = await keyOf({ user_id: 'ben' })
    const { id } = (await one(ana.key, 'POST', '/spaces', { name: 'Team' })).body.space
    const store = (round: string) =>
      two(ben.key, 'POST', '/store', { space: id, content: `The ${round} boat leaves at noon` })
    const list = () => two(ben.key, 'GET', `/memories?space=${id}`)
    const recall = () => two(ben.key, 'POST', '/recall', { spaces: [id], query: 'When does the boat leave?' })
    for (let round = 0; round < 3; round++) {
      await one(ana.key, 'POST', `/spaces/${id}/members`, { member: 'ben', role: 'writer' })
      for (const allowed of [store, list, recall]) expect((await allowed(`red${round}`)).status).toBe(200)
      await one(ana.key, 'POST', `/spaces/${id}/members`, { member: 'ben', role: 'reader' })
      expect([(await store('blue')).status, (await list()).status]).toEqual([403, 200])
      await one(ana.key, 'DELETE', `/spaces/${id}/members?member=ben`)
      for (const refused of [store, list, recall]) expect((await refused('green')).status).toBe(404)
    }
    const limited = [
      await keyOf({ user_id: 'ana' }),
      await keyOf({ user_id: 'ana', access: 'read' }),
      await keyOf({ user_id: 'ana', access: 'write' }),
      await keyOf({ user_id: 'ana', project: 'p' }),
      await keyOf({ kind: 'application' }),
    ]
    const use = ({ key }: { key: string }) =>
      two(key, 'POST', '/store', { user_id: 'ana', project: 'p', content: 'The ferry leaves at nine' })
    for (const key of limited) {
      // The second request is answered from the cache of matches.
      for (let time = 0; time < 2; time++) expect((await use(key)).status).not.toBe(401)
      expect((await one(master, 'DELETE', `/keys/${key.id}`)).status).toBe(200)
      expect((await use(key)).status).toBe(401)
    }
    for (const { process } of processes) process.kill('SIGTERM')
  } finally {
    await killAll()
    for (const path of directories) await rm(path, { recursive: true })
  }
})

it('does not recover at start a text that another instance is still processing', async () => {
  let answerNow = (): void => undefined
  const held: StubAnswer = (...question) => {
    answerNow = () => good(...question)
  }
  const stub = await startLlmStub(held)
  stubs.push(stub)
  const reading = await instance({ languageModel: stub, languageModelBudgetMs: 60_000 })
  const storing = reading.store({ user_id: 'ana', content: 'The new key is under the mat' })
  await stub.askedTimes(1)
  const started = await instance({ inboxPatienceMs: 60_000 })
  expect((await started.list({ user_id: 'ana' })).total).toBe(0)
  expect(await started.deps.storage.pendingRaw({ kind: 'user', userId: 'ana' }, null, 9)).toHaveLength(1)
  answerNow()
  expect((await storing).memories).toHaveLength(1)
  expect((await started.list({ user_id: 'ana' })).total).toBe(1)
})
