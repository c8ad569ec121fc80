/**
 * Clients need no row in the store. A client is known by the URL of its metadata document, or by an id that contains its registration:
 * anyone may register, and a public client has no secret, so an id that someone made up equals an id that we handed out.
 */
import type { Clock } from '../../core/clock.js'
import { unavailable } from '../../core/errors.js'
import type { ReadDocument } from './client-document.js'
import { isRegistered, redirectProblem } from './redirect-uri.js'

export interface OAuthClient {
  readonly id: string
  /** Chosen by the client: never proof of anything. */
  readonly name: string
  readonly redirectUris: readonly string[]
  /** The host that publishes the document. Null: the client registered itself. */
  readonly publishedBy: string | null
}

/** The metadata is not acceptable. The message is for the client's developer. */
export class ClientRefused extends Error {
  override readonly name = 'ClientRefused'
  constructor(
    readonly reason: 'invalid_redirect_uri' | 'invalid_client_metadata',
    message: string,
  ) {
    super(message)
  }
}

const registeredPrefix = 'reg_'
/** It is part of a URL, of which proxies usually accept 8,000 characters. */
const longestId = 2_000
const mostRedirects = 10
const longestName = 100
const unnamed = 'An application without a name'

/** Makes the id of a client that registers itself (RFC 7591). */
export function registeredClient(metadata: unknown): OAuthClient {
  const { name, redirectUris } = readMetadata(metadata)
  const id = `${registeredPrefix}${Buffer.from(JSON.stringify([name, ...redirectUris])).toString('base64url')}`
  if (id.length > longestId) throw new ClientRefused('invalid_client_metadata', 'the metadata is too long')
  return { id, name, redirectUris, publishedBy: null }
}

function fromId(id: string): OAuthClient | null {
  if (id.length > longestId) return null
  try {
    const [name, ...redirects]: unknown[] = JSON.parse(
      Buffer.from(id.slice(registeredPrefix.length), 'base64url').toString('utf8'),
    )
    const client = registeredClient({ client_name: name, redirect_uris: redirects })
    // Otherwise the same registration would have many ids.
    return client.id === id ? client : null
  } catch {
    // Not an id that `registeredClient` makes.
    return null
  }
}

function readMetadata(metadata: unknown): Pick<OAuthClient, 'name' | 'redirectUris'> {
  const { client_name: name, redirect_uris: redirects } = fieldsOf(metadata)
  if (!Array.isArray(redirects) || redirects.length === 0 || redirects.length > mostRedirects) {
    throw new ClientRefused('invalid_redirect_uri', `redirect_uris must be a list of 1 to ${mostRedirects} URLs`)
  }
  const redirectUris = redirects.map((uri: unknown) => {
    const problem = typeof uri === 'string' ? redirectProblem(uri) : 'must be a text'
    if (problem !== undefined) throw new ClientRefused('invalid_redirect_uri', `redirect_uris: each ${problem}`)
    return String(uri)
  })
  if (name !== undefined && typeof name !== 'string') {
    throw new ClientRefused('invalid_client_metadata', 'client_name must be a text')
  }
  return { name: plainName(name ?? ''), redirectUris }
}

/** Without characters that hide or reorder text, because a person decides by this name. */
function plainName(name: string): string {
  const plain = name.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return [...plain].slice(0, longestName).join('').trim() || unnamed
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw new ClientRefused('invalid_client_metadata', 'the metadata must be a JSON object')
}

export interface ClientDirectory {
  /** Null: there is no such client. */
  find(clientId: string): Promise<OAuthClient | null>
}

export interface DirectoryOptions {
  readonly readDocument: ReadDocument
  readonly clock: Clock
  readonly allowPrivate: boolean
}

const cachedMs = 5 * 60_000
const mostCached = 200
/** Documents read at the same time: anyone can ask for one. */
const mostAtOnce = 8

export function clientDirectory({ readDocument, clock, allowPrivate }: DirectoryOptions): ClientDirectory {
  const cache = new Map<string, { readonly client: OAuthClient; readonly until: number }>()
  const reading = new Map<string, Promise<OAuthClient | null>>()

  async function read(url: string): Promise<OAuthClient | null> {
    const client = clientOf(url, await readDocument(url))
    cache.delete(url)
    if (client !== null) cache.set(url, { client, until: clock.now() + cachedMs })
    for (const oldest of cache.keys()) {
      if (cache.size <= mostCached) break
      cache.delete(oldest)
    }
    return client
  }

  return {
    async find(clientId) {
      if (clientId.startsWith(registeredPrefix)) return fromId(clientId)
      if (!isDocumentUrl(clientId, allowPrivate)) return null
      const known = cache.get(clientId)
      if (known !== undefined && known.until > clock.now()) return known.client
      const running = reading.get(clientId)
      if (running !== undefined) return running
      if (reading.size >= mostAtOnce) throw unavailable('Too many clients connect at the same time')
      const started = read(clientId).finally(() => reading.delete(clientId))
      reading.set(clientId, started)
      return started
    },
  }
}

/** With a path, and written in the one form that is compared with the document. */
function isDocumentUrl(text: string, allowPrivate: boolean): boolean {
  if (text.length > longestId || !URL.canParse(text)) return false
  const { protocol, href, pathname, username, password, hash } = new URL(text)
  const isSecure = protocol === 'https:' || (allowPrivate && protocol === 'http:')
  return isSecure && href === text && pathname !== '/' && username === '' && password === '' && hash === ''
}

function clientOf(url: string, document: unknown): OAuthClient | null {
  try {
    const { client_id: id, token_endpoint_auth_method: method } = fieldsOf(document)
    // A document that anyone can read contains no secret that could authenticate its client.
    if (id !== url || (typeof method === 'string' && method.startsWith('client_secret'))) return null
    return { id: url, ...readMetadata(document), publishedBy: new URL(url).host }
  } catch (error) {
    if (error instanceof ClientRefused) return null
    throw error
  }
}

export function mayRedirectTo({ redirectUris }: OAuthClient, uri: string): boolean {
  return isRegistered(uri, redirectUris)
}
