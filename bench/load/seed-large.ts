/** Fills a store with a user who is too large for memory. */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock } from '../../packages/server/src/core/clock.js'
import { idSource } from '../../packages/server/src/core/ids.js'
import { userScope } from '../../packages/server/src/core/scope.js'
import { IndexThread, startIndexWorker } from '../../packages/server/src/retrieval/index/index-thread.js'
import { SegmentKeeper } from '../../packages/server/src/retrieval/index/segment-keeper.js'
import type { NewMemory } from '../../packages/server/src/storage/ports/memory-writes.js'
import type { Storage } from '../../packages/server/src/storage/ports/storage.js'
import { openSqliteStorage } from '../../packages/server/src/storage/sqlite/sqlite-storage.js'
import { type Scenario, sentenceNumber, userId } from '../speed/scenario.js'
import { newMemory, type Seeds } from '../speed/seed.js'
import type { Centres } from '../speed/vectors.js'

/** The small users are copied, and the large one is added. */
export async function seedBoth(dataDir: string, small: Scenario, large: Scenario, seeds: Seeds): Promise<void> {
  const complete = join(dataDir, `complete-${large.name}`)
  if (await readFile(complete).catch(() => undefined)) return
  const startedAt = performance.now()
  await rm(dataDir, { recursive: true, force: true })
  await seeds.copyTo(small, dataDir)
  const storage = await openSqliteStorage({ dataDir, log: () => undefined })
  try {
    await seedLarge(storage, large, seeds.centres)
  } finally {
    await storage.close()
  }
  await writeFile(complete, '')
  console.log(`seeded ${large.title} memories of one user in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
}

const memoriesPerCommit = 1_000

/** Through the storage port, bypassing HTTP and the embedder, without entities; the service's own code stores the index. */
export async function seedLarge(storage: Storage, scenario: Scenario, centres: Centres): Promise<void> {
  const { dimensions, modelId } = centres
  const thread = new IndexThread(
    () => startIndexWorker({ dimensions, modelId }),
    () => undefined,
  )
  try {
    await storeMemories(storage, scenario, centres)
    console.log(`  ${scenario.title} memories are stored`)
    const keeper = new SegmentKeeper({
      ...{ feed: storage, segments: storage.indexSegments, thread, settings: { dimensions, modelId }, restPerWork: 0 },
      failed: (error) => console.error(error),
      kept: () => undefined,
    })
    keeper.request(userScope(userId(scenario, 0)), scenario.memoriesPerUser)
    await keeper.idle()
  } finally {
    await thread.close()
  }
}

async function storeMemories(storage: Storage, scenario: Scenario, centres: Centres): Promise<void> {
  const ids = idSource(systemClock)
  const scope = userScope(userId(scenario, 0))
  let committed = Promise.resolve({ revision: 0 })
  for (let first = 0; first < scenario.memoriesPerUser; first += memoriesPerCommit) {
    const now = systemClock.now()
    const count = Math.min(memoriesPerCommit, scenario.memoriesPerUser - first)
    const memories = Array.from({ length: count }, (_, index): NewMemory => {
      const { version, ...memory } = newMemory(ids, centres, sentenceNumber(scenario, 0, first + index), index, now)
      return { ...memory, version: { ...version, entities: [], relationships: [] } }
    })
    const document = { id: ids.next('doc'), segments: memories.map(({ version }) => version.content), source: 'bench' }
    // The next ones are made while these are written.
    const { revision: expectedRevision } = await committed
    committed = storage.commit(scope, { expectedRevision, now, document, memories, sightings: [] })
  }
  await committed
}
