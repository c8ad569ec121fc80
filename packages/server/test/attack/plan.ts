/**
 * Makes a random operation for one user from the OpenAPI document. Fields get values by name, including other users' data. New
 * routes are covered from the start; a new field name fails here until it gets values that an attacker would use.
 */
import { type Operation, resolved } from '../support/openapi-check.js'
import { accessOf, nameOf } from '../support/samples.js'
import { entityName, type Member, ownProject, question, sentence, sharedProjects } from './crowd.js'
import { type Field, fieldsOf, objectFields } from './operation-fields.js'
import type { Random } from './random.js'

/** A reference to the user's own data by kind and order of appearance, because ids differ between worlds. */
export interface OwnThing {
  readonly own: string
  readonly index: number
}

export interface Planner {
  readonly random: Random
  readonly member: Member
  readonly other: Member
  readonly startMs: number
  readonly nowMs: number
  /** Whether the request should succeed: it names nobody else's data, and of the user's own the latest. */
  readonly isHarmless: boolean
  /** The number of ids of a kind that a user has seen. */
  seen(member: Member, kind: string): number
  /** One of these ids. */
  foreign(member: Member, kind: string): string | undefined
}

export interface Plan {
  readonly operation: Operation
  readonly id?: unknown
  readonly query: Readonly<Record<string, unknown>>
  readonly body?: Readonly<Record<string, unknown>>
  /** False if the response depends on the whole service, on the order of other users' ids, as with their cursors, or on the keys that approved grants. */
  readonly comparable: boolean
}

/** The same for all users, so that a value of another one is always within reach of a mistake. */
const itemNamespaces = ['shared', 'shared.notes', 'a']

const kindOfNoun: Readonly<Record<string, string>> = {
  memories: 'mem',
  memory: 'mem',
  entities: 'ent',
  contradictions: 'con',
  merges: 'mrg',
  webhooks: 'whk',
  spaces: 'spc',
  keys: 'key',
  grants: 'grt',
}
const kinds = ['mem', 'ent', 'rel', 'doc', 'con', 'mrg', 'whk', 'grt', 'spc']
const unknownId = '01h455vb4pex5vsknk084sn02q'

/** Mostly an id of the user, often of another user, sometimes of the wrong kind or unknown. */
function thing(planner: Planner, wanted: string): OwnThing | string {
  const { random, member, other, isHarmless } = planner
  if (isHarmless) {
    const seen = planner.seen(member, wanted)
    const index = Math.max(0, seen - 1 - random.below(random.pick([1, 1, 3, 10])))
    return seen === 0 ? `${wanted}_${unknownId}` : { own: wanted, index }
  }
  const kind = random.chance(0.05) && wanted !== 'cursor' ? random.pick(kinds) : wanted
  if (random.chance(0.3)) {
    const foreign = planner.foreign(other, kind)
    if (foreign !== undefined) return foreign
  }
  const seen = planner.seen(member, kind)
  // A user who lives alone has fewer keys, hence fewer grants: in the place of another id, an own one would not be the same there.
  const isSame = kind !== 'grt' || wanted === 'grt'
  // The latest ones most likely still exist.
  if (seen > 0 && isSame) return { own: kind, index: Math.max(0, seen - 1 - random.below(random.pick([3, 10, seen]))) }
  return kind === 'cursor' ? '' : `${kind}_${unknownId}`
}

function moment({ random, startMs, nowMs }: Planner): string {
  return new Date(startMs + random.below(nowMs - startMs + 1)).toISOString()
}

function placeOf({ random, member, isHarmless }: Planner): string {
  if (isHarmless) return 'shared/one'
  return `${random.pick(itemNamespaces)}/${random.pick(['one', 'two', member.canary])}`
}

type Make = (planner: Planner, field: Field, operation: Operation) => unknown
const isRead = ({ method, path }: Operation) => method === 'GET' || path.endsWith('/recall')

function userOf({ random, member, other, isHarmless }: Planner): string {
  if (isHarmless) return member.userId
  return random.pick([other.userId, other.userId, member.userId, 'nobody at all'])
}

