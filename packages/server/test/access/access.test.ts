/** Every operation of the OpenAPI document × every kind of key, so that new routes are covered from the start. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Access, Endpoint } from '../../src/http/endpoint.js'
import { endpoint } from '../../src/http/endpoint.js'
import { listEndpoints } from '../../src/http/endpoints.js'
import { localRateLimiter } from '../../src/http/limits/rate-limit.js'
import { prometheusMetrics } from '../../src/http/metrics/metrics.js'
import { describeEndpoints } from '../../src/http/openapi/openapi-document.js'
import { buildServer } from '../../src/http/server.js'
import { badKeys, holesOf, namingOwner, unfitKeys } from '../attack/key-matrix.js'
import { quickKey } from '../attack/quick-key.js'
import type { ErrorAnswer } from '../support/contract.js'
import { type Method, masterKey, startService, type TestService } from '../support/harness.js'
import { asNode, type Operation, operations, operationsOf } from '../support/openapi-check.js'
import {
  accessOf,
  type Fixture,
  fixtureOf,
  graphIds,
  guarded,
  hasId,
  isNamed,
  named,
  nameOf,
  sampleBody,
  samplePath,
} from '../support/samples.js'

let service: TestService
let fixture: Fixture
let revoked: string
let stranger: string
beforeAll(async () => {
  service = await startService({ auth: true })
  const plain = await fixtureOf(service)
  const { key: userKey } = await quickKey(service, 'sample-user', 'quick')
  fixture = { ...plain, ...(await graphIds(service, userKey)), userKey }
  const old = await quickKey(service, 'sample-user', 'old')
  revoked = old.key
  stranger = (await quickKey(service, 'stranger', 'other')).key
  await service.ok('DELETE', `/keys/${old.id}`, { key: masterKey })
})
afterAll(() => service.close())

const askOf = (operation: Operation) => ({
  path: samplePath(operation, fixture),
  body: sampleBody(operation, fixture),
})

it.each(named(guarded))('%s is refused without a valid key', async (_name, operation) => {
  const cells = badKeys(fixture.userKey, revoked)
  expect(await holesOf(service.app, operation, askOf(operation), cells)).toEqual([])
})

it.each(named(guarded.filter((operation) => accessOf(operation) !== 'cleanup')))(
  '%s is refused with a valid key of the wrong kind',
  async (_name, operation) => {
    const cells = unfitKeys(operation, fixture.userKey)
    expect(cells).not.toEqual([])
    expect(await holesOf(service.app, operation, askOf(operation), cells)).toEqual([])
  },
)

const counters = ['total', 'total_memories', 'deleted', 'would_delete', 'entities_extracted']
/** Words that occur in the fixture's memories. */
const content = /John|Acme|Maria|Oslo|Melanie/

it.each(named(guarded.filter((operation) => ['user', 'cleanup'].includes(accessOf(operation)))))(
  '%s neither shows nor changes the owner’s data with another user’s key',
  async (name, operation) => {
    const owned = async () => ({
      memories: (await service.list({ limit: 500 }, { key: fixture.userKey })).memories,
      items: (await service.ok<{ items: object[] }>('GET', '/items', { key: fixture.userKey })).items,
    })
    const before = await owned()
    for (const [index, { path, body }] of namingOwner(operation, askOf(operation), 'sample-user').entries()) {
      const method = operation.method as Method
      const answer = await service.callRoot<ErrorAnswer>(method, path, {
        key: stranger,
        ...(body === undefined ? {} : { body }),
      })
      expect(answer.text).not.toMatch(content)
      if (hasId(operation)) expect(answer.status, answer.text).toBe(404)
      else if (name.startsWith('POST /api/v1/store') && index > 0) expect(answer.status, answer.text).toBe(400)
      else {
        // Some routes accept a user in one place only, and answer 400 otherwise.
        expect(isNamed(operation) ? [200, 400, 404] : [200, 400], answer.text).toContain(answer.status)
        if (index > 0) for (const counter of counters) expect(asNode(answer.body)[counter] ?? 0, counter).toBe(0)
      }
    }
    expect(await owned()).toEqual(before)
  },
)

it('the OpenAPI document states the required key of each operation', () => {
  const schemes = (operation: Operation) => JSON.stringify(operation.description.security)
  for (const operation of operations) {
    const expected = {
      open: ['[]', '[{},{"apiKey":[]},{"masterKey":[]}]'],
      user: ['[{"apiKey":[]}]'],
      cleanup: ['[{"apiKey":[]},{"masterKey":[]}]'],
      master: ['[{"masterKey":[]}]'],
      metrics: ['[{"masterKey":[]}]'],
    }[accessOf(operation)]
    expect(expected, nameOf(operation)).toContain(schemes(operation))
  }
})

describe('a new route', () => {
  const added = (access: Access) =>
    endpoint({
      method: 'GET',
      path: '/added',
      operationId: 'added',
      summary: 'A route of tomorrow',
      tag: 'Memories',
      access,
      limit: 'default',
      answer: z.strictObject({ secret: z.string() }),
      handle: () => ({ secret: 'told' }),
    })

  /** What the tests above would report for this route. */
  async function holesIn(extra: Endpoint): Promise<string[]> {
    const endpoints = [...listEndpoints('0.0.0'), extra]
    const document = asNode(JSON.parse(JSON.stringify(describeEndpoints(endpoints, '0.0.0'))))
    const found = operationsOf(document).filter(({ path }) => path === '/api/v1/added')
    expect(found).toHaveLength(1)
    const app = await buildServer(optionsOf(service), endpoints)
    const holes: string[] = []
    for (const operation of found) {
      expect(accessOf(operation)).not.toBe('open')
      const cells = [...badKeys(fixture.userKey, revoked), ...unfitKeys(operation, fixture.userKey)]
      holes.push(...(await holesOf(app, operation, { path: operation.path }, cells)))
    }
    await app.close()
    return holes
  }

  it('is covered automatically, and refused without a key', async () => {
    expect(await holesIn(added('user'))).toEqual([])
  })

  it.each(['open', 'probe', 'cleanup'] as const)(
    'fails the tests above if its access is %s by mistake',
    async (access) => {
      expect(await holesIn(added(access))).not.toEqual([])
    },
  )
})

function optionsOf({ deps, config }: TestService): Parameters<typeof buildServer>[0] {
  return {
    deps,
    version: '0.0.0',
    settings: config,
    limiter: localRateLimiter({ ...config.rateLimit, enabled: false }),
    holdFailures: false,
    metrics: prometheusMetrics({
      modelQueue: () => 0,
      outdatedVectors: () => 0,
      index: () => ({ users: 0, versions: 0, bytes: 0, pending: 0 }),
      storage: async () => ({ users: 0, memories: 0, bytes: 0 }),
    }),
    logger: service.app.log,
    startedAt: 0,
    health: async () => ({ healthy: true, serves: true, checks: {}, languages: [] }),
    lifecycle: { ready: () => true, draining: () => false },
  }
}
