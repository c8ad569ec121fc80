import type { Actor } from '../core/actor.js'
import { notFound, ServiceError } from '../core/errors.js'
import { isId } from '../core/ids.js'
import { checksumOf, contentKey, type Memory, type Metadata } from '../core/memory.js'
import { timed } from '../core/meter.js'
import { remainingText } from '../core/outdated.js'
import type { RedactedKind } from '../core/redacted-kind.js'
import { auditedUser, type Scope } from '../core/scope.js'
import { expiryOf, type Ttl } from '../core/ttl.js'
import { extract } from '../facts/tagging/extract.js'
import type { Trust } from '../guard/memory-trust.js'
import { isDoubted } from '../guard/sanitize.js'
import type { Tagged } from '../models/models.js'
import type { VersionChange } from '../storage/ports/memory-writes.js'
import type { Deps } from './deps.js'
import { hideSecretsInChange } from './secrets/hide-secrets.js'
import { Consultation } from './store/consultation.js'
import { eventTimeOf } from './store/event-time.js'
import { metadataTexts, screenTexts, type TextAt, weighTexts } from './store/screen-texts.js'
import { understandOne } from './store/understand.js'
import { withIds } from './store/with-ids.js'
import type { Turns } from './texts/fair-lane.js'
import { inLane, turnTaker } from './texts/text-lanes.js'
import { lengthOf } from './texts/text-work.js'

export interface MemoryChange {
  readonly content?: string
  readonly metadata?: Metadata
  readonly ttl?: Ttl
  readonly project?: string | null
}

export interface Updated {
  readonly memory: Memory
  /** Parts that failed and were skipped: `llm`. */
  readonly degraded: readonly string[]
  /** Secrets that were replaced before anything was stored. */
  readonly redacted: readonly RedactedKind[]
}

export async function update(
  deps: Deps,
  actor: Actor,
  scope: Scope,
  memoryId: string,
  change: MemoryChange,
): Promise<Updated> {
  const audit = (userId: string | null, outcome: 'success' | 'rejected' | 'failed' | 'not_found') =>
    deps.audit.record(
      actor,
      { event: 'memory.update', user_id: userId, key_id: actor.keyId, memory_id: memoryId },
      outcome,
    )
  try {
    const updated = await updateOne(deps, actor, scope, memoryId, change)
    audit(updated.memory.userId, 'success')
    return updated
  } catch (error) {
    const code = error instanceof ServiceError ? error.code : undefined
    audit(auditedUser(scope), code === 'not_found' ? 'not_found' : code === 'validation_error' ? 'rejected' : 'failed')
    throw error
  }
}

async function updateOne(
  deps: Deps,
  actor: Actor,
  scope: Scope,
  memoryId: string,
  given: MemoryChange,
): Promise<Updated> {
  const { change, redacted } = hideSecretsInChange(deps, given)
  // The response includes the access count, so pending accesses are written first.
  await deps.accesses.settle()
  const { userId } = await findCurrent(deps, scope, memoryId)
  const characters = (change.content ?? '').length + lengthOf(metadataTexts(change.metadata ?? {}), ({ text }) => text)
  return inLane(deps.textLanes.enter(turnTaker(actor, userId), characters), async (place) => ({
    ...(await changeInLane(deps, place, scope, { memoryId, userId }, change)),
    redacted,
  }))
}

async function changeInLane(
  deps: Deps,
  place: Turns,
  scope: Scope,
  { memoryId, userId }: { readonly memoryId: string; readonly userId: string },
  change: MemoryChange,
): Promise<Omit<Updated, 'redacted'>> {
  // Before taking the user's lock: a model may take seconds.
  const { tagged, degraded } = await tagContent(deps, place, userId, change)
  return deps.userLocks.run(userId, async () => {
    // Read under the lock: the guard must judge exactly the texts that are written together.
    const before = await findCurrent(deps, scope, memoryId)
    const now = deps.clock.now()
    const versionChange: VersionChange = {
      now,
      ...(change.metadata === undefined ? {} : { metadata: change.metadata }),
      ...(change.project === undefined ? {} : { project: change.project }),
      ...(change.ttl === undefined ? {} : { expiresAt: expiryOf(change.ttl, now, undefined) }),
      ...(await contentChange(deps, place, before, change, tagged)),
    }
    const memory = await timed(deps.meter, 'commit', () => deps.storage.update(scope, memoryId, versionChange))
    if (memory === null) throw notFound('Memory')
    return { memory, degraded }
  })
}