/** The values that an attacker would use, by field name. */
const values: Readonly<Record<string, Make>> = {
  content: ({ random, member }) =>
    Array.from({ length: random.pick([1, 1, 2]) }, () => sentence(random, member)).join(' '),
  messages: ({ random, member }) =>
    Array.from({ length: 1 + random.below(2) }, () => ({
      role: random.pick(['user', 'assistant']),
      content: sentence(random, member),
      ...(random.chance(0.4) ? { name: random.pick(['Maria', member.canary]) } : {}),
    })),
  // Mended below: each item has the fields of a single store.
  items: (planner, { schema }, operation) =>
    Array.from({ length: 1 + planner.random.below(3) }, () =>
      objectOf(planner, objectFields(resolved(schema.items) ?? {}), operation),
    ),
  idempotency_key: ({ random, member, other }) =>
    random.pick([`own-${member.userId}`, other.userId, 'shared']).replace(/[^\x21-\x7e]/g, '-'),
  user_id: userOf,
  user_prefix: userOf,
  // No user ever joins the space of another one here: `space-run.ts` attacks shared spaces.
  space: (planner) => thing(planner, 'spc'),
  spaces: (planner) => [
    thing(planner, 'spc'),
    ...(planner.random.chance(0.5) ? ['own'] : []),
    ...(planner.random.chance(0.3) ? [thing(planner, 'spc')] : []),
  ],
  member: ({ random, member, isHarmless }) =>
    isHarmless ? 'a guest' : random.pick([member.userId, 'a guest', 'nobody at all']),
  project: ({ random, member, other }, _field, operation) =>
    random.pick([...sharedProjects, ownProject(member), ...(isRead(operation) ? [ownProject(other)] : [])]),
  metadata: ({ random, member }) => ({ tag: random.pick(['x', 'y']), owner: member.canary }),
  source: ({ random, member }) => random.pick(['import', member.canary]),
  conversation_id: ({ random, member, other }) => random.pick(['shared', member.canary, other.userId]),
  ttl: ({ random }) => random.pick(['1h', '2h', '1d', 'permanent']),
  created_at: moment,
  as_of: moment,
  query: ({ random, member, other }) => question(random, member, other),
  q: ({ random, member, other }) => random.pick(['maria', 'works', member.canary, other.canary, '%', '_']),
  filters: ({ random, member, other }) =>
    random.pick([{ tag: 'x' }, { owner: member.canary }, { owner: other.canary }, { "tag' OR '1'='1": 'x' }]),
  filter: (planner, { schema }) => {
    const filter = attackFilter(planner)
    return schema.type === 'string' ? JSON.stringify(filter) : filter
  },
  entity: (planner) =>
    planner.random.chance(0.5) ? thing(planner, 'ent') : entityName(planner.random, planner.member, planner.other),
  into: (planner) => thing(planner, 'ent'),
  memory_ids: (planner) => Array.from({ length: 1 + planner.random.below(3) }, () => thing(planner, 'mem')),
  explain_memory_ids: (planner) => Array.from({ length: 1 + planner.random.below(3) }, () => thing(planner, 'mem')),
  half_life_days: ({ random }) => random.pick([0.5, 7, 365]),
  access_boost_weight: ({ random }) => random.pick([0, 0.2, 3]),
  forecast_days: ({ random }) => random.pick(['0', '1,2,3', '7,365']),
  cursor: (planner) => thing(planner, 'cursor'),
  value: ({ random, member }) =>
    random.pick<unknown>([
      member.canary,
      { tag: 'x', owner: member.canary, n: random.below(9) },
      [sentence(random, member)],
    ]),
  namespace: ({ random, member }) => random.pick([...itemNamespaces, member.canary]),
  prefix: ({ random, member }) => random.pick([...itemNamespaces, member.canary]),
  index: ({ random }) => random.pick<unknown>([true, false, ['owner'], ['$', 'tag']]),
  if_version: ({ random }) => random.below(30),
  offset: ({ random }) => random.below(3),
  limit: ({ random }) => random.pick([1, 2, 5, 10, 20]),
  page: ({ random }) => random.pick([1, 1, 2, 3]),
  topics: ({ random }) => random.pick(['work', 'home,people', 'other']),
  threshold: ({ random }) => random.pick([0, 0.1, 0.5]),
  max_tokens: ({ random }) => random.pick([1, 50, 4000]),
  name: ({ member }) => member.canary,
  url: ({ random, member, other }) => `https://example.com/${random.pick([member.canary, other.userId])}`,
  events: ({ random }) => random.pick([[], ['memory.stored'], ['memory.forgotten', 'memory.expired']]),
  secret: ({ member }) => `a-secret-of-${member.canary}`.replace(/[^\x21-\x7e]/g, '-'),
  since: ({ random }) => random.pick(['0', '1', '2-0', `${random.below(40)}`]),
  event_ids: ({ random }) => [random.pick(['1-0', '2', `${random.below(40)}-0`])],
}

