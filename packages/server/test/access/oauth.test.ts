/** Attacks on the OAuth flow, and the rules of its standards. `test/mcp/oauth.test.ts` has the flow of the official client. */
import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/config.js'
import { keptIn } from '../services/engine.js'
import {
  dayMs,
  manualClock,
  masterKey,
  startService,
  type TestService,
  temporaryDirectory,
} from '../support/harness.js'
import {
  approved,
  authorizationFields,
  callTool,
  codeFields,
  connectedClient,
  decide,
  getConsent,
  issuer,
  postForm,
  redirectUri,
  refreshed,
  registerClient,
  resource,
  sentTo,
  type Tokens,
} from '../support/oauth-flow.js'

const env = { SERVICE_OAUTH_URL: issuer }
const minuteMs = 60_000

describe('OAuth', () => {
  const clock = manualClock()
  let service: TestService
  let app: TestService['app']
  let clientId = ''
  let key = ''
  let keyId = ''
  beforeAll(async () => {
    service = await startService({ auth: true, clock, env })
    app = service.app
    clientId = await registerClient(app)
    ;({ key, id: keyId } = await service.createKey('alice'))
    await service.storeOne({ content: 'The lighthouse of alice is green' }, { key })
  })
  afterAll(() => service.close())

  const redeem = (code: string, change = {}) => postForm(app, '/oauth/token', codeFields(clientId, code, change))
  const errorOf = (answer: { json(): { error?: string } }) => answer.json().error
  const status = async (token: string) => (await callTool(app, token)).statusCode

  describe('discovery', () => {
    it('starts at a 401 of /mcp, and nowhere else', async () => {
      const metadata = `${issuer}/.well-known/oauth-protected-resource/mcp`
      const without = await callTool(app, null)
      expect(without.statusCode).toBe(401)
      expect(without.headers['www-authenticate']).toBe(`Bearer realm="keepsake", resource_metadata="${metadata}"`)
      const wrong = await callTool(app, 'kso_wrong')
      expect(wrong.headers['www-authenticate']).toContain('error="invalid_token"')
      const { headers } = await service.fails(401, 'GET', '/memories', { key: null })
      expect(headers['www-authenticate']).toBe('Bearer realm="keepsake"')
    })

    it('names this service whatever the Host header says', async () => {
      const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' }
      for (const url of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']) {
        const answer = await app.inject({ method: 'GET', url, headers })
        expect(answer.json()).toMatchObject({ resource, authorization_servers: [issuer] })
      }
      const server = await app.inject({ method: 'GET', url: '/.well-known/oauth-authorization-server', headers })
      expect(server.json()).toMatchObject({
        issuer,
        authorization_endpoint: `${issuer}/oauth/authorize`,
        token_endpoint: `${issuer}/oauth/token`,
        registration_endpoint: `${issuer}/oauth/register`,
        revocation_endpoint: `${issuer}/oauth/revoke`,
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
      })
      expect(server.payload).not.toContain('evil')
    })
  })

  describe('an authorization request', () => {
    it.each([
      ['an unknown client', { client_id: 'nobody' }],
      ['a client document on a host that does not answer', { client_id: 'http://127.0.0.1:1/client.json' }],
      [
        'a client id that was changed',
        { client_id: `reg_${Buffer.from('["a","https://e.example"]x').toString('base64url')}` },
      ],
      ['another redirect', { redirect_uri: 'https://evil.example/callback' }],
      ['a longer redirect', { redirect_uri: `${redirectUri}&more=1` }],
      ['a shorter redirect', { redirect_uri: 'https://assistant.example/callback' }],
      ['a redirect with other letters', { redirect_uri: redirectUri.replace('callback', 'Callback') }],
      ['no redirect', { redirect_uri: '' }],
    ])('with %s shows an error and leads nowhere', async (_what, change) => {
      const page = await getConsent(app, authorizationFields(clientId, change))
      expect(page.statusCode).toBe(400)
      expect(page.payload).not.toMatch(/<a |<form|http-equiv/)
      const posted = await postForm(
        app,
        '/oauth/authorize',
        { ...authorizationFields(clientId, change), key },
        { origin: issuer },
      )
      expect(posted.statusCode).toBe(400)
    })

    it.each([
      ['without PKCE', { code_challenge: '', code_challenge_method: '' }, 'invalid_request'],
      ['with plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
      ['with a short challenge', { code_challenge: 'abc' }, 'invalid_request'],
      ['for a token', { response_type: 'token' }, 'unsupported_response_type'],
      ['for another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
      ['for this host but another resource', { resource: `${issuer}/api/v1` }, 'invalid_target'],
    ])('%s offers a link back with the error, and no form', async (_what, change, error) => {
      const page = await getConsent(app, authorizationFields(clientId, change))
      expect(page.statusCode).toBe(400)
      expect(page.payload).not.toMatch(/<form|http-equiv/)
      const link = new URL(/<a href="([^"]*)">/.exec(page.payload)?.[1]?.replaceAll('&amp;', '&') ?? '')
      expect(Object.fromEntries(link.searchParams)).toMatchObject({ error, state: 'state of the client', iss: issuer })
    })

    it('is refused if a parameter is given twice', async () => {
      const query = `${new URLSearchParams(authorizationFields(clientId))}&code_challenge_method=S256`
      expect((await app.inject({ method: 'GET', url: `/oauth/authorize?${query}` })).statusCode).toBe(400)
    })

    it('may use any port on loopback, and no other host, path or scheme', async () => {
      const local = await registerClient(app, { redirect_uris: ['http://127.0.0.1/back', 'http://[::1]:1/back'] })
      const statusFor = async (uri: string) =>
        (await getConsent(app, authorizationFields(local, { redirect_uri: uri }))).statusCode
      for (const uri of ['http://127.0.0.1:5000/back', 'http://127.0.0.1/back', 'http://[::1]:2/back'])
        expect(await statusFor(uri), uri).toBe(200)
      for (const uri of [
        'http://127.0.0.1:5000/back/x',
        'http://127.0.0.1:5000',
        'http://localhost:5000/back',
        'https://127.0.0.1:5000/back',
        'http://127.0.0.1:5000@evil.example/back',
        'http://127.0.0.1:99999/back',
        'http://127.0.0.1.evil.example/back',
        'http://127.0.0.1:5000/back#x',
      ])
        expect(await statusFor(uri), uri).toBe(400)
    })
  })

  describe('the consent page', () => {
    it('has no script, cannot be framed, and sends its form only to this service', async () => {
      const page = await getConsent(app, authorizationFields(clientId))
      expect(page.payload).not.toMatch(/<script|javascript:|\son\w+=/i)
      expect(page.headers).toMatchObject({
        'x-frame-options': 'DENY',
        'cache-control': 'no-store',
        'referrer-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      })
      const policy = String(page.headers['content-security-policy'])
      expect(policy.split('; ')).toEqual([
        "default-src 'none'",
        expect.stringMatching(/^style-src 'sha256-[\w+/=]{44}'$/),
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ])
    })

    it('shows a hostile name as text', async () => {
      const name = '"><script>alert(1)</script>\u202e\u0007<b'
      const hostile = await registerClient(app, { client_name: name })
      const { payload } = await getConsent(app, authorizationFields(hostile, { state: '"><img src=x>' }))
      expect(payload).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;')
      expect(payload).not.toMatch(/<script|<img|\u202e|<b</)
    })

    it('accepts a decision only from its own page', async () => {
      const { payload } = await getConsent(app, authorizationFields(clientId))
      for (const options of [
        { origin: null },
        { origin: 'null' },
        { origin: 'https://evil.example' },
        { origin: `${issuer}.evil.example` },
        { origin: issuer, headers: { 'sec-fetch-site': 'cross-site' } },
        { origin: issuer, headers: { 'sec-fetch-site': 'same-site' } },
      ]) {
        const answer = await decide(app, payload, { key }, options)
        expect(answer.statusCode, JSON.stringify(options)).toBe(403)
        expect(answer.payload).not.toContain('ksc_')
      }
      const fine = await decide(app, payload, { key }, { origin: issuer, headers: { 'sec-fetch-site': 'same-origin' } })
      expect(sentTo(fine.payload).origin).toBe('https://assistant.example')
    })

    it('asks again for a wrong or missing key, with an audit line and without repeating it', async () => {
      const { payload } = await getConsent(app, authorizationFields(clientId))
      const before = service.audit('auth.failed').length
      for (const wrong of [`${key.slice(0, -3)}AAA`, 'nonsense of a visitor', '']) {
        service.forbidInLogs(wrong || 'nothing at all')
        const answer = await decide(app, payload, { key: wrong })
        expect(answer.statusCode).toBe(401)
        expect(answer.payload).toContain('<form')
        if (wrong !== '') expect(answer.payload).not.toContain(wrong)
      }
      expect(service.audit('auth.failed').length).toBe(before + 3)
    })

    it('takes the user from the API key, and from the form only with the master key', async () => {
      const { payload } = await getConsent(app, authorizationFields(clientId))
      expect((await decide(app, payload, { key, user: 'bob' })).statusCode).toBe(400)
      expect((await decide(app, payload, { key: masterKey })).statusCode).toBe(400)
      expect((await decide(app, payload, { key: masterKey, user: ' ' })).statusCode).toBe(400)
      expect((await decide(app, payload, { key: masterKey, user: 'a'.repeat(257) })).statusCode).toBe(400)
      const answer = await decide(app, payload, { key: masterKey, user: 'carol' })
      const tokens: Tokens = (await redeem(sentTo(answer.payload).searchParams.get('code') ?? '')).json()
      const stored = await callTool(app, tokens.access_token, 'store_memory', { content: 'The kettle of carol is red' })
      expect(stored.payload).toContain('kettle')
      const { grants } = await service.ok<{ grants: object[] }>('GET', '/grants', {
        key: masterKey,
        query: { user_id: 'carol' },
      })
      expect(grants).toMatchObject([
        { user_id: 'carol', approved_by: null, client_name: 'Assistant', status: 'active' },
      ])
    })

    it.each([
      ['reads only', { access: 'read' }],
      ['reaches one project', { project: 'garden' }],
      ['expires', { ttl: '1d' }],
    ])('does not let a key that %s approve a client, which could do more', async (_, limits) => {
      const body = { user_id: 'alice', name: 'limited', ...limits }
      const limited = await service.ok<{ key: string }>('POST', '/keys', { key: masterKey, body })
      service.forbidInLogs(limited.key)
      const { payload } = await getConsent(app, authorizationFields(clientId))
      const answer = await decide(app, payload, { key: limited.key })
      expect(answer.statusCode).toBe(403)
      expect(answer.payload).toContain('Use an unlimited key')
    })

    it('does not let an OAuth token approve anything', async () => {
      const { tokens } = await connectedClient(app, key)
      const { payload } = await getConsent(app, authorizationFields(clientId))
      for (const token of [tokens.access_token, tokens.refresh_token])
        expect((await decide(app, payload, { key: token })).statusCode).toBe(401)
    })
  })

  describe('a code', () => {
    it.each([
      ['another verifier', { code_verifier: 'a'.repeat(43) }, 'invalid_grant'],
      ['the challenge as verifier', { code_verifier: authorizationFields('').code_challenge ?? '' }, 'invalid_grant'],
      ['no verifier', { code_verifier: '' }, 'invalid_request'],
      ['another redirect', { redirect_uri: 'https://evil.example/callback' }, 'invalid_grant'],
      ['no redirect', { redirect_uri: '' }, 'invalid_request'],
      ['another client', { client_id: 'reg_other' }, 'invalid_grant'],
      ['no client', { client_id: '' }, 'invalid_request'],
      ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
      ['another grant type', { grant_type: 'password' }, 'unsupported_grant_type'],
    ])('is refused with %s, and still works for its owner', async (_what, change, error) => {
      const code = await approved(app, clientId, key)
      const refused = await redeem(code, change)
      expect([refused.statusCode, errorOf(refused)]).toEqual([400, error])
      expect((await redeem(code)).statusCode).toBe(200)
    })

    it('is refused if a parameter is given twice, and if the body is not a form', async () => {
      const code = await approved(app, clientId, key)
      const twice = `${new URLSearchParams(codeFields(clientId, code))}&code_verifier=x`
      expect(errorOf(await postForm(app, '/oauth/token', twice))).toBe('invalid_request')
      const json = await app.inject({ method: 'POST', url: '/oauth/token', payload: codeFields(clientId, code) })
      expect([json.statusCode, errorOf(json)]).toEqual([415, 'invalid_request'])
      const huge = await postForm(app, '/oauth/token', `code=${'a'.repeat(20_000)}`)
      expect([huge.statusCode, errorOf(huge)]).toEqual([413, 'invalid_request'])
    })

    it('expires after a minute', async () => {
      const code = await approved(app, clientId, key)
      clock.advance(minuteMs)
      expect(errorOf(await redeem(code))).toBe('invalid_grant')
    })

    it('ends everything that it yielded when it is used again', async () => {
      const code = await approved(app, clientId, key)
      const tokens: Tokens = (await redeem(code)).json()
      expect(await status(tokens.access_token)).toBe(200)
      expect(errorOf(await redeem(code, { code_verifier: 'b'.repeat(43) }))).toBe('invalid_grant')
      expect(await status(tokens.access_token)).toBe(401)
      expect(errorOf(await refreshed(app, clientId, tokens.refresh_token))).toBe('invalid_grant')
      expect(service.audit('grant.replayed').at(-1)).toMatchObject({ user_id: 'alice', outcome: 'rejected' })
    })

    it('yields tokens once if it is used at the same time', async () => {
      const code = await approved(app, clientId, key)
      const answers = await Promise.all([redeem(code), redeem(code), redeem(code)])
      const [issued] = answers.filter(({ statusCode }) => statusCode === 200)
      expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 400, 400])
      expect(await status(issued?.json().access_token)).toBe(401)
    })
  })

  describe('an access token', () => {
    it('works at /mcp only, for its user only', async () => {
      const { tokens } = await connectedClient(app, key)
      expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 900 })
      const listed = await callTool(app, tokens.access_token)
      expect(listed.payload).toContain('lighthouse')
      const asBob = await callTool(app, tokens.access_token, 'list_memories', { user_id: 'bob' })
      expect(asBob.payload).toContain('\\"total\\":0')
      for (const path of ['/memories', '/grants', '/keys', '/events'])
        await service.fails(401, 'GET', path, { key: tokens.access_token })
      expect(await status(tokens.refresh_token)).toBe(401)
      expect(await status(tokens.access_token.replace('kso', 'ksk'))).toBe(401)
      expect(await status(`${tokens.access_token.slice(0, -3)}AAA`)).toBe(401)
    })

    it('expires after 15 minutes, and a refresh does not shorten the life of the one before', async () => {
      const { tokens, ...client } = await connectedClient(app, key)
      clock.advance(14 * minuteMs)
      const next: Tokens = (await refreshed(app, client.clientId, tokens.refresh_token)).json()
      expect([await status(tokens.access_token), await status(next.access_token)]).toEqual([200, 200])
      clock.advance(minuteMs)
      expect([await status(tokens.access_token), await status(next.access_token)]).toEqual([401, 200])
      clock.advance(14 * minuteMs)
      expect(await status(next.access_token)).toBe(401)
    })

    it('counts and is audited under the id of its grant', async () => {
      const { tokens } = await connectedClient(app, key)
      await callTool(app, tokens.access_token, 'recall_memories', { query: 'the lighthouse of alice' })
      const { grants } = await service.ok<{ grants: { id: string; last_used_at: string }[] }>('GET', '/grants', { key })
      expect(service.audit('memory.recall').at(-1)).toMatchObject({ user_id: 'alice', key_id: grants[0]?.id })
      expect(grants[0]?.last_used_at).toBe(new Date(clock.now()).toISOString())
    })
  })

  describe('a refresh token', () => {
    it('is replaced by each use, and ends the grant if an older one comes back', async () => {
      const { clientId: id, tokens } = await connectedClient(app, key)
      const second: Tokens = (await refreshed(app, id, tokens.refresh_token)).json()
      expect(second.refresh_token).not.toBe(tokens.refresh_token)
      const third: Tokens = (await refreshed(app, id, second.refresh_token)).json()
      expect(await status(third.access_token)).toBe(200)
      expect(errorOf(await refreshed(app, id, tokens.refresh_token))).toBe('invalid_grant')
      expect(await status(third.access_token)).toBe(401)
      expect(errorOf(await refreshed(app, id, third.refresh_token))).toBe('invalid_grant')
    })

    it('gives the same tokens to requests at the same time, and after a lost response', async () => {
      const { clientId: id, tokens } = await connectedClient(app, key)
      const answers = await Promise.all([1, 2, 3].map(() => refreshed(app, id, tokens.refresh_token)))
      clock.advance(29_000)
      const late = await refreshed(app, id, tokens.refresh_token)
      expect(late.json()).toMatchObject({ expires_in: 871 })
      const received = [...answers, late].map((answer) => {
        const { access_token, refresh_token } = answer.json()
        return `${access_token} ${refresh_token}`
      })
      expect(new Set(received).size).toBe(1)
      clock.advance(1_000)
      expect(errorOf(await refreshed(app, id, tokens.refresh_token))).toBe('invalid_grant')
      expect(await status(late.json().access_token)).toBe(401)
    })

    it.each([
      ['another client', { client_id: 'reg_other' }, 'invalid_grant'],
      ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ])('is refused with %s, without effect', async (_what, change, error) => {
      const { clientId: id, tokens } = await connectedClient(app, key)
      expect(errorOf(await refreshed(app, id, tokens.refresh_token, change))).toBe(error)
      expect((await refreshed(app, id, tokens.refresh_token)).statusCode).toBe(200)
    })

    it('cannot be guessed from the id of a grant, and a guess ends nothing', async () => {
      const { clientId: id, tokens } = await connectedClient(app, key)
      const [front, rotating] = [tokens.refresh_token.slice(0, 31), tokens.refresh_token.slice(74)]
      const guess = `${front}${'A'.repeat(43)}${rotating}`
      const forged = `${front}${'A'.repeat(86)}`
      for (const token of [guess, forged]) expect(errorOf(await refreshed(app, id, token))).toBe('invalid_grant')
      expect(await status(tokens.access_token)).toBe(200)
    })

    it('expires after 30 days without use', async () => {
      const { clientId: id, tokens } = await connectedClient(app, key)
      clock.advance(29 * dayMs)
      const next: Tokens = (await refreshed(app, id, tokens.refresh_token)).json()
      clock.advance(30 * dayMs)
      expect(errorOf(await refreshed(app, id, next.refresh_token))).toBe('invalid_grant')
    })
  })

  describe('an end', () => {
    it('comes when the client gives a token back, and unknown tokens change nothing', async () => {
      for (const kind of ['access_token', 'refresh_token'] as const) {
        const { tokens } = await connectedClient(app, key)
        const wrong = `${tokens[kind].slice(0, 31)}${'A'.repeat(tokens[kind].length - 31)}`
        expect((await postForm(app, '/oauth/revoke', { token: wrong })).statusCode).toBe(200)
        expect((await postForm(app, '/oauth/revoke', { token: 'nonsense' })).statusCode).toBe(200)
        expect(await status(tokens.access_token)).toBe(200)
        expect((await postForm(app, '/oauth/revoke', { token: tokens[kind] })).statusCode).toBe(200)
        expect(await status(tokens.access_token)).toBe(401)
      }
      expect((await postForm(app, '/oauth/revoke', {})).statusCode).toBe(400)
    })

    it('comes when the key that approved is revoked', async () => {
      const { key: second, id } = await service.createKey('alice')
      const { clientId: client, tokens } = await connectedClient(app, second)
      await service.ok('DELETE', `/keys/${id}`, { key: masterKey })
      expect(await status(tokens.access_token)).toBe(401)
      expect(errorOf(await refreshed(app, client, tokens.refresh_token))).toBe('invalid_grant')
    })

    it('comes when the owner or the operator revokes the grant, and nobody else can', async () => {
      const bob = (await service.createKey('bob')).key
      for (const owner of [key, masterKey]) {
        const { tokens } = await connectedClient(app, key)
        const { grants } = await service.ok<{ grants: { id: string }[] }>('GET', '/grants', { key })
        const id = grants[0]?.id ?? ''
        expect(grants[0]).toMatchObject({ user_id: 'alice', approved_by: keyId, status: 'active', revoked_at: null })
        expect(JSON.stringify(grants)).not.toMatch(/"\w*hash\w*":|ks[cor]_/i)
        expect(await service.ok('GET', '/grants', { key: bob })).toEqual({ grants: [], total: 0 })
        expect(await service.ok('GET', '/grants', { key: bob, query: { user_id: 'alice' } })).toMatchObject({
          total: 0,
        })
        await service.fails(404, 'DELETE', `/grants/${id}`, { key: bob })
        await service.fails(404, 'DELETE', `/grants/${id}`, { key: bob, query: { user_id: 'alice' } })
        expect(await status(tokens.access_token)).toBe(200)
        await service.ok('DELETE', `/grants/${id}`, { key: owner })
        expect(await status(tokens.access_token)).toBe(401)
        await service.fails(404, 'DELETE', `/grants/${id}`, { key: owner })
      }
      expect(service.audit('grant.revoked').at(-1)).toMatchObject({ outcome: 'not_found' })
    })
  })

  describe('registration', () => {
    it.each([
      [{ redirect_uris: [] }],
      [{ redirect_uris: ['http://assistant.example/callback'] }],
      [{ redirect_uris: ['javascript:alert(1)'] }],
      [{ redirect_uris: ['data:text/html,x'] }],
      [{ redirect_uris: ['https://user:password@assistant.example/'] }],
      [{ redirect_uris: ['https://assistant.example/#fragment'] }],
      [{ redirect_uris: ['https://assistant.example/\u00e9'] }],
      [{ redirect_uris: ['/callback'] }],
      [{ redirect_uris: [1] }],
      [{ redirect_uris: 'https://assistant.example/' }],
      [{ redirect_uris: Array(11).fill('https://assistant.example/') }],
      [{ redirect_uris: Array(10).fill(`https://assistant.example/${'a'.repeat(400)}`) }],
      [{ client_name: 1 }],
      [{ redirect_uris: [`https://assistant.example/${'a'.repeat(500)}`] }],
    ])('refuses %j', async (change) => {
      const payload = { client_name: 'x', redirect_uris: [redirectUri], ...change }
      const answer = await app.inject({ method: 'POST', url: '/oauth/register', payload })
      expect(answer.statusCode).toBe(400)
      expect(errorOf(answer)).toMatch(/^invalid_(?:redirect_uri|client_metadata)$/)
    })

    it('accepts the scheme of an application, and ignores what it does not support', async () => {
      const payload = {
        redirect_uris: ['cursor://anysphere.cursor-retrieval/oauth/callback'],
        token_endpoint_auth_method: 'client_secret_basic',
        logo_uri: 'https://assistant.example/logo.png',
      }
      const answer = await app.inject({ method: 'POST', url: '/oauth/register', payload })
      expect(answer.json()).toMatchObject({
        token_endpoint_auth_method: 'none',
        client_name: 'An application without a name',
      })
      expect(answer.payload).not.toMatch(/client_secret|logo/)
    })
  })
})

