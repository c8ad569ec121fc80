/**
 * One successful request per operation of the OpenAPI document. A route without a sample fails the suite, so that new routes are
 * covered from the start.
 */
import { type Call, type Method, masterKey, type TestService } from './harness.js'
import { asNode, type Operation, operations } from './openapi-check.js'

export interface Fixture {
  readonly userKey: string
  readonly memoryId: string
  readonly entityId: string
  /** The id of another person. */
  readonly otherEntityId: string
  readonly contradictionId: string
  readonly mergeId: string
  readonly webhookId: string
  readonly spaceId: string
  readonly grantId: string
  /** The id of an active key that nothing uses. */
  readonly spareKeyId: string
}

export type Access = 'open' | 'user' | 'master' | 'cleanup' | 'metrics'

const eitherKey = new Set([
  'POST /cleanup-expired',
  'POST /temporal/cleanup',
  'POST /consolidate',
  'POST /spaces/{id}/members',
  'DELETE /users/{user_id}/spaces',
])

/** Which key an operation needs, by decision and not by the OpenAPI document. */
export function accessOf({ method, path }: Operation): Access {
  const name = path.replace('/api/v1', '') || '/'
  if (/^\/(?:health|livez|readyz|docs|redoc|openapi\.(?:json|yaml)|llms\.txt)?(?:\/.*)?$/.test(name)) return 'open'
  if (name.startsWith('/keys')) return 'master'
  if (eitherKey.has(`${method} ${name}`) || name.startsWith('/grants')) return 'cleanup'
  return name === '/metrics' || name === '/users' ? 'metrics' : 'user'
}

const bodies: Readonly<Record<string, (fixture: Fixture) => object>> = {
  'POST /api/v1/store': () => ({ content: 'The sample memory is here' }),
  'POST /api/v1/store/batch': () => ({ items: [{ content: 'The sample memory of a batch is here' }] }),
  'POST /api/v1/recall': () => ({ query: 'sample memory' }),
  'PUT /api/v1/memories/{id}': () => ({ content: 'The sample memory was changed' }),
  'POST /api/v1/memories/{id}/release': () => ({}),
  'DELETE /api/v1/memories/{id}': () => ({}),
  'DELETE /api/v1/memories': ({ memoryId }) => ({ memory_ids: [memoryId] }),
  'POST /api/v1/contradictions/{id}/accept': () => ({}),
  'POST /api/v1/contradictions/{id}/revert': () => ({}),
  'POST /api/v1/merges/{id}/revert': () => ({}),
  'POST /api/v1/entities/{id}/merge': ({ otherEntityId }) => ({ into: otherEntityId }),
  'POST /api/v1/cleanup-expired': () => ({ dry_run: true }),
  'POST /api/v1/temporal/cleanup': () => ({ dry_run: true }),
  'POST /api/v1/consolidate': () => ({ dry_run: true }),
  'POST /api/v1/webhooks': () => ({ url: 'https://receiver.example.com/sample-webhook' }),
  'POST /api/v1/webhooks/{id}/redeliver': () => ({}),
  'POST /api/v1/spaces': () => ({ name: 'sample space' }),
  'PUT /api/v1/spaces/{id}': () => ({ name: 'renamed space' }),
  'POST /api/v1/spaces/{id}/members': () => ({ member: 'sample member', role: 'reader' }),
  'PUT /api/v1/items/{namespace}/{key}': () => ({ value: { sample: 'value' } }),
  'POST /api/v1/items/search': () => ({ query: 'sample value' }),
  'POST /api/v1/keys': () => ({ user_id: 'sample', name: 'sample key' }),
}

export const nameOf = ({ method, path }: Operation) => `${method} ${path}`
export const hasBody = ({ description }: Operation) => 'requestBody' in description
/** An item is named by two texts, and there may be none under them. */
export const isNamed = ({ path }: Operation) => path.includes('{key}')
export const hasId = ({ path }: Operation) => path.includes('{id}')
export const named = (chosen: readonly Operation[]) =>
  chosen.map((operation) => [nameOf(operation), operation] as const)

