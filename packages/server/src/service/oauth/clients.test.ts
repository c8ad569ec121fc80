import { describe, expect, it } from 'vitest'
import { clientDirectory, mayRedirectTo, registeredClient } from './clients.js'

const redirects = ['https://a.example/back']

function directory(documents: Readonly<Record<string, unknown>> = {}) {
  let now = 0
  const read: string[] = []
  const found = clientDirectory({
    readDocument: async (url) => {
      read.push(url)
      return documents[url]
    },
    clock: { now: () => now },
    allowPrivate: false,
  })
  return { ...found, read, advance: (ms: number) => (now += ms) }
}

describe('a client that registered itself', () => {
  it('is found by its id alone, in any process', async () => {
    const { id } = registeredClient({ client_name: 'Ünïcode "name"', redirect_uris: redirects })
    expect(await directory().find(id)).toEqual({
      id,
      name: 'Ünïcode "name"',
      redirectUris: redirects,
      publishedBy: null,
    })
  })

  it('has one id', async () => {
    const { id } = registeredClient({ client_name: 'A', redirect_uris: redirects })
    const spaced = `reg_${Buffer.from(' ["A","https://a.example/back"]').toString('base64url')}`
    for (const other of [`${id}=`, `${id}A`, spaced, id.slice(0, -1), 'reg_', `reg_${'A'.repeat(3000)}`])
      expect(await directory().find(other), other).toBeNull()
  })

  it('cannot have redirects that a registration refuses', async () => {
    const forged = `reg_${Buffer.from('["A","javascript:alert(1)"]').toString('base64url')}`
    expect(await directory().find(forged)).toBeNull()
  })

  it('loses characters of its name that hide or reorder text', () => {
    const named = (name: string) => registeredClient({ client_name: name, redirect_uris: redirects }).name
    expect(named('Cl\u202eaude\u200b\n\u2028x')).toBe('Cl aude x')
    expect(named('\u200b ')).toBe('An application without a name')
    expect([...named('😀'.repeat(200))]).toHaveLength(100)
  })
})

describe('a client with a document', () => {
  const url = 'https://a.example/client.json'
  const document = { client_id: url, client_name: 'A', redirect_uris: redirects }

  it('is found by the URL of the document, which is read again after five minutes', async () => {
    const clients = directory({ [url]: document })
    const expected = { id: url, name: 'A', redirectUris: redirects, publishedBy: 'a.example' }
    expect(await clients.find(url)).toEqual(expected)
    clients.advance(5 * 60_000 - 1)
    await clients.find(url)
    expect(clients.read).toHaveLength(1)
    clients.advance(1)
    await clients.find(url)
    expect(clients.read).toHaveLength(2)
  })

  it.each([
    ['names another client', { ...document, client_id: 'https://b.example/client.json' }],
    ['names no client', { redirect_uris: redirects }],
    ['has no redirects', { client_id: url }],
    ['has a dangerous redirect', { ...document, redirect_uris: ['data:x'] }],
    ['expects a secret', { ...document, token_endpoint_auth_method: 'client_secret_post' }],
    ['is a list', [document]],
    ['cannot be read', undefined],
  ])('is unknown if the document %s', async (_what, found) => {
    expect(await directory({ [url]: found }).find(url)).toBeNull()
  })

  it.each([
    'http://a.example/client.json',
    'https://a.example/',
    'https://a.example',
    'https://a.example/x/../client.json',
    'https://A.example/client.json',
    'https://user@a.example/client.json',
    'https://a.example/client.json#x',
    'client',
    '',
  ])('is never read from %s', async (id) => {
    const clients = directory()
    expect(await clients.find(id)).toBeNull()
    expect(clients.read).toEqual([])
  })

  it('is read once for requests at the same time, and at most eight are read at once', async () => {
    const started: string[] = []
    const answer: (() => void)[] = []
    const clients = clientDirectory({
      readDocument: (each) => {
        started.push(each)
        return new Promise((resolve) => answer.push(() => resolve(undefined)))
      },
      clock: { now: () => 0 },
      allowPrivate: false,
    })
    const asked = Array.from({ length: 8 }, (_, index) => clients.find(`https://a.example/${index}`))
    asked.push(clients.find('https://a.example/0'))
    await expect(clients.find('https://a.example/9')).rejects.toMatchObject({ code: 'unavailable' })
    expect(started).toHaveLength(8)
    for (const each of answer) each()
    expect(await Promise.all(asked)).toEqual(Array(9).fill(null))
  })
})

describe('a redirect', () => {
  const client = (...redirectUris: string[]) => registeredClient({ redirect_uris: redirectUris })

  it('is allowed if it is registered, character by character', () => {
    const own = client('https://a.example/back?x=1')
    expect(mayRedirectTo(own, 'https://a.example/back?x=1')).toBe(true)
    for (const other of [
      'https://a.example/back',
      'https://a.example/back?x=1&y',
      'https://a.example:443/back?x=1',
      '',
    ])
      expect(mayRedirectTo(own, other), other).toBe(false)
  })

  it('may have another port on loopback only', () => {
    expect(mayRedirectTo(client('http://localhost/back'), 'http://localhost:8080/back')).toBe(true)
    expect(mayRedirectTo(client('http://[::1]:80/back'), 'http://[::1]:8080/back')).toBe(true)
    expect(mayRedirectTo(client('https://a.example/back'), 'https://a.example:8080/back')).toBe(false)
    expect(mayRedirectTo(client('http://localhost/back'), 'http://localhost:8080/other')).toBe(false)
    expect(mayRedirectTo(client('http://127.0.0.1/back'), 'http://localhost/back')).toBe(false)
  })
})