/** Filters that name another user's data, or hold for everything. */
function attackFilter({ random, member, other, startMs }: Planner): Fields {
  const condition: Fields = random.pick([
    { 'metadata.tag': 'x' },
    { 'metadata.owner': { in: [member.canary, other.canary] } },
    { entity: entityName(random, member, other) },
    { project: { in: [ownProject(member), ownProject(other), null] } },
    { source: other.canary },
    { created_at: { gte: new Date(startMs).toISOString() } },
    { "metadata.tag' OR '1'='1": { exists: true } },
    { 'metadata.user_id': other.userId },
  ])
  return random.pick([
    condition,
    { not: condition },
    { or: [condition, { not: condition }] },
    { and: [condition, { trust_score: { gt: 0 } }] },
  ])
}

const likelihood: Readonly<Record<string, number>> = {
  user_id: 0.12,
  space: 0.12,
  spaces: 0.15,
  all: 0.05,
  messages: 0.15,
  created_at: 0.1,
  project: 0.15,
  // Without it, the caller leaves the space, which the last owner may not.
  member: 0.7,
}

function valueFor(planner: Planner, field: Field, operation: Operation): unknown {
  const make = values[field.name]
  if (make) return make(planner, field, operation)
  const { type, enum: allowed } = field.schema
  if (Array.isArray(allowed)) return planner.random.pick(allowed)
  if (type === 'boolean') return planner.random.chance(0.7)
  if (type === 'object') return objectOf(planner, objectFields(field.schema), operation)
  throw new Error(`attack/plan.ts has no values for the field ${field.name} of ${nameOf(operation)}`)
}

function objectOf(planner: Planner, fields: readonly Field[], operation: Operation): Record<string, unknown> {
  const chanceOf = (name: string) => (planner.isHarmless ? Number(name === 'member') : (likelihood[name] ?? 0.25))
  const chosen = fields.filter(({ name, required }) => required || planner.random.chance(chanceOf(name)))
  return Object.fromEntries(chosen.map((field) => [field.name, valueFor(planner, field, operation)]))
}

type Fields = Readonly<Record<string, unknown>>
type Request = Pick<Plan, 'query' | 'body'>