export const guarded = operations.filter((operation) => accessOf(operation) !== 'open')

export function keyFor(operation: Operation, fixture: Fixture): string | null {
  const access = accessOf(operation)
  if (access === 'open') return null
  return access === 'master' || access === 'metrics' ? masterKey : fixture.userKey
}

export function sampleBody(operation: Operation, fixture: Fixture): object | undefined {
  if (!hasBody(operation)) return undefined
  const body = bodies[nameOf(operation)]
  if (!body) throw new Error(`samples.ts has no body for ${nameOf(operation)}`)
  return body(fixture)
}

export function samplePath(operation: Operation, fixture: Fixture): string {
  const ids = {
    memories: fixture.memoryId,
    memory: fixture.memoryId,
    entities: fixture.entityId,
    contradictions: fixture.contradictionId,
    merges: fixture.mergeId,
    webhooks: fixture.webhookId,
    spaces: fixture.spaceId,
    keys: fixture.spareKeyId,
    grants: fixture.grantId,
  }
  const path = operation.path.replace('{user_id}', 'me').replace('{namespace}/{key}', 'samples/one')
  if (nameOf(operation) === 'DELETE /api/v1/items') return `${path}?namespace=samples`
  return path.replace(/\/(\w+)\/\{id\}/, (_whole, noun: string) => {
    const id = asNode(ids)[noun]
    if (typeof id !== 'string') throw new Error(`samples.ts has no id for ${nameOf(operation)}`)
    return `/${noun}/${id}`
  })
}

/** Sends the sample request with the given changes. */
export function send<T>(service: TestService, operation: Operation, fixture: Fixture, change: Call = {}) {
  const body = change.raw === undefined ? sampleBody(operation, fixture) : undefined
  const [path = '', query] = samplePath(operation, fixture).split('?')
  // The OpenAPI document contains only HTTP methods.
  return service.callRoot<T>(operation.method as Method, path, {
    key: keyFor(operation, fixture),
    ...(body === undefined ? {} : { body }),
    ...change,
    query: { ...Object.fromEntries(new URLSearchParams(query)), ...change.query },
  })
}

/** For a service with authentication: a user with one memory that names entities, and a spare key. */
export async function fixtureOf(service: TestService, userId = 'sample-user'): Promise<Fixture> {
  const { key: userKey } = await service.createKey(userId)
  await service.ok('PUT', '/items/samples/one', { key: userKey, body: { value: 'John works at Acme Corp' } })
  return { userKey, ...(await freshIds(service, userKey)) }
}

/** Ids that a request may consume. A key is only created if needed, because it costs a bcrypt hash. */
export async function freshIds(service: TestService, userKey: string, operation?: Operation) {
  const { id: memoryId } = await service.storeOne({ content: 'John works at Acme Corp' }, { key: userKey })
  const { entities } = await service.ok<Entities>('GET', '/entities', { key: userKey })
  if (operation?.path.includes('/items')) {
    await service.ok('PUT', '/items/samples/one', { key: userKey, body: { value: 'a sample' } })
  }
  const needsKey = operation === undefined || operation.path.includes('/keys/')
  const spareKeyId = needsKey ? (await service.createKey('nobody')).id : ''
  const person = entities.find(({ type }) => type === 'PERSON')
  return {
    memoryId,
    entityId: person?.id ?? '',
    spareKeyId,
    grantId: operation?.path.includes('/grants/{id}') ? await grantFor(service, userKey) : unknownGrantId,
    webhookId: operation?.path.includes('/webhooks/{id}') ? await webhookFor(service, userKey) : unknownWebhookId,
    spaceId: operation?.path.includes('/spaces/{id}') ? await spaceFor(service, userKey) : unknownSpaceId,
    ...(operation ? await graphIds(service, userKey) : unknownIds),
  }
}

