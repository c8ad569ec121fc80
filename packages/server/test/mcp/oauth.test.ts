/** The official client connects with OAuth. The test plays its user, who approves in a browser. */

import { createServer } from 'node:http'
import {
  auth,
  type OAuthClientProvider,
  OAuthError,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { manualClock, startService, type TestService } from '../support/harness.js'
import { decide, sentTo } from '../support/oauth-flow.js'
import { call, memoriesOf, newClient, revisions } from './mcp-client.js'

/** The port must be known before the service starts, because it is part of the issuer. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

type Provider = OAuthClientProvider & { readonly visited: URL[]; clear(): void }

/** Keeps everything in memory, as a client of one server does. */
function provider(more: Partial<OAuthClientProvider> = {}): Provider {
  const kept = new Map<string, unknown>()
  const visited: URL[] = []
  const keep = (name: string) => (value: unknown) => void kept.set(name, value)
  const given = <T>(name: string) => kept.get(name) as T | undefined
  return {
    visited,
    clear: () => kept.clear(),
    redirectUrl: 'http://127.0.0.1:45454/callback',
    clientMetadata: { client_name: 'Official client', redirect_uris: ['http://127.0.0.1/callback'] },
    state: () => 'a state of the client',
    clientInformation: () => given('client'),
    saveClientInformation: keep('client'),
    tokens: () => given('tokens'),
    saveTokens: keep('tokens'),
    codeVerifier: () => given<string>('verifier') ?? '',
    saveCodeVerifier: keep('verifier'),
    discoveryState: () => given('discovery'),
    saveDiscoveryState: keep('discovery'),
    redirectToAuthorization: (url) => void visited.push(url),
    ...more,
  }
}

describe.each(revisions)('an MCP client of revision %s with OAuth', (revision) => {
  let service: TestService
  let url: URL
  let issuer = ''
  let key = ''
  const clock = manualClock()
  beforeAll(async () => {
    const port = await freePort()
    issuer = `http://127.0.0.1:${port}`
    service = await startService({ auth: true, clock, env: { SERVICE_OAUTH_URL: issuer } })
    await service.app.listen({ host: '127.0.0.1', port })
    url = new URL('/mcp', issuer)
    key = (await service.createKey('alice')).key
    await service.storeOne({ content: 'The gate of alice opens at dawn' }, { key })
    const other = (await service.createKey('bob')).key
    await service.storeOne({ content: 'The gate of bob opens at dusk' }, { key: other })
  })
  afterAll(() => service.close())

  /** The browser opens the page, its user approves, and the client gets the address to which it was sent. */
  async function browse(visited: readonly URL[], filledIn: Record<string, string>): Promise<URL> {
    const page = await fetch(visited.at(-1) ?? '')
    const answer = await decide(service.app, await page.text(), filledIn, { origin: issuer })
    expect(answer.statusCode, answer.payload).toBe(200)
    return sentTo(answer.payload)
  }

  async function connectedBy(authProvider: Provider) {
    const first = new StreamableHTTPClientTransport(url, { authProvider })
    await expect(newClient(revision).connect(first)).rejects.toBeInstanceOf(UnauthorizedError)
    const back = await browse(authProvider.visited, { key })
    expect(back.searchParams.get('state')).toBe('a state of the client')
    await first.finishAuth(back.searchParams)
    const client = newClient(revision)
    await client.connect(new StreamableHTTPClientTransport(url, { authProvider }))
    return client
  }

  it('registers, is approved, and reads only the memories of the user who approved', async () => {
    const client = await connectedBy(provider())
    const found = memoriesOf(await call(client, 'recall_memories', { query: 'When does the gate open?' }))
    expect(found.map(({ content }) => content)).toEqual(['The gate of alice opens at dawn'])
    expect(memoriesOf(await call(client, 'list_memories', { user_id: 'bob' }))).toEqual([])
    await client.close()
  })

  it('refreshes its tokens by itself after they expired', async () => {
    const own = provider()
    const client = await connectedBy(own)
    const before = (await own.tokens())?.access_token
    clock.advance(16 * 60_000)
    expect(memoriesOf(await call(client, 'list_memories'))).toHaveLength(1)
    expect((await own.tokens())?.access_token).not.toBe(before)
    expect(own.visited).toHaveLength(1)
    await client.close()
  })

  it('has to be approved again after its grant was revoked', async () => {
    const own = provider({ invalidateCredentials: () => own.clear() })
    const client = await connectedBy(own)
    const { grants } = await service.ok<{ grants: readonly { id: string; client_name: string }[] }>('GET', '/grants', {
      key,
    })
    expect(grants[0]).toMatchObject({ client_name: 'Official client' })
    for (const { id } of grants) await service.call('DELETE', `/grants/${id}`, { key })
    const warned = vi.spyOn(console, 'warn').mockReturnValue()
    await expect(call(client, 'list_memories')).rejects.toThrow()
    warned.mockRestore()
    expect(own.visited).toHaveLength(2)
    await client.close()
  })

  it('notices a code from another issuer', async () => {
    const own = provider()
    expect(await auth(own, { serverUrl: url })).toBe('REDIRECT')
    const back = await browse(own.visited, { key })
    const authorizationCode = back.searchParams.get('code') ?? ''
    const forged = auth(own, { serverUrl: url, authorizationCode, iss: 'https://other.example' })
    await expect(forged).rejects.toThrow(/issuer/i)
    expect(await own.tokens()).toBeUndefined()
  })

  it('gets an error if its user denies', async () => {
    const own = provider()
    await auth(own, { serverUrl: url })
    const back = await browse(own.visited, { decision: 'deny' })
    expect(Object.fromEntries(back.searchParams)).toEqual({
      error: 'access_denied',
      state: 'a state of the client',
      iss: issuer,
    })
  })

  it('is known by its metadata document', async () => {
    const documents = createServer((_request, response) => {
      const document = { client_id: clientId, client_name: 'Documented', redirect_uris: ['http://127.0.0.1/callback'] }
      response.setHeader('content-type', 'application/json').end(JSON.stringify(document))
    })
    const port = await freePort()
    const clientId = `http://127.0.0.1:${port}/client.json`
    await new Promise<void>((resolve) => documents.listen(port, '127.0.0.1', resolve))
    const client = await connectedBy(provider({ clientInformation: () => ({ client_id: clientId, issuer }) }))
    expect(memoriesOf(await call(client, 'list_memories'))).toHaveLength(1)
    expect(await service.ok('GET', '/grants', { key })).toMatchObject({
      grants: expect.arrayContaining([expect.objectContaining({ client_id: clientId, client_name: 'Documented' })]),
    })
    await client.close()
    await new Promise((resolve) => documents.close(resolve))
  })

  it('is refused with a wrong verifier', async () => {
    const own = provider()
    await auth(own, { serverUrl: url })
    const back = await browse(own.visited, { key })
    await own.saveCodeVerifier('a'.repeat(43))
    const warned = vi.spyOn(console, 'warn').mockReturnValue()
    const options = { serverUrl: url, authorizationCode: back.searchParams.get('code') ?? '', iss: issuer }
    await expect(auth(own, options)).rejects.toBeInstanceOf(OAuthError)
    warned.mockRestore()
  })
})
