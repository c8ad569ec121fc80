/**
 * A data directory with many memories, some of them edited, written through the storage port without the models.
 */
import { systemClock } from '../../packages/server/src/core/clock.js'
import { idSource } from '../../packages/server/src/core/ids.js'
import { checksumOf, contentKey } from '../../packages/server/src/core/memory.js'
import { userScope } from '../../packages/server/src/core/scope.js'
import type { NewMemory, VersionDraft } from '../../packages/server/src/storage/ports/memory-writes.js'
import { openSqliteStorage } from '../../packages/server/src/storage/sqlite/sqlite-storage.js'
import { random } from '../random.js'
import { sentence } from '../speed/sentences.js'

const dimensions = 384
const memoriesPerCommit = 500
/** One in this many memories is edited once, so that there are superseded versions. */
const editedOneIn = 20

export async function seed(dataDir: string, memories: number, users: number): Promise<void> {
  const storage = await openSqliteStorage({ dataDir })
  const ids = idSource(systemClock)
  const now = systemClock.now()
  const perUser = Math.ceil(memories / users)
  const draftOf = (number: number): VersionDraft => {
    const { text, entities, relationship } = sentence(number)
    const next = random(number + 1)
    return {
      content: text,
      contentKey: contentKey(text),
      checksum: checksumOf(text),
      metadata: { number },
      project: null,
      expiresAt: null,
      trustScore: 1,
      flagged: false,
      vector: Float32Array.from({ length: dimensions }, () => next() - 0.5),
      modelId: 'bench',
      entities: entities.map((entity) => ({ ...entity, aliases: [], newId: ids.next('ent') })),
      relationships: relationship
        ? [{ ...relationship, properties: {}, exclusive: false, newId: ids.next('rel') }]
        : [],
      slots: [],
    }
  }
  for (let user = 0; user < users; user++) {
    const scope = userScope(`user-${user}`)
    let expectedRevision = 0
    for (let first = 0; first < perUser; first += memoriesPerCommit) {
      const size = Math.min(memoriesPerCommit, perUser - first)
      const stored = Array.from({ length: size }, (_, segment): NewMemory => {
        const version = draftOf(user * perUser + first + segment)
        return {
          id: ids.next('mem'),
          createdAt: now,
          source: 'bench',
          segments: [segment, segment],
          supersedes: [],
          endings: [],
          version,
        }
      })
      const document = { id: ids.next('doc'), segments: stored.map(({ version }) => version.content), source: 'bench' }
      const commit = { expectedRevision, now, document, memories: stored, sightings: [] }
      expectedRevision = (await storage.commit(scope, commit)).revision
      const edited = stored.filter((_, index) => index % editedOneIn === 0)
      await Promise.all(edited.map(({ id }) => storage.update(scope, id, { now: now + 1, metadata: { edited: true } })))
      expectedRevision += edited.length
    }
  }
  await storage.close()
}
