/**
 * Fills data directories through the storage port, bypassing HTTP and the embedder, and caches them between runs.
 * A cached directory is reused only if everything that produced it is unchanged.
 */
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { access, cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../../packages/server/src/core/clock.js'
import { type IdSource, idSource } from '../../packages/server/src/core/ids.js'
import { checksumOf, contentKey } from '../../packages/server/src/core/memory.js'
import { userScope } from '../../packages/server/src/core/scope.js'
import { openLocalEmbedder } from '../../packages/server/src/models/embedder/local-embedder.js'
import type { NewMemory } from '../../packages/server/src/storage/ports/memory-writes.js'
import type { Storage } from '../../packages/server/src/storage/ports/storage.js'
import { openSqliteStorage } from '../../packages/server/src/storage/sqlite/sqlite-storage.js'
import { type Scenario, sentenceNumber, userId } from './scenario.js'
import { sentence } from './sentences.js'
import { type Centres, embedCentres, syntheticVector } from './vectors.js'

const cacheRoot = fileURLToPath(new URL('../../.cache/bench-speed/', import.meta.url))
const sourcesOfSeed = ['./', '../../packages/server/src/storage/sql/', '../../packages/server/src/storage/sqlite/']
const memoriesPerCommit = 500
const yearMs = 365 * 24 * 3_600_000

export interface Seeds {
  readonly centres: Centres
  /** File with the centres, for another process. */
  readonly centresFile: string
  /** Copies the scenario's directory to `target`, creating it first if it is not cached. */
  copyTo(scenario: Scenario, target: string): Promise<void>
}

export async function openSeeds(log: (line: string) => void): Promise<Seeds> {
  const embedder = await openLocalEmbedder()
  try {
    const cache = join(cacheRoot, await versionKey(embedder.modelId))
    await dropOtherVersions(cache)
    const centresFile = join(cache, 'centres.json')
    const centres = (await readCentres(centresFile)) ?? (await makeCentres(embedder, centresFile))
    return {
      centres,
      centresFile,
      async copyTo(scenario, target) {
        const kept = join(cache, scenario.name)
        if (!(await exists(kept))) {
          const start = performance.now()
          log(`seeding ${scenario.title} memories (once; cached in .cache)`)
          await seed(scenario, centres, `${kept}.part`)
          // Renamed only when complete: an interrupted run is seeded again.
          await rename(`${kept}.part`, kept)
          log(`seeded in ${((performance.now() - start) / 1000).toFixed(0)} s`)
        }
        await cp(kept, target, { recursive: true, mode: constants.COPYFILE_FICLONE })
      },
    }
  } finally {
    await embedder.close()
  }
}

export async function readCentres(file: string): Promise<Centres | undefined> {
  if (!(await exists(file))) return undefined
  // Written by `makeCentres` below, under a name that changes with its source.
  const kept = JSON.parse(await readFile(file, 'utf8')) as { dimensions: number; modelId: string; values: number[] }
  return { ...kept, values: Float32Array.from(kept.values) }
}

async function makeCentres(embedder: Parameters<typeof embedCentres>[0], file: string): Promise<Centres> {
  const centres = await embedCentres(embedder)
  await writeFile(`${file}.part`, JSON.stringify({ ...centres, values: [...centres.values] }))
  await rename(`${file}.part`, file)
  return centres
}

async function seed(scenario: Scenario, centres: Centres, dataDir: string): Promise<void> {
  await rm(dataDir, { recursive: true, force: true })
  await mkdir(dataDir, { recursive: true })
  const storage = await openSqliteStorage({ dataDir, log: () => undefined })
  try {
    const ids = idSource(systemClock)
    for (let user = 0; user < scenario.users; user++) await seedUser(storage, ids, scenario, centres, user)
  } finally {
    await storage.close()
  }
}

export async function seedUser(
  storage: Storage,
  ids: IdSource,
  scenario: Scenario,
  centres: Centres,
  user: number,
): Promise<void> {
  const now = systemClock.now()
  let expectedRevision = 0
  for (let first = 0; first < scenario.memoriesPerUser; first += memoriesPerCommit) {
    const size = Math.min(memoriesPerCommit, scenario.memoriesPerUser - first)
    const memories = Array.from({ length: size }, (_, index): NewMemory => {
      const age = (1 - (first + index) / scenario.memoriesPerUser) * yearMs
      return newMemory(ids, centres, sentenceNumber(scenario, user, first + index), index, Math.round(now - age))
    })
    const segments = memories.map((memory) => memory.version.content)
    const committed = await storage.commit(userScope(userId(scenario, user)), {
      expectedRevision,
      now,
      document: { id: ids.next('doc'), segments, source: 'bench' },
      memories,
      sightings: [],
    })
    expectedRevision = committed.revision
  }
}

export function newMemory(
  ids: IdSource,
  centres: Centres,
  number: number,
  segment: number,
  createdAt: number,
): NewMemory {
  const { text, template, entities, relationship } = sentence(number)
  return {
    id: ids.next('mem'),
    createdAt,
    source: 'bench',
    segments: [segment, segment],
    supersedes: [],
    endings: [],
    version: {
      content: text,
      contentKey: contentKey(text),
      checksum: checksumOf(text),
      metadata: {},
      project: null,
      expiresAt: null,
      trustScore: 1,
      flagged: false,
      vector: syntheticVector(centres, template, number),
      modelId: centres.modelId,
      entities: entities.map((entity) => ({ ...entity, aliases: [], newId: ids.next('ent') })),
      relationships: relationship
        ? [{ ...relationship, properties: {}, exclusive: false, newId: ids.next('rel') }]
        : [],
      slots: [],
    },
  }
}

async function versionKey(modelId: string): Promise<string> {
  const hash = createHash('sha256').update(modelId)
  hash.update(await readFile(new URL('../random.ts', import.meta.url)))
  for (const folder of sourcesOfSeed) {
    const root = fileURLToPath(new URL(folder, import.meta.url))
    const names = await readdir(root, { recursive: true })
    for (const name of names.sort()) {
      if (!shapesSeed(name)) continue
      hash.update(name).update(await readFile(join(root, name)))
    }
  }
  return hash.digest('hex').slice(0, 16)
}

const onlyMeasures = [
  ...['main.ts', 'measure.ts', 'report.ts', 'floor-server.ts', 'index-size.ts', 'disk-sync.ts', 'exactness.ts'],
]

function shapesSeed(name: string): boolean {
  if (!name.endsWith('.ts') || name.endsWith('.test.ts')) return false
  // Of the bench's files, those that only measure and print do not matter.
  return !onlyMeasures.includes(name)
}

async function dropOtherVersions(cache: string): Promise<void> {
  await mkdir(cache, { recursive: true })
  for (const name of await readdir(cacheRoot)) {
    const other = join(cacheRoot, name)
    if (other !== cache) await rm(other, { recursive: true, force: true })
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