it('stores no code, token or key in its files', async () => {
  const dataDir = await temporaryDirectory()
  const service = await startService({ auth: true, dataDir, env })
  const { key } = await service.createKey('ana')
  const clientId = await registerClient(service.app)
  const code = await approved(service.app, clientId, key)
  const first: Tokens = (await postForm(service.app, '/oauth/token', codeFields(clientId, code))).json()
  const next: Tokens = (await refreshed(service.app, clientId, first.refresh_token)).json()
  const secrets = [code, first.access_token, next.access_token].map((token) => token.slice(31))
  for (const token of [first.refresh_token, next.refresh_token]) secrets.push(token.slice(31, 74), token.slice(74))
  for (const secret of secrets) service.forbidInLogs(secret)
  await service.close()
  const kept = await keptIn(dataDir)
  expect(kept.some(({ bytes }) => bytes.includes(clientId))).toBe(true)
  for (const secret of secrets) expect(kept.some(({ bytes }) => bytes.includes(secret))).toBe(false)
  await rm(dataDir, { recursive: true, force: true })
})

it('refuses a hundred-and-first active grant of a user', async () => {
  const service = await startService({ auth: true, env })
  const { key } = await service.createKey('ana')
  const clientId = await registerClient(service.app)
  for (let index = 0; index < 100; index += 1) await approved(service.app, clientId, key)
  const page = await getConsent(service.app, authorizationFields(clientId))
  const refused = await decide(service.app, page.payload, { key })
  expect(refused.statusCode).toBe(400)
  expect(refused.payload).toContain('100 active grants')
  service.clock.advance(minuteMs)
  await approved(service.app, clientId, key)
  await service.close()
})

