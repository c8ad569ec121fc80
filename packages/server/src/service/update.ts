import type { Actor } from '../core/actor.js'
import { notFound, ServiceError } from '../core/errors.js'
import { isId } from '../core/ids.js'
import { checksumOf, contentKey, type Memory, type Metadata } from '../core/memory.js'
import { timed } from '../core/meter.js'
import { auditedUser, type Scope } from '../core/scope.js'
import { expiryOf, type Ttl } from '../core/ttl.js'
import { extract } from '../ingest/extract.js'
import { type Screened, sanitize } from '../ingest/sanitize.js'
import type { VersionChange } from '../storage/storage.js'
import type { Deps } from './deps.js'
import { metadataTexts } from './metadata-texts.js'
import { screenTexts } from './screen.js'
import { withIds } from './with-ids.js'

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
    audit(auditedUser(scope), code === 'not_found' ? 'not_found' : code === 'validation_error' ? 'rejected' : 'failed')
    throw error
  }
}

async function updateOne(deps: Deps, scope: Scope, memoryId: string, change: MemoryChange): Promise<Memory> {
  // The answer tells how often the memory was accessed, so what waits is written first.
  await deps.accesses.settle()
  const { userId } = await findCurrent(deps, scope, memoryId)
  return deps.userLocks.run(userId, async () => {
    // Read inside the lock: what the guard judges together is what is written together.
    const before = await findCurrent(deps, scope, memoryId)
    const now = deps.clock.now()
    const versionChange: VersionChange = {
      now,
      ...(change.metadata === undefined ? {} : { metadata: change.metadata }),
      ...(change.project === undefined ? {} : { project: change.project }),
      ...(change.ttl === undefined ? {} : { expiresAt: expiryOf(change.ttl, now, undefined) }),
      ...(await contentChange(deps, before, change)),
    }
    const memory = await timed(deps.meter, 'commit', () => deps.storage.update(scope, memoryId, versionChange))
    if (memory === null) throw notFound('Memory')
    return memory
  })
}

async function findCurrent(deps: Deps, scope: Scope, memoryId: string): Promise<Memory> {
  const now = deps.clock.now()
  const memory = isId('mem', memoryId) ? await deps.storage.find(scope, memoryId, { now }) : null
  // What was superseded is history: it can be read, not rewritten.
  if (memory === null || memory.supersededAt !== null) throw notFound('Memory')
  return memory
}

async function contentChange(
  deps: Deps,
  before: Memory,
  change: MemoryChange,
): Promise<Pick<VersionChange, 'content'>> {
  if (change.content === undefined && change.metadata === undefined) return {}
  const content = change.content ?? before.content
  const screened = screenChange(deps, before, change)
  const trustStays = screened.trustScore === before.trustScore && screened.flagged === before.flagged
  if (change.content === undefined && (trustStays || !deps.settings.trust.sanitize)) return {}
  const [tagged] = await extract(deps.tagger, [{ content }], before.userId)
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
      ...withIds(deps, tagged, screened.flagged),
    },
  }
}

/** What comes in may be refused; what stays was let in before, and counts for the trust in the whole. */
function screenChange(deps: Deps, before: Memory, change: MemoryChange): Screened {
  const content = change.content === undefined ? [] : [{ path: 'content', text: change.content }]
  screenTexts(deps, [...content, ...metadataTexts(change.metadata ?? {})])
  const whole = [
    { path: 'content', text: change.content ?? before.content },
    { path: 'source', text: before.source },
    ...metadataTexts(change.metadata ?? before.metadata),
  ]
  return sanitize(deps.guard, whole, { ...deps.settings.trust, policy: 'flag' })
}
