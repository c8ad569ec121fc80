/** The connection to the service: the client, rate limits from its responses, and whether it requires a key. */
import { Keepsake } from '@keepsake/client'
import { batch, computed, signal } from '@preact/signals'
import { access, apiKey, keyOwner, masterKey, project, userId } from './state.ts'

/** The service is one level above the page, whatever the path prefix. */
export const serviceUrl = new URL('..', location.href.split(/[?#]/, 1)[0]).href

export interface RateLimit {
  readonly group: string
  readonly limit: number
  readonly remaining: number
  readonly resetSeconds: number
  readonly at: number
}

/** From the last response of each group. */
export const rateLimits = signal<ReadonlyMap<string, RateLimit>>(new Map())
/** False after a request without a response, until one succeeds. */
export const reached = signal(true)

async function observedFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  try {
    const response = await fetch(input, init)
    noteLimit(init?.method ?? 'GET', routeOf(String(input)), response.headers)
    reached.value = true
    return response
  } catch (error) {
    if (init?.signal?.aborted !== true) reached.value = false
    throw error
  }
}

function routeOf(url: string): string {
  const path = new URL(url).pathname
  const below = path.slice(path.indexOf('/api/v1') + '/api/v1'.length)
  return below.replace(/\/[a-z]{2,4}_[0-9a-z]+/g, '/{id}')
}

/** Groups requests in the same way as the rate limits of the service. */
function groupOf(method: string, route: string): string {
  if (method === 'POST' && route === '/store') return 'store'
  if (method === 'POST' && route === '/recall') return 'recall'
  if (method === 'DELETE' && route === '/memories') return 'forget'
  return 'everything else'
}

function noteLimit(method: string, route: string, headers: Headers): void {
  const [limit, remaining, resetSeconds] = ['limit', 'remaining', 'reset'].map((name) => {
    const text = headers.get(`x-ratelimit-${name}`)
    return text === null ? undefined : Number(text)
  })
  if (limit === undefined || remaining === undefined || resetSeconds === undefined) return
  const group = groupOf(method, route)
  rateLimits.value = new Map(rateLimits.value).set(group, { group, limit, remaining, resetSeconds, at: Date.now() })
}

/** No automatic retries: an error is shown with a button to try again, because a person is waiting. */
const common = { url: serviceUrl, fetch: observedFetch, maxRetries: 0, timeoutMs: 30_000 }

/** For all requests about memories. */
export const client = computed(
  () => new Keepsake({ ...common, apiKey: apiKey.value, userId: userId.value, project: project.value }),
)

/** For managing keys; undefined without the master key. */
export const masterClient = computed(() =>
  masterKey.value === undefined ? undefined : new Keepsake({ ...common, apiKey: masterKey.value }),
)

/** The metrics of the service, for the master key or while authentication is off. */
export async function metricsText(signal: AbortSignal): Promise<string> {
  const headers: HeadersInit = masterKey.value === undefined ? {} : { authorization: `Bearer ${masterKey.value}` }
  const response = await observedFetch(new URL('metrics', serviceUrl), { headers, signal })
  if (!response.ok) throw new Error(`The metrics could not be read: status ${response.status}`)
  return response.text()
}

/** Whether pages about memories can load anything. */
export const canRead = computed(() =>
  access.value === 'open' ? userId.value !== undefined : apiKey.value !== undefined,
)

export const discoveryError = signal<unknown>(undefined)

/** Asks without a key: if authentication is off, the service reports its version to everyone. */
export async function discover(): Promise<void> {
  discoveryError.value = undefined
  try {
    const health = await new Keepsake(common).health()
    access.value = health.version === undefined ? 'keys' : 'open'
  } catch (error) {
    discoveryError.value = error
  }
}

const apiKeyShape = /^ksk_[0-9a-z]{26}_/

/** Rejects like any other call if the key is invalid. */
export async function signIn(key: string): Promise<void> {
  const asking = new Keepsake({ ...common, apiKey: key })
  await asking.health()
  if (!apiKeyShape.test(key)) {
    masterKey.value = key
    return
  }
  const { userId: owner } = await asking.profile({ maxTokens: 1 })
  // The key of an application has no user of its own: the service takes the name literally.
  openWithKey(key, owner === 'me' ? undefined : owner)
}

/** Opens the memories of a user with the master key, through a key that expires by itself. */
export async function openForUser(user: string): Promise<void> {
  const created = await masterClient.value?.keys.create({ userId: user, name: 'dashboard', ttl: '12h' })
  if (created !== undefined) openWithKey(created.key, user)
}

export function openWithKey(key: string, owner: string | undefined): void {
  batch(() => {
    apiKey.value = key
    keyOwner.value = owner
  })
}

/** Reloads the page, which discards everything held in memory, including keys. */
export function signOut(): void {
  location.hash = ''
  location.reload()
}
