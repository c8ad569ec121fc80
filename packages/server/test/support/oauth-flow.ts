/** The parts of an OAuth flow that people and their browsers play, by HTTP. */
import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { TestService } from './harness.js'

export const issuer = 'http://127.0.0.1:8787'
export const resource = `${issuer}/mcp`
export const redirectUri = 'https://assistant.example/callback?kind=mcp'
export const verifier = randomBytes(32).toString('base64url')
export const challengeOf = (text: string) => createHash('sha256').update(text).digest('base64url')

type App = TestService['app']
export type Fields = Readonly<Record<string, string>>

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly token_type: string
  readonly expires_in: number
}

export async function registerClient(app: App, metadata: object = {}): Promise<string> {
  const answer = await app.inject({
    method: 'POST',
    url: '/oauth/register',
    payload: { client_name: 'Assistant', redirect_uris: [redirectUri], ...metadata },
  })
  expect(answer.statusCode, answer.payload).toBe(201)
  return answer.json().client_id
}

export function authorizationFields(clientId: string, change: Fields = {}): Record<string, string> {
  return {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    state: 'state of the client',
    resource,
    ...change,
  }
}

export function getConsent(app: App, fields: Fields) {
  return app.inject({ method: 'GET', url: `/oauth/authorize?${new URLSearchParams(fields)}` })
}

export interface FormOptions {
  readonly origin?: string | null
  readonly headers?: Fields
  readonly ip?: string
}

export function postForm(app: App, url: string, fields: Fields | string, options: FormOptions = {}) {
  const { origin = null, headers = {}, ip = '127.0.0.1' } = options
  return app.inject({
    method: 'POST',
    url,
    remoteAddress: ip,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(origin === null ? {} : { origin }),
      ...headers,
    },
    payload: typeof fields === 'string' ? fields : new URLSearchParams(fields).toString(),
  })
}

/** What a browser sends when its user fills in the page and presses a button. */
export function decide(app: App, page: string, filledIn: Fields, options: FormOptions = {}) {
  const hidden = [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
  const fields = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, unescaped(value)]))
  const action = /<form method="post" action="([^"]*)">/.exec(page)?.[1] ?? 'no form'
  return postForm(app, action, { ...fields, decision: 'approve', ...filledIn }, { origin: issuer, ...options })
}

/** The address to which a page sends the browser. */
export function sentTo(page: string): URL {
  const target = /<meta http-equiv="refresh" content="0; url=([^"]*)">/.exec(page)?.[1]
  if (target === undefined) throw new Error(`the page sends nobody anywhere: ${page.slice(0, 1000)}`)
  return new URL(unescaped(target))
}

export function unescaped(text: string): string {
  const characters: Fields = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => characters[name] ?? '')
}

/** Approves as the owner of the key, and returns the code. */
export async function approved(app: App, clientId: string, key: string, change: Fields = {}): Promise<string> {
  const page = await getConsent(app, authorizationFields(clientId, change))
  expect(page.statusCode, page.payload).toBe(200)
  const answer = await decide(app, page.payload, { key })
  expect(answer.statusCode, answer.payload).toBe(200)
  return sentTo(answer.payload).searchParams.get('code') ?? ''
}

export function codeFields(clientId: string, code: string, change: Fields = {}): Fields {
  return {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    client_id: clientId,
    redirect_uri: redirectUri,
    resource,
    ...change,
  }
}

/** The whole flow, from the consent of the owner to the tokens. */
export async function connectedClient(app: App, key: string): Promise<{ clientId: string; tokens: Tokens }> {
  const clientId = await registerClient(app)
  const answer = await postForm(app, '/oauth/token', codeFields(clientId, await approved(app, clientId, key)))
  expect(answer.statusCode, answer.payload).toBe(200)
  return { clientId, tokens: answer.json() }
}

export function refreshed(app: App, clientId: string, refreshToken: string, change: Fields = {}) {
  const fields = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId, ...change }
  return postForm(app, '/oauth/token', fields)
}

/** Calls a tool of `/mcp`. */
export function callTool(app: App, token: string | null, name = 'list_memories', given: object = {}) {
  return app.inject({
    method: 'POST',
    url: '/mcp',
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } },
  })
}
