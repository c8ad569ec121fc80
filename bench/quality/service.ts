/** The service under measurement, wired as in production, on an empty data directory. */

import { compose } from '../../packages/server/src/boot/compose.js'
import { loadConfig } from '../../packages/server/src/config/config.js'
import type { Clock } from '../../packages/server/src/core/clock.js'
import { checksumOf, contentKey } from '../../packages/server/src/core/memory.js'
import { type UserScope, userScope } from '../../packages/server/src/core/scope.js'
import { extract } from '../../packages/server/src/facts/tagging/extract.js'
import type { Embedder, Reranker, Tagged } from '../../packages/server/src/models/models.js'
import { openCrossEncoder } from '../../packages/server/src/models/reranker/cross-encoder.js'
import type { SpanReader } from '../../packages/server/src/models/tagger/span-reader.js'
import type { Deps } from '../../packages/server/src/service/deps.js'
import { withIds } from '../../packages/server/src/service/store/with-ids.js'
import type { NewMemory } from '../../packages/server/src/storage/ports/memory-writes.js'
import type { Corpus, Document } from './task.js'
import { documentText } from './texts.js'

/** Later than all conversations, and the same in every run. */
const clock: Clock = { now: () => Date.UTC(2026, 0, 1) }
const memoriesPerCommit = 500

export interface WrittenUser {
  readonly scope: UserScope
  readonly documentOf: ReadonlyMap<string, Document>
}

export interface MeasuredService {
  readonly deps: Deps
  /** Writes the corpus as a user's memories, embedded with or without context, unless it was written before. */
  write(corpus: Corpus, context: boolean): Promise<WrittenUser>
  close(): Promise<void>
}

export async function openService(
  dataDir: string,
  embedder: Embedder,
  openReranker: () => Promise<Reranker> = openCrossEncoder,
  openReader?: () => Promise<SpanReader | null>,
): Promise<MeasuredService> {
  const { config } = loadConfig({
    SERVICE_DATA_DIR: dataDir,
    // Old statements must not lose to recent ones.
    SERVICE_DECAY_ENABLED: 'false',
    SERVICE_LOG_LEVEL: 'fatal',
  })
  const service = await compose(config, {
    clock,
    openEmbedder: async () => embedder,
    openReranker,
    ...(openReader && { openSpanReader: openReader }),
    writeAuditLine: () => undefined,
  })
  const written = new Map<string, WrittenUser>()
  return {
    deps: service.deps,
    async write(corpus, context) {
      const userId = context ? `${corpus.id}/context` : corpus.id
      const user = written.get(userId) ?? (await writeUser(service.deps, corpus, userId, context))
      written.set(userId, user)
      return user
    },
    close: () => service.close(),
  }
}

/** For a user who has no memories yet. */
export async function writeUser(
  deps: Deps,
  { documents }: Pick<Corpus, 'documents'>,
  userId: string,
  context: boolean,
): Promise<WrittenUser> {
  const scope = userScope(userId)
  const vectors = await deps.embedder.embed(documents.map((document) => documentText(document, context)))
  const tagged = await extract(deps.tagger, documents, userId)
  const documentOf = new Map<string, Document>()
  let expectedRevision = 0
  for (let first = 0; first < documents.length; first += memoriesPerCommit) {
    const memories = documents.slice(first, first + memoriesPerCommit).map((document, index): NewMemory => {
      const [vector, tags] = [vectors[first + index], tagged[first + index]]
      if (!vector || !tags) throw new Error('a model returned fewer results than texts')
      const memory = newMemory(deps, document, index, vector, tags)
      documentOf.set(memory.id, document)
      return memory
    })
    const segments = memories.map(({ version }) => version.content)
    const { revision } = await deps.storage.commit(scope, {
      expectedRevision,
      now: deps.clock.now(),
      document: { id: deps.ids.next('doc'), segments, source: 'bench' },
      memories,
      sightings: [],
    })
    expectedRevision = revision
  }
  return { scope, documentOf }
}

/** As `store` drafts it, without splitting and without superseding. */
function newMemory(deps: Deps, document: Document, segment: number, vector: Float32Array, tags: Tagged): NewMemory {
  const { content, createdAt } = document
  return {
    id: deps.ids.next('mem'),
    createdAt,
    source: 'bench',
    segments: [segment, segment],
    supersedes: [],
    endings: [],
    version: {
      content,
      contentKey: contentKey(content),
      checksum: checksumOf(content),
      metadata: {},
      project: null,
      expiresAt: null,
      trustScore: 1,
      flagged: false,
      vector,
      modelId: deps.embedder.modelId,
      ...withIds(deps, content, tags, false, []),
    },
  }
}
