import type { Actor } from '../core/actor.js'
import { ServiceError, unavailable } from '../core/errors.js'
import { type Action, checksumOf, contentKey, type Metadata } from '../core/memory.js'
import { timed } from '../core/meter.js'
import { type UserScope, userScope } from '../core/scope.js'
import { expiryOf, type Ttl } from '../core/ttl.js'
import { type DividedMemory, divide, type Message } from '../ingest/divide.js'
import { embeddingText } from '../ingest/embedding-text.js'
import { extract } from '../ingest/extract.js'
import { factsApart } from '../ingest/facts-apart.js'
import { type Decision, outlives, reconcile } from '../ingest/reconcile.js'
import type { Screened } from '../ingest/sanitize.js'
import type { Tagged } from '../models/models.js'
import {
  type Committed,
  type KnownMemory,
  type Recognised,
  RevisionConflict,
  type SegmentRange,
} from '../storage/storage.js'
import type { Deps } from './deps.js'
import { metadataTexts } from './metadata-texts.js'
import { screenTexts } from './screen.js'
import { withIds } from './with-ids.js'

export interface StoreInput {
  readonly text: { readonly content: string } | { readonly messages: readonly Message[] }
  readonly metadata: Metadata
  readonly ttl: Ttl | undefined
  /** When it was said, for an import of the past. A TTL counts from then. */
  readonly createdAt: number | undefined
  readonly source: string | undefined
}

export interface StoredMemory {
  readonly id: string
  readonly action: Action
  readonly content: string
  readonly entities: readonly string[]
  readonly project: string | null
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly trustScore: number
  /** Kept, but out of recall: see content protection. */
  readonly flagged: boolean
  readonly checksum: string
  readonly source: string
  readonly supersedes: readonly string[]
}

export interface Stored {
  readonly memories: readonly StoredMemory[]
  readonly entitiesExtracted: number
  readonly relationshipsCreated: number
}

/** One fact on its way into the store. */
interface Draft {
  readonly id: string
  readonly content: string
  readonly contentKey: string
  readonly checksum: string
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly segments: SegmentRange
  readonly tagged: Tagged
  readonly slots: Tagged['slots']
  readonly vector: Float32Array
}

interface Drafted {
  readonly segments: readonly string[]
  readonly drafts: readonly Draft[]
  readonly now: number
  readonly screened: Screened
  readonly input: StoreInput
}

export async function store(deps: Deps, actor: Actor, scope: UserScope, input: StoreInput): Promise<Stored> {
  const audit = (memoryId: string | null, outcome: 'success' | 'rejected' | 'failed') =>
    deps.audit.record(
      actor,
      { event: 'memory.store', user_id: scope.userId, key_id: actor.keyId, memory_id: memoryId },
      outcome,
    )
  try {
    const screened = screen(deps, input)
    const drafted = await draft(deps, scope, input, screened)
    const stored = await deps.userLocks.run(scope.userId, () => reconcileAndCommit(deps, scope, drafted))
    for (const memory of stored.memories) audit(memory.id, 'success')
    return stored
  } catch (error) {
    audit(null, error instanceof ServiceError && error.code === 'validation_error' ? 'rejected' : 'failed')
    throw error
  }
}

function screen(deps: Deps, input: StoreInput): Screened {
  const texts =
    'content' in input.text
      ? [{ path: 'content', text: input.text.content }]
      : input.text.messages.flatMap((message, index) => [
          { path: `messages[${index}].content`, text: message.content },
          ...(message.name === undefined ? [] : [{ path: `messages[${index}].name`, text: message.name }]),
        ])
  const source = input.source === undefined ? [] : [{ path: 'source', text: input.source }]
  return screenTexts(deps, [...texts, ...source, ...metadataTexts(input.metadata)])
}

/** Splits, tags and embeds: all that needs no look at what the user already has. */
async function draft(deps: Deps, scope: UserScope, input: StoreInput, screened: Screened): Promise<Drafted> {
  const now = deps.clock.now()
  const { segments, memories } = divide(input.text, input.createdAt ?? now, deps.settings.steps)
  const { said, tagged } = await tagAll(deps, scope, memories)
  const vectors = await timed(deps.meter, 'embed', () =>
    deps.embedder.embed(said.map(({ content, before }) => embeddingText(content, before))),
  )
  const drafts = said.map((memory, index): Draft => {
    const tags = tagged[index]
    const vector = vectors[index]
    if (!tags || !vector) throw new Error('a model answered with fewer results than texts')
    const createdAt = memory.createdAt ?? input.createdAt ?? now
    return {
      id: deps.ids.next('mem'),
      content: memory.content,
      contentKey: contentKey(memory.content),
      checksum: checksumOf(memory.content),
      createdAt,
      expiresAt: expiryOf(input.ttl, createdAt, deps.settings.defaultTtlDays),
      segments: memory.segments,
      tagged: tags,
      slots: tags.slots,
      vector,
    }
  })
  return { segments, drafts, now, screened, input }
}

/** Turns are looked at as a whole first; those that hold facts which may change are taken apart. */
async function tagAll(deps: Deps, scope: UserScope, whole: readonly DividedMemory[]) {
  const tag = (memories: readonly DividedMemory[]) => extract(deps.tagger, memories.map(spoken), scope.userId)
  const tags = await tag(whole)
  const known = new Map(whole.map((memory, index) => [memory, tags[index]]))
  const said = factsApart(whole, tags)
  const parts = said.filter((memory) => !known.has(memory))
  for (const [index, partTags] of (await tag(parts)).entries()) {
    const part = parts[index]
    if (part) known.set(part, partTags)
  }
  return { said, tagged: said.map((memory) => known.get(memory)) }
}