/** Tags the new content; null if the content stays. The guard sees it before any model does. */
async function tagContent(
  deps: Deps,
  place: Turns,
  userId: string,
  change: MemoryChange,
): Promise<{ readonly tagged: Tagged | null; readonly degraded: readonly string[] }> {
  const { content } = change
  if (content === undefined) return { tagged: null, degraded: [] }
  const screened = await screenTexts(deps, place, await incoming(deps, place, change))
  const [local] = await place.turn(content.length, () => extract(deps.tagger, [{ content }], userId))
  if (!local) throw new Error('the tagger returned fewer results than texts')
  const consultation = Consultation.open(deps, screened)
  const circumstances = { saidAt: deps.clock.now(), trustScore: screened.trustScore }
  const tagged = await understandOne(deps, consultation, userId, content, local, circumstances)
  return { tagged, degraded: consultation?.conclude() ?? [] }
}

export async function findCurrent(deps: Deps, scope: Scope, memoryId: string): Promise<Memory> {
  const now = deps.clock.now()
  const memory = isId('mem', memoryId) ? await deps.storage.find(scope, memoryId, { now }) : null
  // A superseded memory is history: it can be read, not changed.
  if (memory === null || memory.supersededAt !== null) throw notFound('Memory')
  return memory
}

async function contentChange(
  deps: Deps,
  place: Turns,
  before: Memory,
  change: MemoryChange,
  found: Tagged | null,
): Promise<Pick<VersionChange, 'content'>> {
  if (change.content === undefined && change.metadata === undefined && change.project === undefined) return {}
  const content = change.content ?? before.content
  const screened = await screenChange(deps, place, before, change)
  const trustStays = screened.trustScore === before.trustScore && screened.flagged === before.flagged
  if (change.content === undefined && (trustStays || !deps.settings.trust.sanitize)) return {}
  const outdated = change.content === undefined ? before.outdated : []
  const said = remainingText(content, outdated)
  const [tagged] = found ? [found] : await extract(deps.tagger, [{ content: said }], before.userId)
  const [vector] = await timed(deps.meter, 'embed', () => deps.embedder.embed([said]))
  if (!tagged || !vector) throw new Error('a model returned fewer results than texts')
  const told = [{ content, slots: tagged.slots }]
  const [facts = []] = await place.turn(content.length, () => deps.texts.state(told))
  return {
    content: {
      content,
      contentKey: contentKey(content),
      checksum: checksumOf(content),
      trustScore: screened.trustScore,
      flagged: screened.flagged,
      outdated,
      vector,
      facts,
      event: eventTimeOf(content, change.content === undefined ? before.createdAt : deps.clock.now()),
      modelId: deps.embedder.modelId,
      ...withIds(deps, content, tagged, isDoubted(screened), []),
    },
  }
}

/**
 * New texts may be rejected. Existing texts were accepted before, but count towards the trust score of the whole, unless all of them are
 * fully trusted: somebody may have released them.
 */
async function screenChange(deps: Deps, place: Turns, before: Memory, change: MemoryChange): Promise<Trust> {
  const fresh = await screenTexts(deps, place, await incoming(deps, place, change))
  if (change.content === undefined && before.trustScore === 1 && !before.flagged) return fresh
  const whole = [
    ...(await contentTexts(deps, place, change.content ?? before.content)),
    { path: 'source', text: before.source },
    ...projectText(change.project === undefined ? before.project : change.project),
    ...metadataTexts(change.metadata ?? before.metadata),
  ]
  return weighTexts(deps, place, whole)
}

async function incoming(deps: Deps, place: Turns, { content, project, metadata }: MemoryChange): Promise<TextAt[]> {
  return [
    ...(content === undefined ? [] : await contentTexts(deps, place, content)),
    ...projectText(project ?? null),
    ...metadataTexts(metadata ?? {}),
  ]
}

/** The content and each of its statements: an order may drown in a long text. */
async function contentTexts(deps: Deps, place: Turns, content: string): Promise<TextAt[]> {
  const circumstances = { earlier: [], remembersAssistant: false }
  const divided = await place.turn(content.length, () =>
    deps.texts.divide({ text: { content }, now: 0, steps: undefined, circumstances }),
  )
  const statements = divided.memories.map((memory) => memory.content)
  return [...new Set([content, ...statements])].map((text) => ({ path: 'content', text }))
}

function projectText(project: string | null): TextAt[] {
  return project === null ? [] : [{ path: 'project', text: project }]
}
