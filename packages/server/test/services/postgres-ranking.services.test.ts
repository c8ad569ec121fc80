/** Both engines return the same memories for the same texts, in the same order and with the same explanation. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startService, type TestService } from '../support/harness.js'
import { anyPostgres, makeDatabase, type PostgresServer } from './postgres.js'

const people = ['John Smith', 'Mary Jones', 'Ana', 'Bob Miller', 'Zoë Müller', 'Li Wei']
const places = ['Berlin', 'Paris', 'Oslo', 'Quito', 'the mountains', 'a small village']
const hobbies = ['hiking', 'chess', 'sailing', 'painting', 'jazz', 'gardening', 'baking bread']

const texts = people.flatMap((person, index) => [
  `${person} works at ${['Acme Corp', 'Globex', 'Initech'][index % 3]} in ${places[index % places.length]}.`,
  `${person} loves ${hobbies[index % hobbies.length]} and ${hobbies[(index + 3) % hobbies.length]}.`,
  `${person} moved to ${places[(index + 1) % places.length]} last year and misses ${hobbies[(index + 2) % hobbies.length]}.`,
  `I met ${person} at a conference about ${hobbies[(index + 4) % hobbies.length]}, we talked for hours.`,
])

const questions = [
  'Where does John Smith work?',
  'Who loves hiking?',
  'What did Mary Jones do last year?',
  'conference about jazz',
  'Who lives in Oslo?',
  'müller',
  'Which company is Bob Miller at, and where?',
  'nothing of this kind was ever said',
]

describe('SQLite and PostgreSQL', () => {
  let server: Pick<PostgresServer, 'url' | 'close'>
  let database: Awaited<ReturnType<typeof makeDatabase>>
  let services: { readonly embedded: TestService; readonly postgres: TestService }

  beforeAll(async () => {
    server = await anyPostgres()
    database = await makeDatabase(server.url)
    services = {
      embedded: await startService(),
      postgres: await startService({ env: { SERVICE_DATABASE_URL: database.url } }),
    }
    for (const service of Object.values(services)) await fill(service)
  })
  afterAll(async () => {
    for (const service of Object.values(services)) await service.close()
    await database.drop()
    await server.close()
  })

  async function fill(service: TestService): Promise<void> {
    for (const [index, content] of texts.entries()) {
      service.clock.advance(60_000)
      const project = index % 4 === 3 ? { project: 'meetings' } : {}
      await service.store({ user_id: 'ana', content, ...project, metadata: { index } })
      await service.store({ user_id: 'other', content: `${content} Or so they say.` })
    }
    // Covers replaced, repeated, accessed and expired memories.
    await service.store({ user_id: 'ana', content: 'John Smith works at Umbrella now.' })
    await service.store({ user_id: 'ana', content: texts[1] ?? '' })
    await service.store({ user_id: 'ana', content: 'The hiking trip is tomorrow.', ttl: '1h' })
    service.clock.advance(2 * 3_600_000)
  }

  /** A recall without ids and times, which differ between stores. */
  async function answers(service: TestService, query: string, more: object) {
    const { memories, context } = await service.recall({ user_id: 'ana', query, explain: true, limit: 15, ...more })
    return { context, memories: memories.map(({ id, ...memory }) => memory) }
  }

  const ways = [
    {},
    { enable_hybrid: false },
    { enable_rerank: true },
    { project: 'meetings' },
    { include_history: true },
  ]
  it.each(ways)('rank and explain alike with %j', async (way) => {
    for (const query of questions) {
      // Repeated on a difference: each engine counts an access shortly after the recall, at its own time.
      const comparing = async () => {
        const embedded = await answers(services.embedded, query, way)
        const onPostgres = await answers(services.postgres, query, way)
        expect(onPostgres, query).toEqual(embedded)
      }
      await vi.waitFor(comparing, { timeout: 30_000, interval: 100 })
    }
  })

  it('extract the same entities and relationships, and list the same memories', async () => {
    const seen = async (service: TestService) => {
      const { entities } = await service.ok<{ entities: { id: string; name: string }[] }>('GET', '/entities', {
        query: { user_id: 'ana', limit: 500 },
      })
      const listed = await service.list({ user_id: 'ana', limit: 500 })
      const relationships = []
      for (const { id: entityId } of entities) {
        const found = await service.ok<{ relationships: object[] }>('GET', `/entities/${entityId}/relationships`, {
          query: { include_history: true },
        })
        relationships.push(found.relationships.map((each) => withoutIds(each)))
      }
      return { entities: entities.map(withoutIds), relationships, listed: listed.memories.map(withoutAccesses) }
    }
    expect(await seen(services.postgres)).toEqual(await seen(services.embedded))
  })
})

function withoutIds(value: object): object {
  return without(value, ['id', 'supersedes', 'source_id', 'target_id', 'memory_ids', 'superseded_by'])
}

/** The engines may have counted different accesses where a question was repeated. */
function withoutAccesses(memory: object): object {
  return without(withoutIds(memory), ['access_count', 'last_accessed', 'decay_score'])
}

function without(value: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
}
