import type { Actor } from '../core/actor.js'
import { unavailable } from '../core/errors.js'
import { type Action, checksumOf, contentKey, earlierContentKey, type Metadata } from '../core/memory.js'
import { timed } from '../core/meter.js'
import { type UserScope, userScope } from '../core/scope.js'
import { expiryOf, type Ttl } from '../core/ttl.js'
import { type DividedMemory, divide, type Message } from '../ingest/divide.js'
import { embeddingText } from '../ingest/embedding-text.js'
import { extract } from '../ingest/extract.js'
import { factsApart } from '../ingest/facts-apart.js'
import { type Advice, heed } from '../ingest/llm-reconcile.js'
import { type Decision, outlives, reconcile, whoSlots } from '../ingest/reconcile.js'
import { isDoubted, type Screened } from '../ingest/sanitize.js'
import type { Tagged } from '../models/models.js'
import {
  type Committed,
  type KnownMemory,
  type Recognised,
  RevisionConflict,
  type SegmentRange,
} from '../storage/storage.js'
import { advise } from './advise.js'
import { auditStore } from './audit-store.js'
import type { Deps } from './deps.js'
import { foundContradictions } from './found-contradictions.js'
import { whileKept } from './inbox.js'
import { Consultation } from './language-model.js'
import { metadataTexts } from './metadata-texts.js'
import { screenTexts } from './screen.js'
import { understand } from './understand.js'
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
  /** Parts that failed and were done without: `llm`. */
  readonly degraded: readonly string[]
}

/** One fact on its way into the store. */
interface Draft {
  readonly id: string
  readonly content: string
  readonly contentKey: string
  readonly earlierKey: string
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
  /** The language model's. */
  readonly advice: readonly Advice[]
  readonly degraded: readonly string[]
  readonly now: number
  readonly screened: Screened
  readonly input: StoreInput
}

export async function store(deps: Deps, actor: Actor, scope: UserScope, input: StoreInput): Promise<Stored> {
  return auditStore(deps, actor, scope, async () => {
    const screened = screen(deps, scope, input)
    const consultation = Consultation.open(deps, screened)
    const drafting = () => draft(deps, scope, input, screened, consultation)
    if (consultation === null) return reconcileInTurn(deps, scope, await drafting())
    // A model may take longer than this process lives: until the commit the text itself is on disk.
    return whileKept(deps, actor, scope, input, drafting, (drafted, rawId) =>
      reconcileInTurn(deps, scope, drafted, rawId),
    )
  })
}

/** What a crash left in the inbox, by the local path. @throws RawTextGone where it was stored or erased meanwhile. */
export async function storeKept(deps: Deps, actor: Actor, scope: UserScope, rawId: string, input: StoreInput) {
  return auditStore(deps, actor, scope, async () =>
    reconcileInTurn(deps, scope, await draft(deps, scope, input, screen(deps, scope, input), null), rawId),
  )
}

function screen(deps: Deps, scope: UserScope, input: StoreInput): Screened {
  const texts =
    'content' in input.text
      ? [{ path: 'content', text: input.text.content }]
      : input.text.messages.flatMap((message, index) => [
          { path: `messages[${index}].content`, text: message.content },
          ...(message.name === undefined ? [] : [{ path: `messages[${index}].name`, text: message.name }]),
        ])
  const source = input.source === undefined ? [] : [{ path: 'source', text: input.source }]
  const project = scope.project === undefined ? [] : [{ path: 'project', text: scope.project }]
  return screenTexts(deps, [...texts, ...source, ...project, ...metadataTexts(input.metadata)])
}

/** Splits, tags and embeds, and asks the language model where there is one: all that needs no turn of the user's. */
async function draft(
  deps: Deps,
  scope: UserScope,
  input: StoreInput,
  screened: Screened,
  consultation: Consultation | null,
): Promise<Drafted> {
  const now = deps.clock.now()
  const saidAt = input.createdAt ?? now
  const { segments, memories } = divide(input.text, saidAt, deps.settings.steps)
  const { said, tagged } = await understand(deps, consultation, {
    ...(await tagAll(deps, scope, memories)),
    segments,
    tag: (others) => tag(deps, scope, others),
    speakerName: (memory) => spoken(memory).speakerName,
    userId: scope.userId,
    saidAt,
    trustScore: screened.trustScore,
    saying: (like, content, range) => ({ ...like, content, meant: content, segments: range, parts: [] }),
  })
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
      earlierKey: earlierContentKey(memory.content),
      checksum: checksumOf(memory.content),
      createdAt,
      expiresAt: expiryOf(input.ttl, createdAt, deps.settings.defaultTtlDays),
      segments: memory.segments,
      tagged: tags,
      slots: tags.slots,
      vector,
    }
  })
  const advice = await advise(deps, scope, consultation, drafts, now)
  const degraded = consultation?.conclude() ?? []
  // Of now: while a model was asked, something that the user has may have expired.
  return { segments, drafts, advice, degraded, now: deps.clock.now(), screened, input }
}