/** Rules that a schema can't express. Without them, most requests would be invalid. */
const mended: Readonly<Record<string, (planner: Planner, request: Request) => Request>> = {
  storeMemories({ random, member }, { query, body = {} }) {
    const { content: _, messages, ...rest } = body
    const text = messages === undefined ? { content: sentence(random, member) } : { messages }
    return { query, body: { ...rest, ...text } }
  },
  storeBatch(planner, { query, body = {} }) {
    const items = Array.isArray(body.items) ? body.items : []
    const mend = (item: Fields) => mended.storeMemories?.(planner, { query: {}, body: item }).body ?? item
    return { query, body: { ...body, items: items.map(mend) } }
  },
  // A value that the service generates differs between worlds.
  createWebhook(planner, { query, body = {} }) {
    return { query, body: { ...body, secret: `secret-of-${planner.member.userId}`.replace(/[^\x21-\x7e]/g, '-') } }
  },
  updateMemory({ random, member }, { query, body = {} }) {
    const isEmpty = !Object.keys(body).some((name) => name !== 'user_id' && name !== 'space')
    return { query, body: isEmpty ? { ...body, content: sentence(random, member) } : body }
  },
  listMemories(_planner, { query }) {
    const { cursor, page, ...rest } = query
    const { sort: _, ...unsorted } = rest
    if (cursor !== undefined && cursor !== '') return { query: { ...unsorted, cursor } }
    return { query: page === undefined ? rest : { ...rest, page } }
  },
  searchItems(planner, { query, body = {} }) {
    const { filter, namespace: _, ...rest } = body
    const { random, member, other } = planner
    const wanted = { 'value.owner': random.pick([member.canary, other.canary]) }
    return { query, body: filter === undefined ? rest : { ...rest, filter: random.pick([wanted, { not: wanted }]) } }
  },
  listItems: withoutNamespace,
  deleteItems(planner, request) {
    const { query } = withoutNamespace(planner, request)
    return { query: query.prefix === undefined ? { ...query, namespace: planner.random.pick(itemNamespaces) } : query }
  },
  deleteMemories(planner, { query, body = {} }) {
    const owner = query.user_id ?? body.user_id
    const space = query.space ?? body.space
    const ids = Array.from({ length: 1 + planner.random.below(3) }, () => thing(planner, 'mem'))
    const inUrl = planner.random.chance(0.5)
    const filter = attackFilter(planner)
    const what: Fields = planner.random.chance(0.04)
      ? { all: true }
      : planner.random.chance(0.1)
        ? { filter: inUrl ? JSON.stringify(filter) : filter }
        : { memory_ids: ids }
    const fields = {
      ...what,
      ...(owner === undefined ? {} : { user_id: owner }),
      ...(space === undefined ? {} : { space }),
    }
    return inUrl ? { query: fields } : { query: {}, body: fields }
  },
}

/** It cannot be combined with a prefix. A cursor of another list is refused. */
function withoutNamespace(_planner: Planner, { query }: Request): Request {
  const { namespace, cursor: _, ...rest } = query
  return { query: namespace === undefined || rest.prefix !== undefined ? rest : { ...rest, namespace } }
}

export function planFor(planner: Planner, operation: Operation): Plan {
  const fields = fieldsOf(operation)
  const plain: Request = {
    query: objectOf(planner, fields.query, operation),
    ...(fields.body ? { body: objectOf(planner, fields.body, operation) } : {}),
  }
  const { query, body } = mended[String(operation.description.operationId)]?.(planner, plain) ?? plain
  const noun = /\/(\w+)\/\{id\}/.exec(operation.path)?.[1]
  const kind = noun === undefined ? undefined : kindOfNoun[noun]
  if (noun !== undefined && kind === undefined) throw new Error(`attack/plan.ts knows no ids of ${nameOf(operation)}`)
  // A user or a space named in two places must be the same, or the request is invalid.
  const owners = Object.fromEntries(
    ['user_id', 'space'].flatMap((name) =>
      query[name] !== undefined && body?.[name] !== undefined ? [[name, body[name]]] : [],
    ),
  )
  return {
    operation,
    ...(kind === undefined ? {} : { id: thing(planner, kind) }),
    ...(operation.path.includes('{user_id}') ? { id: userOf(planner) } : {}),
    ...(operation.path.includes('{namespace}') ? { id: placeOf(planner) } : {}),
    query: { ...query, ...owners },
    ...(body === undefined ? {} : { body }),
    comparable:
      accessOf(operation) !== 'open' && typeof query.cursor !== 'string' && !operation.path.includes('/grants'),
  }
}

/** Inserts the ids of one world into the plan. Lists in a query are separated by commas. */
export function fillIn(plan: Plan, own: (thing: OwnThing) => string) {
  const filled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(filled)
    if (typeof value !== 'object' || value === null) return value
    if (isOwnThing(value)) return own(value)
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, filled(inner)]))
  }
  return {
    operation: plan.operation,
    ...(plan.id === undefined ? {} : { id: String(filled(plan.id)) }),
    query: Object.fromEntries(Object.entries(plan.query).map(([name, value]) => [name, String(filled(value))])),
    ...(plan.body === undefined ? {} : { body: filled(plan.body) }),
  }
}

function isOwnThing(value: object): value is OwnThing {
  return 'own' in value && 'index' in value
}