/** What the assistant says of itself is no fact about the user. */
function spoken({ meant, speaker, role }: DividedMemory): { content: string; speakerName?: string } {
  const speakerName = speaker ?? (role === 'user' ? undefined : role.charAt(0).toUpperCase() + role.slice(1))
  return speakerName === undefined ? { content: meant } : { content: meant, speakerName }
}

const attempts = 8

/** Another instance may write for the same user in between: then what was known is stale, and all is decided anew. */
async function reconcileAndCommit(deps: Deps, scope: UserScope, drafted: Drafted): Promise<Stored> {
  for (let attempt = 1; ; attempt++) {
    const recognised = await timed(deps.meter, 'recognise', () =>
      deps.storage.recognise(userScope(scope.userId), {
        now: drafted.now,
        project: scope.project ?? null,
        contentKeys: drafted.drafts.map((memory) => memory.contentKey),
        slots: drafted.drafts.flatMap((memory) => memory.slots.map(({ slot }) => slot)),
      }),
    )
    const decisions = reconcile(drafted.drafts, recognised, drafted.screened.flagged)
    try {
      return await commit(deps, scope, drafted, recognised, decisions)
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error
      if (attempt === attempts) throw unavailable('This user is being written to by too many callers at once')
    }
  }
}

async function commit(
  deps: Deps,
  scope: UserScope,
  drafted: Drafted,
  recognised: Recognised,
  decisions: readonly Decision[],
): Promise<Stored> {
  const { drafts, input, now } = drafted
  const source = input.source ?? 'api'
  const fresh = drafts.flatMap((memory, index) => {
    const decision = decisions[index]
    return decision?.kind === 'add' || decision?.kind === 'update' ? [{ memory, decision }] : []
  })
  const committed = await timed(deps.meter, 'commit', () =>
    deps.storage.commit(userScope(scope.userId), {
      expectedRevision: recognised.revision,
      now,
      document: { id: deps.ids.next('doc'), segments: drafted.segments, source },
      memories: fresh.map(({ memory, decision }) => ({
        id: memory.id,
        createdAt: memory.createdAt,
        source,
        segments: memory.segments,
        supersedes: decision.kind === 'update' ? decision.supersedes : [],
        version: {
          content: memory.content,
          contentKey: memory.contentKey,
          checksum: memory.checksum,
          metadata: input.metadata,
          project: scope.project ?? null,
          expiresAt: memory.expiresAt,
          trustScore: drafted.screened.trustScore,
          flagged: drafted.screened.flagged,
          vector: memory.vector,
          modelId: deps.embedder.modelId,
          ...withIds(deps, memory.tagged, drafted.screened.flagged),
        },
      })),
      sightings: drafts.flatMap((memory, index) => {
        const decision = decisions[index]
        return decision?.kind === 'noop' ? [{ memoryId: decision.memoryId, segments: memory.segments }] : []
      }),
    }),
  )
  const known = new Map([...recognised.sameContent, ...recognised.sameSlot].map((item) => [item.memory.id, item]))
  const seen = decisions.flatMap((decision) => (decision.kind === 'noop' ? [decision.memoryId] : []))
  deps.accesses.record(scope.userId, seen, now)
  await prolong(deps, scope, drafted, decisions, known)
  return answer(scope, drafted, decisions, known, committed)
}

/** Said again to be kept longer: the known memory's end is put off, or what was stored for good would go with it. */
async function prolong(
  deps: Deps,
  scope: UserScope,
  { drafts, now }: Drafted,
  decisions: readonly Decision[],
  known: Map<string, KnownMemory>,
): Promise<void> {
  for (const [index, decision] of decisions.entries()) {
    const item = decision.kind === 'noop' ? known.get(decision.memoryId) : undefined
    const expiresAt = drafts[index]?.expiresAt
    if (!item || expiresAt === undefined || outlives(item.memory.expiresAt, expiresAt)) continue
    const memory = await deps.storage.update(userScope(scope.userId), item.memory.id, { now, expiresAt })
    if (memory) known.set(memory.id, { ...item, memory })
  }
}

function answer(
  scope: UserScope,
  drafted: Drafted,
  decisions: readonly Decision[],
  known: ReadonlyMap<string, KnownMemory>,
  committed: Committed,
): Stored {
  const { drafts, input, screened } = drafted
  const stored: StoredMemory[] = []
  let freshCount = 0
  for (const [index, decision] of decisions.entries()) {
    const memory = drafts[index]
    if (!memory) continue
    if (decision.kind === 'noop') {
      const existing = known.get(decision.memoryId)?.memory
      if (existing) stored.push({ ...existing, action: 'NOOP', supersedes: [] })
    } else if (decision.kind !== 'noop-same-batch') {
      stored.push({
        id: memory.id,
        action: decision.kind === 'update' ? 'UPDATE' : 'ADD',
        content: memory.content,
        entities: committed.entityNames[freshCount++] ?? [],
        project: scope.project ?? null,
        createdAt: memory.createdAt,
        expiresAt: memory.expiresAt,
        trustScore: screened.trustScore,
        flagged: screened.flagged,
        checksum: memory.checksum,
        source: input.source ?? 'api',
        supersedes: decision.kind === 'update' ? decision.supersedes : [],
      })
    }
  }
  return {
    memories: stored,
    entitiesExtracted: new Set(drafts.flatMap(({ tagged }) => tagged.entities.map(({ type, key }) => `${type}|${key}`)))
      .size,
    relationshipsCreated: committed.relationshipsCreated,
  }
}
