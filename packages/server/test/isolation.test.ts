/**
 * Two users drive every route in random order, with the other's ids, names and projects among their
 * payloads. Two things must hold for all that the first user is told: nothing of the other is in it,
 * and it is word for word what a service without the other user answers (counts, scores, order).
 */
import { expect, it } from 'vitest'
import { type Call, hourMs, type Method, manualClock, masterKey, startService, type TestService } from './harness.js'
import type { Operation } from './openapi-check.js'
import { guarded, hasBody, nameOf } from './samples.js'

const operationCount = 2400

type Name = 'alpha' | 'bravo'
/** Never equal to, nor part of, anything else that is sent. */
const canary: Readonly<Record<Name, string>> = { alpha: 'ALPHAZEBRA', bravo: 'BRAVOZEBRA' }
const idPattern = /\b(?:mem|ent|rel|doc|key|con|mrg)_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g

interface User {
  readonly name: Name
  /** Ids that this user was told, in the order of first sight. */
  readonly seen: string[]
}

interface World {
  readonly service: TestService
  readonly users: Readonly<Record<Name, User>>
  readonly keys: Readonly<Record<Name, string>>
}

/** A request whose ids are still names: `own` is resolved in each world, `foreign` is sent as it is. */
interface Plan {
  readonly operation: Operation
  readonly key: 'user' | 'master' | 'other'
  readonly id: IdChoice
  readonly ids: readonly IdChoice[]
  readonly body?: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, string>>
  readonly advanceMs: number
}
type IdChoice = { readonly own: number } | { readonly foreign: string }

function seededRandom(seed: number) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    chance: (share: number) => next() < share,
    pick<T>(items: readonly T[]): T {
      const item = items[below(items.length)]
      if (item === undefined) throw new Error('nothing to pick from')
      return item
    },
  }
}
type Random = ReturnType<typeof seededRandom>

const people = ['John', 'Maria', 'Kim', 'Paul', 'Melanie', 'Mel', 'Maria Garcia']
const places = ['Acme Corp', 'Globex', 'Initech']
const projects = ['home', 'work', 'shared']

function sentence(random: Random, name: Name): string {
  const shared = `${random.pick(people)} works at ${random.pick(places)}`
  const own = `The ${canary[name]} number ${random.below(40)} stands in room ${random.below(9)}`
  return random.pick([shared, own, own, `${canary[name]} knows ${random.pick(people)}`, 'I live in Oslo'])
}

type Fields = Readonly<Record<string, unknown>>
const ownerOf = ({ user_id }: Fields): Fields => (user_id === undefined ? {} : { user_id })
/** Stands in a plan for ids that each world has its own of. */
const idSentinel = 'IDS'
const bodyMakers: Readonly<Record<string, (random: Random, name: Name, base: Fields) => Fields>> = {
  'POST /api/v1/store': (random, name, base) => ({
    ...base,
    content: sentence(random, name),
    ...(random.chance(0.3) ? { ttl: random.pick(['1h', '2h', '1d', 'permanent']) } : {}),
    ...(random.chance(0.3) ? { metadata: { tag: random.pick(['x', 'y']), owner: canary[name] } } : {}),
  }),
  'POST /api/v1/recall': (random, name, base) => ({
    ...base,
    query: random.pick([...people, ...places, 'number room', canary[name], `who works at ${random.pick(places)}`]),
    limit: random.pick([1, 5, 10, 100]),
    ...(random.chance(0.2) ? { explain: true } : {}),
    ...(random.chance(0.2) ? { enable_hybrid: false } : {}),
    ...(random.chance(0.2) ? { enable_rerank: true } : {}),
    ...(random.chance(0.2) ? { include_history: true } : {}),
    ...(random.chance(0.2) ? { filters: { tag: 'x' } } : {}),
    ...(random.chance(0.2) ? { entity: random.pick([...people, ...places, idSentinel]) } : {}),
    ...(random.chance(0.2) ? { as_of: '2026-03-03T00:00:00Z' } : {}),
  }),
  'PUT /api/v1/memories/{id}': (random, name) => ({
    ...(random.chance(0.6) ? { content: sentence(random, name) } : {}),
    ...(random.chance(0.3) ? { ttl: random.pick(['1h', 'permanent']) } : {}),
    ...(random.chance(0.3) ? { project: random.pick(projects) } : {}),
    ...(random.chance(0.3) ? { metadata: { tag: 'z', owner: canary[name] } } : {}),
  }),
  'DELETE /api/v1/memories': (random, _name, base) =>
    random.chance(0.1) ? { ...base, all: true } : { memory_ids: idSentinel },
  'POST /api/v1/contradictions/{id}/accept': (_random, _name, base) => ownerOf(base),
  'POST /api/v1/contradictions/{id}/revert': (_random, _name, base) => ownerOf(base),
  'POST /api/v1/merges/{id}/revert': (_random, _name, base) => ownerOf(base),
  'POST /api/v1/entities/{id}/merge': (_random, _name, base) => ({ ...ownerOf(base), into: idSentinel }),
  'POST /api/v1/cleanup-expired': (random, _name, base) => ({ ...base, dry_run: random.chance(0.5) }),
  'POST /api/v1/temporal/cleanup': (random, _name, base) => ({ ...base, dry_run: random.chance(0.5) }),
  'POST /api/v1/keys': () => ({ user_id: 'alpha', name: 'stolen' }),
}

