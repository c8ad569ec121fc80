/** Starts and stops the real process with the real models. */
import { mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ListAnswer, RecallAnswer, StoreAnswer } from '../support/contract.js'
import { masterKey, startService, temporaryDirectory } from '../support/harness.js'
import { killAll, mainFile, post, runService, runToEnd } from '../support/running-service.js'

describe('a running service', () => {
  let dataDir: string
  beforeAll(async () => {
    dataDir = await temporaryDirectory()
  })
  afterAll(async () => {
    await killAll()
    await rm(dataDir, { recursive: true, force: true })
  })

  it('prints a banner, refuses a second process on its data, and stops without dropping a request', async () => {
    const env = { SERVICE_DATA_DIR: dataDir, SERVICE_RATE_LIMIT_ENABLED: 'false', SERVICE_MISSPELT: 'x' }
    const service = await runService(env)
    for (const text of [`${service.url}/docs`, `${service.url}/redoc`, dataDir, 'Authentication', 'off', 'curl']) {
      expect(service.output()).toContain(text)
    }
    expect(service.output()).toContain('SERVICE_MISSPELT')

    // The command in the banner works.
    const [, body = '{}'] = /-d '(\{.*\})'/.exec(service.output()) ?? []
    const first = await post(`${service.url}/api/v1/store`, JSON.parse(body))
    expect(first).toMatchObject({ status: 200, body: { status: 'success' } })

    // Only the account of the service may read the data.
    for (const name of await readdir(dataDir)) {
      const { mode } = await stat(join(dataDir, name))
      if (name.startsWith('keepsake.')) expect(mode & 0o077, name).toBe(0)
    }

    const second = await runToEnd(env)
    expect(second.code).not.toBe(0)
    expect(second.code).not.toBeNull()
    const lines = second.errors.trimEnd().split('\n')
    expect(lines, second.errors).toHaveLength(1)
    expect(lines[0]).toContain(dataDir)
    expect(lines[0]).toMatch(/in use|another|already|lock/i)

    const stores = Array.from({ length: 40 }, (_, index) =>
      post(`${service.url}/api/v1/store`, { user_id: 'flight', content: `Passenger ${index} has seat s${index}` }),
    )
    // All requests have been sent by the time the first is answered.
    await stores[0]
    service.process.kill('SIGTERM')
    const answers = await Promise.allSettled(stores)
    const acknowledged = answers.flatMap((answer) =>
      answer.status === 'fulfilled' && answer.value.status === 200 ? [answer.value.body as StoreAnswer] : [],
    )
    for (const answer of answers) {
      // A connection that the service never accepted is not a dropped request.
      if (answer.status === 'fulfilled') expect([200, 503]).toContain(answer.value.status)
      else expect(String(answer.reason.cause?.code)).toBe('ECONNREFUSED')
    }
    expect(acknowledged.length).toBeGreaterThan(0)
    expect((await service.finished).code).toBe(0)

    const again = await runService({ ...env, SERVICE_LOG_LEVEL: 'silent' })
    const list = await fetch(`${again.url}/api/v1/memories?user_id=flight&limit=500`)
    // Other tests check this shape against the OpenAPI document.
    const { memories } = (await list.json()) as ListAnswer
    const kept = new Set(memories.map(({ id }) => id))
    for (const answer of acknowledged) for (const { id } of answer.memories) expect(kept.has(id)).toBe(true)
    expect(again.output()).not.toContain('"level"')
    expect(service.output()).toContain('"level"')
    again.process.kill('SIGINT')
    expect((await again.finished).code).toBe(0)
  })

  it('starts on a data directory whose owner was killed', async () => {
    const env = { SERVICE_DATA_DIR: dataDir }
    const service = await runService(env)
    await post(`${service.url}/api/v1/store`, { user_id: 'killed', content: 'The torch is lit' })
    service.process.kill('SIGKILL')
    await service.finished
    const again = await runService({ ...env, SERVICE_LOG_FORMAT: 'text' })
    const list = await fetch(`${again.url}/api/v1/memories?user_id=killed`)
    expect(await list.json()).toMatchObject({ total: 1, memories: [{ content: 'The torch is lit' }] })
    await post(`${again.url}/api/v1/store`, { user_id: 'killed', content: 'The rope is wet' })
    again.process.kill('SIGTERM')
    const { code, output } = await again.finished
    expect(code).toBe(0)
    // The log is readable, and the audit log can still be verified.
    expect(output).not.toContain('"level"')
    expect(output).toMatch(/^\d\d:\d\d:\d\d {2}info {3}GET \/api\/v1\/memories {2}200 {2}[\d.]+ ms$/m)
    expect(output).toMatch(/^\{"time":.*"event":"memory\.store".*"hash":"[0-9a-f]{64}"\}$/m)
  })

  it.each([
    [{ SERVICE_PORT: 'eighty' }, 'SERVICE_PORT'],
    [{ SERVICE_MASTER_KEY: 'short' }, 'SERVICE_MASTER_KEY'],
    [{ SERVICE_HOST: '0.0.0.0' }, 'SERVICE_HOST'],
    [{ SERVICE_AUDIT_LOG: '/nowhere/at/all/audit.log' }, '/nowhere/at/all'],
  ])('exits with one line and code 1 for the settings %o', async (change, mention) => {
    const directory = join(dataDir, 'fresh')
    await mkdir(directory, { recursive: true })
    const { code, errors } = await runToEnd({ SERVICE_DATA_DIR: directory, SERVICE_PORT: '0', ...change })
    expect(code).toBe(1)
    expect(errors.trimEnd().split('\n'), errors).toHaveLength(1)
    expect(errors).toContain(mention)
  })

  it('exits with one line that names the setting if the port is taken or the data directory is a file', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    // A server that listens on TCP has an address of this type.
    const { port } = taken.address() as AddressInfo
    const file = join(dataDir, 'a-file')
    await writeFile(file, 'not a directory')
    for (const [env, setting, mention] of [
      [{ SERVICE_DATA_DIR: join(dataDir, 'port'), SERVICE_PORT: String(port) }, 'SERVICE_PORT', String(port)],
      [{ SERVICE_DATA_DIR: join(file, 'below') }, 'SERVICE_DATA_DIR', file],
    ] as const) {
      const { code, errors } = await runToEnd(env, dataDir)
      expect(code).toBe(1)
      expect(errors.trimEnd().split('\n'), errors).toHaveLength(1)
      expect(errors).toContain(mention)
      expect(errors).toMatch(new RegExp(`^keepsake: ${setting}: .+; for example ${setting}=`))
    }
    await new Promise((resolve) => taken.close(resolve))
  })

  it('starts through a symbolic link', async () => {
    const link = join(dataDir, 'linked-main.js')
    await symlink(mainFile, link)
    const { code, errors } = await runToEnd({ SERVICE_DATA_DIR: dataDir, SERVICE_PORT: 'eighty' }, dataDir, link)
    expect(errors).toContain('SERVICE_PORT')
    expect(code).toBe(1)
  })

  it('reads .env in the data directory, which the environment overrides', async () => {
    const directory = await temporaryDirectory()
    await writeFile(join(directory, '.env'), `SERVICE_MASTER_KEY=${masterKey}\nSERVICE_LOG_LEVEL=loud\n`)
    const bad = await runToEnd({ SERVICE_DATA_DIR: directory }, tmpdir())
    expect(bad.errors).toContain('SERVICE_LOG_LEVEL')
    const service = await runService({ SERVICE_DATA_DIR: directory, SERVICE_LOG_LEVEL: 'info' })
    expect((await fetch(`${service.url}/api/v1/memories`)).status).toBe(401)
    expect(service.output()).not.toContain(masterKey)
    expect(service.output()).toMatch(/Authentication\s+on/)
    service.process.kill('SIGTERM')
    await service.finished
    await rm(directory, { recursive: true })
  })
})

describe('the real models', () => {
  it('find memories by meaning without a common word', async () => {
    const service = await startService({ realModels: true })
    const contents = [
      'John works at Acme Corp',
      'I love hiking in the mountains',
      'The dentist moved to Baker Street',
      'Our invoice for March is still open',
      'The printer on the second floor is out of toner',
      'Grandmother bakes plum cake every Sunday',
      'The router password is on the fridge',
      'My passport expires in November',
    ]
    for (const content of contents) await service.store({ user_id: 'ana', content })
    const best = async (query: string, extra = {}) => {
      const { memories }: RecallAnswer = await service.recall({ user_id: 'ana', query, ...extra })
      return memories[0]?.content
    }
    expect(await best('Where does John work?')).toBe('John works at Acme Corp')
    expect(await best('Which outdoor activity do I enjoy?')).toBe('I love hiking in the mountains')
    expect(await best('Which outdoor activity do I enjoy?', { enable_hybrid: false })).toBe(
      'I love hiking in the mountains',
    )
    expect(await best('When do I need to renew my travel document?')).toBe('My passport expires in November')
    expect(await best('Which company employs John?', { enable_rerank: true })).toBe('John works at Acme Corp')
    await service.close()
  })
})
