import type { Actor } from '../core/actor.js'
import { notFound, ServiceError } from '../core/errors.js'
import { isId } from '../core/ids.js'
import { checksumOf, contentKey, type Memory, type Metadata } from '../core/memory.js'
import { timed } from '../core/meter.js'
import type { Scope } from '../core/scope.js'
import { expiryOf, type Ttl } from '../core/ttl.js'
import { extract } from '../ingest/extract.js'
import type { VersionChange } from '../storage/storage.js'
import type { Deps } from './deps.js'
import { metadataTexts } from './metadata-texts.js'
import { screenTexts, withIds } from './store.js'

export interface MemoryChange {
  readonly content?: string
  readonly metadata?: Metadata
  readonly ttl?: Ttl
  readonly project?: string | null
}

export async function update(
  deps: Deps,
  actor: Actor,
  scope: Scope,
  memoryId: string,
  change: MemoryChange,
): Promise<Memory> {
  const audit = (userId: string | null, outcome: 'success' | 'rejected' | 'failed' | 'not_found') =>
    deps.audit.record(
      actor,
      { event: 'memory.update', user_id: userId, key_id: actor.keyId, memory_id: memoryId },
      outcome,
    )
  try {
    const memory = await updateOne(deps, scope, memoryId, change)
    audit(memory.userId, 'success')
    return memory
  } catch (error) {
    const code = error instanceof ServiceError ? error.code : undefined
    const userId = scope.kind === 'user' ? scope.userId : null
    audit(userId, code === 'not_found' ? 'not_found' : code === 'validation_error' ? 'rejected' : 'failed')
    throw error
  }
}

async function updateOne(deps: Deps, scope: Scope, memoryId: string, change: MemoryChange): Promise<Memory> {
  // The answer tells how often the memory was accessed, so what waits is written first.
  await deps.accesses.settle()
  const now = deps.clock.now()
  const before = isId('mem', memoryId) ? await deps.storage.find(scope, memoryId, { now }) : null
  // What was superseded is history: it can be read, not rewritten.
  if (before === null || before.supersededAt !== null) throw notFound('Memory')
  const versionChange: VersionChange = {
    now,
    ...(change.metadata === undefined ? {} : { metadata: change.metadata }),
    ...(change.project === undefined ? {} : { project: change.project }),
    ...(change.ttl === undefined ? {} : { expiresAt: expiryOf(change.ttl, now, undefined) }),
    ...(await contentChange(deps, before, change)),
  }
  const memory = await deps.userLocks.run(before.userId, () =>
    timed(deps.meter, 'commit', () => deps.storage.update(scope, memoryId, versionChange)),
  )
  if (memory === null) throw notFound('Memory')
  return memory
}

async function contentChange(
  deps: Deps,
  before: Memory,
  change: MemoryChange,
): Promise<Pick<VersionChange, 'content'>> {
  const texts = change.metadata === undefined ? [] : metadataTexts(change.metadata)
  const { content } = change
  if (content === undefined) {
    if (texts.length > 0) screenTexts(deps, texts)
    return {}
  }
  const screened = screenTexts(deps, [{ path: 'content', text: content }, ...texts])
  const [tagged] = extract(deps.tagger, [{ content }], before.userId)
  const [vector] = await timed(deps.meter, 'embed', () => deps.embedder.embed([content]))
  if (!tagged || !vector) throw new Error('a model answered with fewer results than texts')
  return {
    content: {
      content,
      contentKey: contentKey(content),
      checksum: checksumOf(content),
      trustScore: screened.trustScore,
      flagged: screened.flagged,
      vector,
      modelId: deps.embedder.modelId,
      ...withIds(deps, tagged),
    },
  }
}
