/** Limits what a foreign web page, a malicious model server and a careless setting can do. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/harness.js'
import { asNode, document, operations } from '../support/openapi-check.js'

describe('a page of another origin', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())
  const origin = 'https://evil.example'

  it('may call nothing unless a setting allows it: no response has CORS headers, and preflights get 403', async () => {
    for (const { method, path } of operations.filter(({ path }) => !path.includes('{'))) {
      const preflight = await service.app.inject({
        method: 'OPTIONS',
        url: path,
        headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'authorization' },
      })
      expect(preflight.statusCode, path).toBe(403)
      const answer = method === 'GET' ? [await service.app.inject({ method, url: path, headers: { origin } })] : []
      for (const { headers } of [preflight, ...answer])
        expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
    }
  })

  it('can’t send JSON as a form or plain text, which browsers send without a preflight', async () => {
    const content = 'sent by a form of another page'
    for (const contentType of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const raw = JSON.stringify({ user_id: 'ana', content })
      await service.fails(415, 'POST', '/store', { raw, contentType })
    }
    expect((await service.list({ user_id: 'ana' })).total).toBe(0)
  })
})

describe('pages', () => {
  it('load scripts from their own origin only, can’t be framed, and send no referrer', async () => {
    const service = await startService({ auth: true })
    for (const path of ['/docs', '/redoc', '/api/v1/docs', '/api/v1/redoc']) {
      const { headers } = await service.callRoot<string>('GET', path)
      const policy = String(headers['content-security-policy'])
      const directives = new Map(policy.split('; ').map((each) => [each.split(' ')[0], each.split(' ').slice(1)]))
      expect(directives.get('default-src')).toEqual(["'none'"])
      expect(directives.get('script-src')).toEqual(["'self'"])
      expect(directives.get('connect-src')).toEqual(["'self'"])
      for (const none of ['frame-ancestors', 'base-uri', 'form-action'])
        expect(directives.get(none)).toEqual(["'none'"])
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
    }
    await service.close()
  })
})

describe('the URL of a model', () => {
  /** A server that records requests, such as the metadata service of a cloud, which must never get one. */
  async function listening(answer: (location: string) => { status: number; headers: Record<string, string> }, to = '') {
    const asked: string[] = []
    const server: Server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`)
      const { status, headers } = answer(to)
      request.resume().on('end', () => response.writeHead(status, headers).end('{}'))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    // A server that listens on TCP has an address of this type.
    const { port } = server.address() as AddressInfo
    return { asked, url: `http://127.0.0.1:${port}`, close: () => new Promise((resolve) => server.close(resolve)) }
  }

  it('is the only one called: no redirect of any kind is followed', async () => {
    const statuses = [301, 302, 303, 307, 308]
    const inside = await listening(() => ({ status: 200, headers: {} }))
    let asked = 0
    const model = await listening((location) => {
      asked += 1
      return { status: statuses[asked % statuses.length] ?? 301, headers: { location } }
    }, `${inside.url}/latest/meta-data/`)
    const service = await startService({
      languageModel: null,
      languageModelBudgetMs: 20_000,
      env: { SERVICE_LLM_BASE_URL: model.url, SERVICE_LLM_MODEL: 'm', SERVICE_LLM_API_KEY: 'sk-key-of-the-model' },
    })
    for (const hour of statuses) {
      const stored = await service.store({ user_id: 'ana', content: `The harbour opens at ${hour}` })
      expect(stored).toMatchObject({ degraded: ['llm'] })
    }
    expect(model.asked.length).toBeGreaterThanOrEqual(statuses.length)
    expect(inside.asked).toEqual([])
    await service.close()
    await Promise.all([model.close(), inside.close()])
  })

  it('can only be set by the operator: no request has a field for a URL', () => {
    const names = new Set<string>()
    const collect = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return
      if (Array.isArray(node)) for (const each of node) collect(each)
      const { properties, format } = asNode(node)
      expect(['uri', 'url', 'iri', 'hostname', 'uri-reference']).not.toContain(format)
      if (typeof properties === 'object' && properties !== null)
        for (const name of Object.keys(properties)) names.add(name)
      for (const each of Object.values(node)) collect(each)
    }
    for (const { description } of operations) {
      collect(description.requestBody)
      for (const parameter of Array.isArray(description.parameters) ? description.parameters : [])
        names.add(String(asNode(parameter).name))
    }
    collect(asNode(document.components).schemas)
    // Users choose the URLs of webhooks; public-address.ts keeps these out of the private network.
    const webhooksAlone = ['url', 'webhook', 'webhooks']
    expect(names.size).toBeGreaterThan(30)
    expect([...names].filter((name) => /url|uri|host|webhook|callback|endpoint|address/i.test(name)).sort()).toEqual(
      webhooksAlone,
    )
  })
})