it('limits each address, and guesses of keys on the consent page', async () => {
  const limits = { SERVICE_RATE_LIMIT_ENABLED: 'true', SERVICE_RATE_LIMIT_DEFAULT: '3/minute' }
  const service = await startService({ auth: true, env: { ...env, ...limits } })
  const codes = []
  for (let index = 0; index < 4; index += 1)
    codes.push(await postForm(service.app, '/oauth/token', { grant_type: 'refresh_token' }, { ip: '10.1.1.1' }))
  expect(codes.map(({ statusCode }) => statusCode)).toEqual([400, 400, 400, 429])
  expect(codes[3]?.json()).toMatchObject({ error: 'temporarily_unavailable' })
  expect(codes[3]?.headers['retry-after']).toBeDefined()
  await service.close()
})

describe('the setting', () => {
  const load = (values: Record<string, string>) =>
    loadConfig({ SERVICE_MASTER_KEY: masterKey, ...values }).config.oauthUrl

  it('is off by default, and then nothing of OAuth is served', async () => {
    expect(load({})).toBeUndefined()
    const service = await startService({ auth: true })
    for (const [method, url] of [
      ['GET', '/.well-known/oauth-protected-resource/mcp'],
      ['GET', '/.well-known/oauth-authorization-server'],
      ['GET', '/oauth/authorize'],
      ['POST', '/oauth/token'],
      ['POST', '/oauth/register'],
    ] as const)
      expect((await service.app.inject({ method, url })).statusCode).toBe(404)
    const refused = await callTool(service.app, null)
    expect(refused.headers['www-authenticate']).toBe('Bearer realm="keepsake"')
    await service.close()
  })

  it('makes tokens of another address worthless', async () => {
    const dataDir = await temporaryDirectory()
    const first = await startService({ auth: true, dataDir, env })
    const { key } = await first.createKey('ana')
    const { tokens, clientId } = await connectedClient(first.app, key)
    await first.close()
    const moved = await startService({ auth: true, dataDir, env: { SERVICE_OAUTH_URL: 'https://memory.example.com' } })
    expect((await callTool(moved.app, tokens.access_token)).statusCode).toBe(401)
    expect((await refreshed(moved.app, clientId, tokens.refresh_token)).statusCode).toBe(400)
    await moved.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  it('accepts an https origin, or http on loopback', () => {
    expect(load({ SERVICE_OAUTH_URL: 'https://memory.example.com/' })).toBe('https://memory.example.com')
    expect(load({ SERVICE_OAUTH_URL: 'http://localhost:8787' })).toBe('http://localhost:8787')
    for (const url of [
      'http://memory.example.com',
      'https://memory.example.com/path',
      'https://user@memory.example.com',
      'https://memory.example.com?x',
      'memory.example.com',
      'yes',
    ])
      expect(() => load({ SERVICE_OAUTH_URL: url }), url).toThrow(/^SERVICE_OAUTH_URL: must be/)
  })

  it('needs authentication', () => {
    expect(() => loadConfig({ SERVICE_OAUTH_URL: issuer })).toThrow(/^SERVICE_OAUTH_URL: needs authentication/)
  })
})