/** Turns are looked at as a whole first; those that hold facts which may change are taken apart. */
async function tagAll(deps: Deps, scope: UserScope, whole: readonly DividedMemory[]) {
  const known = new Map<DividedMemory, Tagged>()
  const learn = async (memories: readonly DividedMemory[]) => {
    const tags = await tag(deps, scope, memories)
    for (const [index, memory] of memories.entries()) known.set(memory, tags[index] ?? untagged)
    return tags
  }
  const said = factsApart(whole, await learn(whole))
  await learn(said.filter((memory) => !known.has(memory)))
  return { said, tagged: said.map((memory) => known.get(memory) ?? untagged) }
}

const untagged: Tagged = { entities: [], relationships: [], slots: [] }

async function tag(deps: Deps, scope: UserScope, memories: readonly DividedMemory[]): Promise<Tagged[]> {
  const tags = await timed(deps.meter, 'tag', () => extract(deps.tagger, memories.map(spoken), scope.userId))
  if (tags.length !== memories.length) throw new Error('the tagger answered with fewer results than texts')
  return tags
}

/** What the assistant says of itself is no fact about the user. */
function spoken({ meant, speaker, role }: DividedMemory): { content: string; speakerName?: string } {
  const speakerName = speaker ?? (role === 'user' ? undefined : role.charAt(0).toUpperCase() + role.slice(1))
  return speakerName === undefined ? { content: meant } : { content: meant, speakerName }
}

function reconcileInTurn(deps: Deps, scope: UserScope, drafted: Drafted, rawId?: string): Promise<Stored> {
  return deps.userLocks.run(scope.userId, () => reconcileAndCommit(deps, scope, drafted, rawId))
}

const attempts = 8

/** Another instance may write for the same user in between: then what was known is stale, and all is decided anew. */
async function reconcileAndCommit(deps: Deps, scope: UserScope, drafted: Drafted, rawId?: string): Promise<Stored> {
  for (let attempt = 1; ; attempt++) {
    const recognised = await timed(deps.meter, 'recognise', () =>
      deps.storage.recognise(userScope(scope.userId), {
        now: drafted.now,
        project: scope.project ?? null,
        contentKeys: [
          ...drafted.drafts.flatMap((memory) => [memory.contentKey, memory.earlierKey]),
          ...drafted.advice.map((about) => about.contentKey),
        ],
        slots: drafted.drafts.flatMap((memory) => [
          ...memory.slots.map(({ slot }) => slot),
          ...whoSlots(memory.tagged.entities),
        ]),
      }),
    )
    const byRules = reconcile(drafted.drafts, recognised, drafted.screened)
    const decisions = heed(byRules, drafted.drafts, drafted.advice, recognised)
    try {
      return await commit(deps, scope, drafted, recognised, decisions, rawId)
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
  rawId?: string,
): Promise<Stored> {
  const { drafts, input, now } = drafted
  const source = input.source ?? 'api'
  const fresh = drafts.flatMap((memory, index) => {
    const decision = decisions[index]
    return decision?.kind === 'add' || decision?.kind === 'update' ? [{ memory, decision }] : []
  })
  const known = new Map([...recognised.sameContent, ...recognised.sameSlot].map((item) => [item.memory.id, item]))
  const committed = await timed(deps.meter, 'commit', () =>
    deps.storage.commit(userScope(scope.userId), {
      expectedRevision: recognised.revision,
      now,
      ...(rawId === undefined ? {} : { rawId }),
      document: { id: deps.ids.next('doc'), segments: drafted.segments, source },
      memories: fresh.map(({ memory, decision }) => ({
        id: memory.id,
        createdAt: memory.createdAt,
        source,
        segments: memory.segments,
        supersedes: decision.kind === 'update' ? decision.supersedes : [],
        contradictions: foundContradictions(deps, memory, decision, known),
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
          ...withIds(deps, memory.content, memory.tagged, isDoubted(drafted.screened), decision.doubtful),
        },
      })),
      sightings: drafts.flatMap((memory, index) => {
        const decision = decisions[index]
        return decision?.kind === 'noop' ? [{ memoryId: decision.memoryId, segments: memory.segments }] : []
      }),
    }),
  )
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
    degraded: drafted.degraded,
  }
}