function planOne(random: Random, world: World, name: Name): Plan {
  const operation = random.pick(weighted)
  const other: Name = name === 'alpha' ? 'bravo' : 'alpha'
  const chooseId = (): IdChoice => {
    const foreign = world.users[other].seen
    if (random.chance(0.35) && foreign.length > 0) return { foreign: random.pick(foreign) }
    const own = world.users[name].seen.length
    return own === 0 ? { foreign: 'mem_01h455vb4pex5vsknk084sn02q' } : { own: random.below(own) }
  }
  const owner = random.chance(0.15) ? { user_id: random.pick([other, 'nobody', name]) } : {}
  const scoped = { ...owner, ...(random.chance(0.3) ? { project: random.pick(projects) } : {}) }
  const maker = bodyMakers[nameOf(operation)]
  if (hasBody(operation) && !maker) throw new Error(`isolation has no bodies for ${nameOf(operation)}`)
  const takesOwner = operation.method === 'GET' && !operation.path.includes('/keys')
  const takesProject = takesOwner && !operation.path.includes('{id}')
  return {
    operation,
    key: random.chance(0.005) ? 'other' : 'user',
    id: chooseId(),
    ids: [chooseId(), chooseId()],
    ...(maker ? { body: maker(random, name, scoped) } : {}),
    query: takesProject ? textual(scoped) : takesOwner ? textual(owner) : {},
    advanceMs: random.chance(0.02) ? random.below(2 * hourMs) : random.below(3),
  }
}

const textual = (fields: Fields) =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, String(value)]))

/** Every route, and those that write or search more often. */
const weighted = guarded.flatMap((operation) => {
  const weight =
    { 'POST /api/v1/store': 8, 'POST /api/v1/recall': 6, 'PUT /api/v1/memories/{id}': 3 }[nameOf(operation)] ?? 2
  return Array.from({ length: weight }, () => operation)
})

function withIds({ body, id, ids }: Plan, resolve: (choice: IdChoice) => string): Fields | undefined {
  if (body?.memory_ids === idSentinel) return { ...body, memory_ids: ids.map(resolve) }
  if (body?.into === idSentinel) return { ...body, into: resolve(ids[0] ?? id) }
  return body?.entity === idSentinel ? { ...body, entity: resolve(id) } : body
}

