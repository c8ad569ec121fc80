/** Fills a data directory with thousands of memories through the storage port, because storing them as texts would take minutes. */
import { readFileSync } from 'node:fs'
import { nameKey } from '../../server/src/core/entity.js'
import { idSource } from '../../server/src/core/ids.js'
import { checksumOf, contentKey } from '../../server/src/core/memory.js'
import { userScope } from '../../server/src/core/scope.js'
import type { NewMemory } from '../../server/src/storage/ports/memory-writes.js'
import { openSqliteStorage } from '../../server/src/storage/sqlite/sqlite-storage.js'

const dimensions = 384
const atATime = 500
const places = ['Porto', 'Leeds', 'Oslo', 'Quito', 'Hanoi', 'Accra', 'Turin', 'Perth']
const people = ['Ada Brandt', 'Ben Okafor', 'Carla Ruiz', 'Dan Novak', 'Eva Lindgren', 'Farid Haddad']

const pick = (all: readonly string[], number: number) => all[number % all.length] ?? ''

/** The newest memory has number 1, and each further one is an hour older. */
export const textOf = (number: number) =>
  `Note ${number}: ${pick(people, number)} met the team in ${pick(places, number)}.`

export async function fillWithMemories(dataDir: string, userId: string, count: number): Promise<void> {
  const storage = await openSqliteStorage({ dataDir })
  const now = Date.now()
  const ids = idSource({ now: () => now })
  const modelId = embedderId()
  const memoryOf = (number: number, segment: number): NewMemory => {
    const content = textOf(number)
    const entity = (name: string, type: 'PERSON' | 'LOCATION') => ({
      name,
      key: nameKey(name),
      type,
      aliases: [],
      newId: ids.next('ent'),
    })
    return {
      id: ids.next('mem'),
      createdAt: now - number * 3_600_000,
      source: 'test',
      segments: [segment, segment],
      supersedes: [],
      endings: [],
      version: {
        content,
        contentKey: contentKey(content),
        checksum: checksumOf(content),
        metadata: { number },
        project: number % 5 === 0 ? 'work' : null,
        expiresAt: null,
        trustScore: 1,
        flagged: false,
        vector: vectorOf(number),
        modelId,
        entities: [entity(pick(people, number), 'PERSON'), entity(pick(places, number), 'LOCATION')],
        relationships: [],
        slots: [],
      },
    }
  }
  let expectedRevision = 0
  for (let first = 1; first <= count; first += atATime) {
    const memories = Array.from({ length: Math.min(atATime, count - first + 1) }, (_, at) => memoryOf(first + at, at))
    const document = { id: ids.next('doc'), segments: memories.map(({ version }) => version.content), source: 'test' }
    const commit = { expectedRevision, now, document, memories, sightings: [] }
    expectedRevision = (await storage.commit(userScope(userId), commit)).revision
  }
  await storage.close()
}

/** Of length 1 like those of the model, and unlike any text. */
function vectorOf(number: number): Float32Array {
  const parts = Array.from({ length: dimensions }, (_, at) => Math.sin(number * (at + 1)))
  const length = Math.hypot(...parts)
  return Float32Array.from(parts, (part) => part / length)
}

/** With this id, the service does not compute the vectors again. */
function embedderId(): string {
  const model = JSON.parse(readFileSync(new URL('../../../models/keepsake-embed/model.json', import.meta.url), 'utf8'))
  return String(model.id)
}
