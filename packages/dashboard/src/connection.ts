/** The connection to the service: the client, rate limits and latencies from its responses, and whether it requires a key. */
import { Keepsake } from '@keepsake/client'
import { batch, computed, signal } from '@preact/signals'
import { access, apiKey, keyOwner, masterKey, project, userId } from './state.ts'

/** The service is one level above the page, whatever the path prefix. */
export const serviceUrl = new URL('..', location.href.split(/[?#]/, 1)[0]).href

export interface Exchange {
  /** Sequence number, used as a unique key. */
  readonly number: number
  readonly method: string
  /** Without ids and query strings. */
  readonly route: string
  /** 0 if there was no response. */
  readonly status: number
  readonly ms: number
  readonly at: number
}

export interface RateLimit {
  readonly group: string
  readonly limit: number
  readonly remaining: number
  readonly resetSeconds: number
  readonly at: number
}

const keptExchanges = 60
/** Requests of this page, newest first. */
export const exchanges = signal<readonly Exchange[]>([])
/** From the last response of each group. */
export const rateLimits = signal<ReadonlyMap<string, RateLimit>>(new Map())
/** False after a request without a response, until one succeeds. */
export const reached = signal(true)

let count = 0

async function observedFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const startedAt = performance.now()
  const method = init?.method ?? 'GET'
  const route = routeOf(String(input))
  const note = (status: number) => {
    count += 1
    const exchange = { number: count, method, route, status, ms: performance.now() - startedAt, at: Date.now() }
    exchanges.value = [exchange, ...exchanges.value].slice(0, keptExchanges)
  }
  try {
    const response = await fetch(input, init)
    note(response.status)
    noteLimit(method, route, response.headers)
    reached.value = true
    return response
  } catch (error) {
    if (init?.signal?.aborted !== true) {
      note(0)
      reached.value = false
    }
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
  // Any memory contains its user. Without a memory, the page does not know the name.
  const { memories } = await asking.listPage({ limit: 1 })
  openWithKey(key, memories[0]?.userId)
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
