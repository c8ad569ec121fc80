/**
 * Two users call every method in random order over a real socket, sometimes with ids of the other user. No answer may contain
 * anything of the other user, and every answer must be identical to that of a service without the other user.
 */
import { describe, expect, it } from 'vitest'
import { hourMs, manualClock } from '../../server/test/support/harness.js'
import { Keepsake, KeepsakeError } from '../src/index.js'
import { openaiMemory } from '../src/openai.js'
import { type RealService, startRealService } from './real-service.js'

const operationCount = 300
const names = ['alpha', 'bravo'] as const
type Name = (typeof names)[number]
const canary: Readonly<Record<Name, string>> = { alpha: 'ALPHAZEBRA', bravo: 'BRAVOZEBRA' }
const idPattern = /\b(?:mem|ent|rel|doc|con|mrg)_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g

/** The arguments of one step; ids are filled in for each world. */
interface Choice {
  readonly id: string
  readonly otherId: string
  readonly text: string
  readonly query: string
  readonly project: string | undefined
  /** The key of an item. Both users have these. */
  readonly key: string
}

type Operation = (client: Keepsake, choice: Choice) => Promise<unknown>

const operations: Readonly<Record<string, Operation>> = {
  store: (client, { text, project }) => client.store(text, { project, metadata: { tag: 'x' } }),
  storeShort: (client, { text }) => client.add(text, { ttl: '1h' }),
  recall: (client, { query, project }) => client.recall(query, { project, explain: true }),
  search: (client, { query }) => client.search(query, { includeHistory: true, enableRerank: true, limit: 3 }),
  recallEntity: (client, { query, id }) => client.recall(query, { entity: id }),
  get: (client, { id }) => client.get(id),
  history: (client, { id }) => client.history(id),
  update: (client, { id, text }) => client.update(id, { content: text, metadata: { tag: 'y' } }),
  forget: (client, { id, otherId }) => client.forget([id, otherId]),
  forgetProject: (client) => client.forget({ all: true }, { project: 'shared' }),
  list: (client, { project }) => client.list({ limit: 7, project }).toArray(),
  listSome: (client) => client.list({ q: 'works', includeExpired: true }).toArray(),
  entities: (client) => client.entities.list({ limit: 5 }).toArray(),
  entity: (client, { id }) => client.entities.get(id),
  relationships: (client, { id }) => client.entities.relationships(id, { includeHistory: true }),
  entityMemories: (client, { id }) => client.entities.memories(id).toArray(),
  merges: (client, { id }) => client.entities.merges(id),
  merge: (client, { id, otherId }) => client.entities.merge(id, otherId),
  revertMerge: (client, { id }) => client.entities.revertMerge(id),
  contradictions: (client) => client.contradictions.list({ includeExpired: true }).toArray(),
  contradiction: (client, { id }) => client.contradictions.get(id),
  accept: (client, { id }) => client.contradictions.accept(id),
  revert: (client, { id }) => client.contradictions.revert(id),
  report: (client) => client.decay.report({ limit: 500 }),
  decay: (client, { id }) => client.decay.get(id),
  putItem: (client, { text, key, project }) => client.items.put('shared.notes', key, { text }, { project }),
  getItem: async (client, { key, project }) => (await client.items.get('shared.notes', key, { project })) ?? 'none',
  itemVersions: (client, { key }) => client.items.versions('shared.notes', key),
  listItems: (client) => client.items.list({ prefix: 'shared', limit: 3 }).toArray(),
  namespaces: (client) => client.items.namespaces().toArray(),
  searchItems: (client, { query }) => client.items.search({ query }),
  deleteItem: (client, { key }) => client.items.delete('shared.notes', key),
  deleteItems: (client, { project }) => client.items.deleteAll({ prefix: 'shared' }, { project }),
  cleanup: (client) => client.cleanup({ dryRun: false }),
  recallTool: (client, { query }) =>
    openaiMemory(client).run({
      call_id: 'c',
      name: 'recall_memories',
      arguments: JSON.stringify({ query, limit: 5, user_id: 'alpha', userId: 'bravo' }),
    }),
  forgetTool: (client, { id }) =>
    openaiMemory(client, { tools: ['forget_memories'] }).run({
      call_id: 'c',
      name: 'forget_memories',
      arguments: JSON.stringify({ memory_ids: [id], user_id: 'alpha', userId: 'bravo' }),
    }),
}
function idKind(kind: string): string {
  if (kind === 'revertMerge') return 'mrg'
  if (['contradiction', 'accept', 'revert'].includes(kind)) return 'con'
  return /^(?:entity|relationships|merge|recallEntity)/.test(kind) ? 'ent' : 'mem'
}

/** Stores are chosen more often. */
const more = Array.from({ length: 9 }, () => 'store').concat('putItem', 'putItem', 'putItem')
const weighted = [...Object.keys(operations), ...more]