async function perform(world: World, name: Name, plan: Plan) {
  const { service, users, keys } = world
  const resolve = (choice: IdChoice) =>
    'foreign' in choice ? choice.foreign : (users[name].seen[choice.own] ?? 'none')
  const path = plan.operation.path.replace('{id}', resolve(plan.id))
  const body = withIds(plan, resolve)
  const call: Call = {
    key: plan.key === 'other' ? `${keys[name].slice(0, -3)}AAA` : keys[name],
    query: plan.query,
    ...(body === undefined ? {} : { body }),
  }
  // When counts of accesses reach the disk is a matter of milliseconds, which two services don't share.
  await service.deps.accesses.settle()
  const answer = await service.callRoot(plan.operation.method as Method, path, call)
  service.clock.advance(plan.advanceMs)
  const sent = new Set(`${path} ${JSON.stringify(body ?? {})}`.match(idPattern) ?? [])
  const told = answer.text.match(idPattern) ?? []
  if (answer.status < 400) for (const id of told) if (!users[name].seen.includes(id)) users[name].seen.push(id)
  return { ...answer, told, sent, request: `${plan.operation.method} ${path} ${JSON.stringify(call)}` }
}

/** The answer with ids by order of sight, so that two services can be compared word for word. */
function comparable(world: World, name: Name, text: string): string {
  return text
    .replace(idPattern, (id) => {
      const index = world.users[name].seen.indexOf(id)
      return index === -1 ? id : `own-${index}`
    })
    .replace(/"request_id":"[^"]*"/g, '"request_id":""')
    .replace(/"next_cursor":"[^"]*"/g, '"next_cursor":"there"')
}

async function openWorld(names: readonly Name[]): Promise<World> {
  const service = await startService({ auth: true, clock: manualClock() })
  const keys = { alpha: '', bravo: '' }
  for (const name of names) keys[name] = (await service.createKey(name)).key
  const user = (name: Name): User => ({ name, seen: [] })
  return { service, keys, users: { alpha: user('alpha'), bravo: user('bravo') } }
}

it(`tells a user nothing of another in ${operationCount} random operations, nor anything that it would not tell without the other`, {
  timeout: 300_000,
}, async () => {
  const random = seededRandom(20260302)
  const both = await openWorld(['alpha', 'bravo'])
  const alone = await openWorld(['alpha'])
  const statuses = new Map<string, number>()
  for (let step = 0; step < operationCount; step++) {
    const name: Name = random.chance(0.5) ? 'alpha' : 'bravo'
    const other: Name = name === 'alpha' ? 'bravo' : 'alpha'
    const plan = planOne(random, both, name)
    const answer = await perform(both, name, plan)
    statuses.set(
      `${nameOf(plan.operation)} ${answer.status}`,
      (statuses.get(`${nameOf(plan.operation)} ${answer.status}`) ?? 0) + 1,
    )
    const where = `step ${step} as ${name}: ${answer.request}\n→ ${answer.status} ${answer.text}`
    expect(answer.status, where).toBeLessThan(500)
    expect(answer.text.includes(canary[other]), where).toBe(false)
    const foreign = new Set(both.users[other].seen)
    expect(
      answer.told.filter((id) => foreign.has(id)),
      where,
    ).toEqual([])
    if (name === 'alpha') {
      const same = await perform(alone, 'alpha', plan)
      expect(comparable(both, 'alpha', answer.text), where).toBe(comparable(alone, 'alpha', same.text))
    } else alone.service.clock.set(both.service.clock.now())
    if (step % 200 === 199) {
      // The operator cleans up for the other user, and for everyone.
      await both.service.ok('POST', '/cleanup-expired', { key: masterKey, body: { user_id: 'bravo' } })
      for (const world of [both, alone])
        await world.service.ok('POST', '/cleanup-expired', { key: masterKey, body: {} })
    }
  }
  for (const operation of guarded) {
    const seen = [...statuses.keys()].filter((key) => key.startsWith(`${nameOf(operation)} `))
    expect(seen, `${nameOf(operation)} was never tried`).not.toEqual([])
  }
  const list = async (world: World) =>
    comparable(
      world,
      'alpha',
      JSON.stringify(await world.service.list({ limit: 500, include_expired: true }, { key: world.keys.alpha })),
    )
  await both.service.ok('DELETE', '/memories', { key: both.keys.bravo, body: { user_id: 'bravo', all: true } })
  expect(await list(both)).toBe(await list(alone))
  await both.service.close()
  await alone.service.close()
})
