/** Every endpoint × every status, generated from the OpenAPI document. `access.test.ts` checks who may call them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ErrorAnswer } from '../support/contract.js'
import { type Method, masterKey, startService, type TestService } from '../support/harness.js'
import { operations } from '../support/openapi-check.js'
import {
  accessOf,
  type Fixture,
  fixtureOf,
  freshIds,
  graphIds,
  guarded,
  hasBody,
  hasId,
  named,
  sampleBody,
  send,
} from '../support/samples.js'

const specified = [
  ...['GET /health', 'POST /store', 'POST /recall', 'GET /memories', 'PUT /memories/{id}', 'DELETE /memories'],
  ...['POST /cleanup-expired', 'GET /entities', 'GET /entities/{id}', 'GET /entities/{id}/relationships'],
  ...['GET /entities/{id}/memories', 'GET /temporal/decay/report', 'GET /temporal/memory/{id}/decay'],
  ...['POST /temporal/cleanup', 'POST /keys', 'GET /keys', 'DELETE /keys/{id}'],
  ...[
    'GET /memories/{id}',
    'GET /memories/{id}/history',
    'POST /memories/{id}/release',
    'DELETE /memories/{id}',
    'GET /contradictions',
    'GET /contradictions/{id}',
    'POST /contradictions/{id}/accept',
    'POST /contradictions/{id}/revert',
    'POST /consolidate',
    'GET /entities/{id}/merges',
    'POST /entities/{id}/merge',
    'POST /merges/{id}/revert',
    'GET /events',
    'POST /webhooks',
    'GET /webhooks',
    'GET /webhooks/{id}',
    'DELETE /webhooks/{id}',
    'GET /webhooks/{id}/dead-letters',
    'POST /webhooks/{id}/redeliver',
    'GET /openapi.json',
    'GET /openapi.yaml',
    'GET /docs',
    'GET /redoc',
  ],
].map((name) => name.replace(' ', ' /api/v1'))

it.each(specified)('the OpenAPI document describes %s', (name) => {
  expect(operations.map(({ method, path }) => `${method} ${path}`)).toContain(name)
})

it.each(['/livez', '/readyz', '/metrics', '/openapi.json', '/openapi.yaml', '/docs', '/redoc'])(
  'the OpenAPI document describes GET %s',
  (path) => {
    expect(operations.map((operation) => operation.path)).toContain(path)
  },
)

describe('with authentication on', () => {
  let service: TestService
  let fixture: Fixture
  beforeAll(async () => {
    service = await startService({ auth: true })
    const plain = await fixtureOf(service)
    fixture = { ...plain, ...(await graphIds(service, plain.userKey)) }
  })
  afterAll(() => service.close())

  it.each(named(operations))('%s succeeds', async (name, operation) => {
    const ids = await freshIds(service, fixture.userKey, operation)
    const answer = await send(service, operation, { ...fixture, ...ids })
    expect(answer.status, answer.text).toBe(name === 'POST /api/v1/keys' ? 201 : 200)
    expect(answer.text.length).toBeGreaterThan(0)
  })

  it.each(named(guarded.filter((operation) => accessOf(operation) !== 'metrics')))(
    '%s answers 400 naming an unknown query parameter',
    async (_name, operation) => {
      const answer = await send<ErrorAnswer>(service, operation, fixture, { query: { unexpected: 'x' } })
      expect(answer.status, answer.text).toBe(400)
      expect(answer.body.error.code).toBe('validation_error')
      expect(answer.body.error.details?.map(({ path }) => path)).toContain('unexpected')
    },
  )

  it.each(named(guarded.filter(hasBody)))('%s answers 400 naming an unknown field', async (_name, operation) => {
    const answer = await send<ErrorAnswer>(service, operation, fixture, { body: { unexpected: true } })
    expect(answer.status, answer.text).toBe(400)
    expect(answer.body.error.details?.map(({ path }) => path)).toContain('unexpected')
  })

  it.each(named(guarded.filter(hasId)))('%s answers 404 to an unknown or malformed id', async (_name, operation) => {
    const { path } = operation
    for (const prefix of ['mem', 'ent', 'key', 'rel', 'con', 'mrg', 'whk', 'x']) {
      for (const id of [
        `${prefix}_01h455vb4pex5vsknk084sn02q`,
        `${prefix}_81h455vb4pex5vsknk084sn02q`,
        prefix,
        `${prefix}_`,
      ]) {
        const url = path.replace('{id}', id).replace('/api/v1', '')
        const body = hasBody(operation) ? { body: sampleBody(operation, fixture) } : {}
        const key = accessOf(operation) === 'master' ? masterKey : fixture.userKey
        const error = await service.fails(404, operation.method as Method, url, { key, ...body })
        expect(error.code).toBe('not_found')
      }
    }
  })
})

describe('beyond the rate limit', () => {
  let service: TestService
  let fixture: Fixture
  const one = '1/minute'
  beforeAll(async () => {
    service = await startService({
      auth: true,
      env: {
        SERVICE_RATE_LIMIT_ENABLED: 'true',
        SERVICE_RATE_LIMIT_STORE: '2/minute',
        SERVICE_RATE_LIMIT_RECALL: one,
        SERVICE_RATE_LIMIT_FORGET: one,
        SERVICE_RATE_LIMIT_DEFAULT: '4/minute',
      },
    })
    fixture = await fixtureOf(service)
  })
  afterAll(() => service.close())

  it.each(named(guarded.filter((operation) => accessOf(operation) !== 'metrics')))(
    '%s answers 429',
    async (_name, operation) => {
      let last = await send<ErrorAnswer>(service, operation, fixture)
      for (let attempt = 0; attempt < 5 && last.status !== 429; attempt++) {
        last = await send<ErrorAnswer>(service, operation, fixture)
      }
      expect(last.status).toBe(429)
      expect(last.body.error.code).toBe('rate_limit_exceeded')
      expect(Number(last.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    },
  )
})
