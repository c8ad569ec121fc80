/** OAuth with two processes on one database, as behind a proxy: each step of a flow may reach either of them. */
import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { masterKey, type TestService, temporaryDirectory } from '../support/harness.js'
import {
  approved,
  callTool,
  codeFields,
  issuer,
  postForm,
  refreshed,
  registerClient,
  type Tokens,
} from '../support/oauth-flow.js'
import { killAll, runService } from '../support/running-service.js'
import { anyPostgres, makeDatabase, type PostgresServer } from './postgres.js'

type App = TestService['app']

let server: Pick<PostgresServer, 'url' | 'close'>
let database: Awaited<ReturnType<typeof makeDatabase>>
const directories: string[] = []
let one: App
let two: App

beforeAll(async () => {
  server = await anyPostgres()
  database = await makeDatabase(server.url)
  const open = async () => {
    const path = await temporaryDirectory()
    directories.push(path)
    const service = await runService({
      SERVICE_DATA_DIR: path,
      SERVICE_DATABASE_URL: database.url,
      SERVICE_MASTER_KEY: masterKey,
      SERVICE_OAUTH_URL: issuer,
      SERVICE_RATE_LIMIT_ENABLED: 'false',
    })
    return overSocket(service.url)
  }
  one = await open()
  two = await open()
})
afterAll(async () => {
  await killAll()
  for (const path of directories) await rm(path, { recursive: true })
  await database.drop()
  await server.close()
})

interface Sent {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly payload?: string | object
}

/** A running process in the place of an application in this one. */
function overSocket(url: string): App {
  async function inject({ method, url: path, headers, payload }: Sent) {
    const isText = payload === undefined || typeof payload === 'string'
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { ...(isText ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(payload === undefined ? {} : { body: isText ? payload : JSON.stringify(payload) }),
    })
    const text = await answer.text()
    return { statusCode: answer.status, payload: text, json: () => JSON.parse(text) }
  }
  // The OAuth flow uses nothing else.
  return { inject } as unknown as App
}

function call(app: App, method: 'POST' | 'GET' | 'DELETE', path: string, key: string, payload?: object) {
  return app.inject({
    method,
    url: `/api/v1${path}`,
    headers: { authorization: `Bearer ${key}` },
    ...(payload === undefined ? {} : { payload }),
  })
}

interface Connected {
  readonly keyId: string
  readonly key: string
  readonly clientId: string
  readonly grantId: string
  readonly tokens: Tokens
}

let users = 0

/** Registered and approved in the first process, with tokens from the second. */
async function connected(): Promise<Connected> {
  users += 1
  const made = await call(one, 'POST', '/keys', masterKey, { user_id: `user ${users}`, name: 'a key' })
  const { id: keyId, key } = made.json()
  const clientId = await registerClient(one)
  const answer = await postForm(two, '/oauth/token', codeFields(clientId, await approved(one, clientId, key)))
  expect(answer.statusCode, answer.payload).toBe(200)
  const { grants } = (await call(one, 'GET', '/grants', key)).json()
  return { keyId, key, clientId, grantId: grants[0].id, tokens: answer.json() }
}

const tokenStatus = async (app: App, token: string) => (await callTool(app, token)).statusCode

describe('an access token on two processes', () => {
  it('reaches the memories of its user through both, and follows a refresh by either', async () => {
    const { clientId, tokens } = await connected()
    const content = 'The boat leaves at noon'
    expect((await callTool(one, tokens.access_token, 'store_memory', { content })).payload).toContain(content)
    expect((await callTool(two, tokens.access_token)).payload).toContain(content)
    const answer = await refreshed(one, clientId, tokens.refresh_token)
    expect(answer.statusCode, answer.payload).toBe(200)
    expect((await callTool(two, answer.json().access_token)).payload).toContain(content)
  })

  it.each<[string, (connection: Connected) => PromiseLike<{ readonly statusCode: number; readonly payload: string }>]>([
    ['the owner revokes the grant', ({ grantId, key }) => call(one, 'DELETE', `/grants/${grantId}`, key)],
    ['the operator revokes the grant', ({ grantId }) => call(one, 'DELETE', `/grants/${grantId}`, masterKey)],
    ['the key that approved it is revoked', ({ keyId }) => call(one, 'DELETE', `/keys/${keyId}`, masterKey)],
    [
      'the client gives it back',
      ({ clientId, tokens }) => postForm(one, '/oauth/revoke', { token: tokens.refresh_token, client_id: clientId }),
    ],
  ])('is refused in the next request to the other process after %s', async (_how, end) => {
    const connection = await connected()
    const { clientId, tokens } = connection
    // The second request could be answered from a cache.
    for (const app of [two, two, one]) expect(await tokenStatus(app, tokens.access_token)).toBe(200)
    const ended = await end(connection)
    expect(ended.statusCode, ended.payload).toBe(200)
    // The next request, whose answer is then held back for up to 1.5 s, like every answer to an invalid key.
    expect(await tokenStatus(two, tokens.access_token)).toBe(401)
    expect((await refreshed(two, clientId, tokens.refresh_token)).statusCode).toBe(400)
    expect(await tokenStatus(one, tokens.access_token)).toBe(401)
  })

  it('leaves the grants of other users alone', async () => {
    const [first, second] = [await connected(), await connected()]
    expect((await call(one, 'DELETE', `/grants/${second.grantId}`, first.key)).statusCode).toBe(404)
    expect((await call(one, 'DELETE', `/grants/${first.grantId}`, first.key)).statusCode).toBe(200)
    expect(await tokenStatus(two, second.tokens.access_token)).toBe(200)
  })
})