const unknownGrantId = 'grt_01h455vb4pex5vsknk084sn02q'
const unknownWebhookId = 'whk_01h455vb4pex5vsknk084sn02q'
const unknownSpaceId = 'spc_01h455vb4pex5vsknk084sn02q'

/** With a second owner, so that the user can leave it. Removes earlier spaces, because a user may create a hundred. */
export async function spaceFor(service: TestService, key: string): Promise<string> {
  await service.ok('DELETE', '/users/me/spaces', { key })
  const { space } = await service.ok<{ space: { id: string } }>('POST', '/spaces', { key, body: { name: 'a space' } })
  const body = { member: 'another owner', role: 'owner' }
  await service.ok('POST', `/spaces/${space.id}/members`, { key, body })
  return space.id
}

/** As a client would get it, without the flow: the setting for OAuth is off in most tests. */
async function grantFor({ deps, ok }: TestService, key: string): Promise<string> {
  const { memories } = await ok<{ memories: readonly { user_id: string }[] }>('GET', '/memories', { key })
  const userId = memories[0]?.user_id ?? ''
  const id = deps.ids.next('grt')
  const now = deps.clock.now()
  const code = {
    codeHash: 'code',
    challenge: 'challenge',
    clientId: 'client',
    redirectUri: 'uri',
    audience: 'audience',
  }
  const times = { createdAt: now, expiresAt: now + 1 }
  await deps.storage.createGrant({ id, userId, clientName: 'name', approvedBy: null, ...code, ...times }, 1_000)
  const hashes = { familyHash: 'family', refreshHash: 'refresh', accessHash: 'access', salt: 'salt' }
  const lasting = { accessExpiresAt: now, expiresAt: now + 1_000_000_000 }
  await deps.storage.redeemCode(id, { ...code, now }, { ...hashes, ...lasting })
  return id
}

/** Removes earlier webhooks, because a user may have ten. */
async function webhookFor(service: TestService, key: string): Promise<string> {
  const { webhooks } = await service.ok<{ webhooks: readonly { id: string }[] }>('GET', '/webhooks', { key })
  for (const { id } of webhooks) await service.ok('DELETE', `/webhooks/${id}`, { key })
  const body = { url: 'https://receiver.example.com/fixture' }
  return (await service.ok<{ webhook: { id: string } }>('POST', '/webhooks', { key, body })).webhook.id
}

interface Entities {
  readonly entities: readonly { readonly id: string; readonly name: string; readonly type: string }[]
}

const unknownIds = {
  otherEntityId: 'ent_01h455vb4pex5vsknk084sn02q',
  contradictionId: 'con_01h455vb4pex5vsknk084sn02q',
  mergeId: 'mrg_01h455vb4pex5vsknk084sn02q',
}

/** A contradiction that can be resolved, a merge that can be reverted, and a person other than John. */
export async function graphIds(service: TestService, userKey: string) {
  const key = userKey
  for (const content of ['Maria lives in Oslo', 'Maria lives in Rome', 'Melanie met Maria', 'Mel met Maria'])
    await service.store({ content }, { key })
  const { contradictions } = await service.ok<{ contradictions: readonly { id: string }[] }>('GET', '/contradictions', {
    key,
    query: { status: 'applied' },
  })
  const { entities } = await service.ok<Entities>('GET', '/entities', { key })
  const idOf = (name: string) => entities.find((entity) => entity.name === name)?.id ?? ''
  const { merges } = await service.ok<{ merges: readonly { id: string }[] }>(
    'GET',
    `/entities/${idOf('Melanie')}/merges`,
    { key },
  )
  return { otherEntityId: idOf('Maria'), contradictionId: contradictions[0]?.id ?? '', mergeId: merges[0]?.id ?? '' }
}