/** These need two matching objects, which so few steps may not produce. */
const rare = new Set(['merge', 'revertMerge', 'accept', 'revert'])

/** A linear congruential generator (Numerical Recipes): the same steps in every run. */
function seededRandom(seed: number) {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 4_294_967_296
  }
  return {
    chance: (share: number) => next() < share,
    pick<T>(items: readonly T[]): T {
      const item = items[Math.floor(next() * items.length)]
      if (item === undefined) throw new Error('nothing to pick from')
      return item
    },
  }
}

interface World {
  readonly service: RealService
  readonly clients: Readonly<Record<Name, Keepsake>>
  /** Ids that a user has seen, in order of first appearance. */
  readonly seen: Readonly<Record<Name, string[]>>
}

async function openWorld(authentication: boolean): Promise<World> {
  const service = await startRealService({ auth: authentication, clock: manualClock() })
  const shared = new Keepsake({ url: service.url })
  const clientOf = async (name: Name) =>
    authentication
      ? new Keepsake({ url: service.url, apiKey: (await service.createKey(name)).key })
      : shared.forUser(name)
  return {
    service,
    clients: { alpha: await clientOf('alpha'), bravo: await clientOf('bravo') },
    seen: { alpha: [], bravo: [] },
  }
}

/** The answer to a user as text, with ids replaced by their order of appearance. */
async function told(world: World, name: Name, operation: Operation, choice: Choice) {
  await world.service.deps.accesses.settle()
  const answer = await operation(world.clients[name], choice).catch((error: unknown) => {
    if (!(error instanceof KeepsakeError)) throw error
    return { code: error.code, message: error.message, details: error.details }
  })
  const raw = JSON.stringify(answer)
  const seen = world.seen[name]
  const failed = typeof answer === 'object' && answer !== null && 'code' in answer
  if (!failed) for (const id of raw.match(idPattern) ?? []) if (!seen.includes(id)) seen.push(id)
  const comparable = raw.replace(idPattern, (id) => (seen.includes(id) ? `own-${seen.indexOf(id)}` : id))
  return { raw, comparable, failed }
}

describe.each([
  ['one key per user', true],
  ['one client and one user id per user', false],
])('with %s', (_name, authentication) => {
  it(`never shows a user anything of another in ${operationCount} random operations`, {
    timeout: 300_000,
  }, async () => {
    const random = seededRandom(7)
    const both = await openWorld(authentication)
    const alone = await openWorld(authentication)
    const succeeded = new Set<string>()
    for (let step = 0; step < operationCount; step += 1) {
      const name = random.pick(names)
      const other = name === 'alpha' ? 'bravo' : 'alpha'
      const kind = random.pick(weighted)
      const people = ['John', 'Maria', 'Kim', canary[name]]
      const text = `${random.pick(people)} works at ${random.pick(['Acme Corp', 'Globex', 'Initech'])}.`
      const query = random.pick(['Acme Corp', 'who works at Globex', canary[name], canary[other]])
      const project = random.pick(['', '', 'home', 'shared']) || undefined
      const key = random.pick(['one', 'two'])
      const wanted = idKind(kind)
      const foreign = both.seen[other].filter((id) => id.startsWith(wanted))
      const own = [...both.seen[name].entries()].filter(([, id]) => id.startsWith(wanted)).map(([at]) => at)
      const indexes = [0, 1].map(() => {
        if (foreign.length > 0 && random.chance(0.3)) return random.pick(foreign)
        return own.length === 0 ? 'mem_01h455vb4pex5vsknk084sn02q' : random.pick(own)
      })
      const choiceIn = (world: World): Choice => {
        const [id = '', otherId = ''] = indexes.map((at) =>
          typeof at === 'number' ? (world.seen[name][at] ?? '') : at,
        )
        return { id, otherId, text, query, project, key }
      }
      const operation = operations[kind]
      if (operation === undefined) throw new Error(kind)

      const choice = choiceIn(both)
      const answer = await told(both, name, operation, choice)
      const where = `step ${step}: ${kind} as ${name} with ${JSON.stringify(choice)}\n${answer.raw}`
      if (!answer.failed) succeeded.add(kind)
      expect(answer.raw.includes(canary[other]), where).toBe(false)
      expect(
        (answer.raw.match(idPattern) ?? []).filter((id) => both.seen[other].includes(id)),
        where,
      ).toEqual([])
      if (name === 'alpha') {
        const same = await told(alone, name, operation, choiceIn(alone))
        expect(answer.comparable, where).toBe(same.comparable)
      }
      both.service.clock.advance(random.chance(0.03) ? hourMs : 1)
      alone.service.clock.set(both.service.clock.now())
    }
    expect(Object.keys(operations).filter((kind) => !succeeded.has(kind) && !rare.has(kind))).toEqual([])
    await both.service.close()
    await alone.service.close()
  })
})
