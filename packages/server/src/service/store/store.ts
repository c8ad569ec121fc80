import type { Actor } from '../../core/actor.js'
import { unavailable } from '../../core/errors.js'
import { checksumOf, contentKey, type Metadata } from '../../core/memory.js'
import { timed } from '../../core/meter.js'
import type { Once } from '../../core/once.js'
import { type UserScope, userScope } from '../../core/scope.js'
import { expiryOf, type Ttl } from '../../core/ttl.js'
import { type DividedMemory, divide, type Message } from '../../ingest/divide.js'
import { embeddingText } from '../../ingest/embedding-text.js'
import { extract } from '../../ingest/extract.js'
import { factsApart } from '../../ingest/facts-apart.js'
import { type Advice, heed } from '../../ingest/llm-reconcile.js'
import { type Decision, outlives, reconcile, whoSlots } from '../../ingest/reconcile.js'
import { isDoubted, type Screened } from '../../ingest/sanitize.js'
import type { Tagged } from '../../models/models.js'
import {
  type KnownMemory,
  type Recognised,
  RevisionConflict,
  type SegmentRange,
  type Sighting,
} from '../../storage/ports/storage.js'
import type { Deps } from '../deps.js'
import { advise } from './advise.js'
import { auditStore } from './audit-store.js'
import { foundContradictions } from './found-contradictions.js'
import { type KeptText, whileKept } from './inbox.js'
import { Consultation } from './language-model.js'
import { metadataTexts } from './metadata-texts.js'
import { screenTexts } from './screen.js'
import { completed, type Outline, type Stored, type StoredMemory, toKeep } from './stored.js'
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
  /** The language model's. */
  readonly advice: readonly Advice[]
  readonly degraded: readonly string[]
  readonly now: number
  readonly screened: Screened
  readonly input: StoreInput
}

/** @throws AlreadyAnswered where another store with the same key was the first. */
export async function store(
  deps: Deps,
  actor: Actor,
  scope: UserScope,
  input: StoreInput,
  once?: Once,
): Promise<Stored> {
  return auditStore(deps, actor, scope, async () => {
    const screened = screen(deps, scope, input)
    const consultation = Consultation.open(deps, screened)
    const drafting = () => draft(deps, scope, input, screened, consultation)
    if (consultation === null) return reconcileInTurn(deps, scope, await drafting(), once)
    // A model may take longer than this process lives: until the commit the text itself is on disk.
    return whileKept(deps, scope, { actor, input, once }, drafting, (drafted, rawId) =>
      reconcileInTurn(deps, scope, drafted, once, rawId),
    )
  })
}

/**
 * What a crash left in the inbox, by the local path. @throws RawTextGone where it was stored or erased meanwhile, and
 * AlreadyAnswered where its sender has sent it again.
 */
export async function storeKept(deps: Deps, scope: UserScope, rawId: string, { actor, input, once }: KeptText) {
  return auditStore(deps, actor, scope, async () =>
    reconcileInTurn(deps, scope, await draft(deps, scope, input, screen(deps, scope, input), null), once, rawId),
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

function reconcileInTurn(
  deps: Deps,
  scope: UserScope,
  drafted: Drafted,
  once: Once | undefined,
  rawId?: string,
): Promise<Stored> {
  return deps.userLocks.run(scope.userId, () => reconcileAndCommit(deps, scope, drafted, { once, rawId }))
}

/** What else the commit does. */
interface Beside {
  readonly once: Once | undefined
  /** In the inbox. */
  readonly rawId: string | undefined
}

const attempts = 8

/** Another instance may write for the same user in between: then what was known is stale, and all is decided anew. */
async function reconcileAndCommit(deps: Deps, scope: UserScope, drafted: Drafted, beside: Beside): Promise<Stored> {
  for (let attempt = 1; ; attempt++) {
    const recognised = await timed(deps.meter, 'recognise', () =>
      deps.storage.recognise(userScope(scope.userId), {
        now: drafted.now,
        project: scope.project ?? null,
        contentKeys: [
          ...drafted.drafts.map((memory) => memory.contentKey),
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
      return await commit(deps, scope, drafted, recognised, decisions, beside)
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
  { once, rawId }: Beside,
): Promise<Stored> {
  const { drafts, input, now } = drafted
  const source = input.source ?? 'api'
  const fresh = drafts.flatMap((memory, index) => {
    const decision = decisions[index]
    return decision?.kind === 'add' || decision?.kind === 'update' ? [{ memory, decision }] : []
  })
  const known = new Map([...recognised.sameContent, ...recognised.sameSlot].map((item) => [item.memory.id, item]))
  const sightings = seenAgain(drafted, decisions, known)
  const outline = outlined(scope, drafted, decisions, known)
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
      sightings,
      ...(once === undefined ? {} : { answer: toKeep(once, outline, now) }),
    }),
  )
  deps.accesses.record(
    scope.userId,
    sightings.map(({ memoryId }) => memoryId),
    now,
  )
  const names = new Map(fresh.map(({ memory }, index) => [memory.id, committed.entityNames[index]]))
  return completed(
    outline,
    committed.relationshipsCreated,
    outline.memories.map(({ id }) => names.get(id)),
  )
}

/** Said again to be kept longer: the known memory's end is put off, or what was stored for good would go with it. */
function seenAgain({ drafts }: Drafted, decisions: readonly Decision[], known: Map<string, KnownMemory>): Sighting[] {
  return decisions.flatMap((decision, index) => {
    const memory = drafts[index]
    if (decision.kind !== 'noop' || !memory) return []
    const { memoryId } = decision
    const sighting = { memoryId, segments: memory.segments }
    const item = known.get(memoryId)
    const { expiresAt } = memory
    if (!item || outlives(item.memory.expiresAt, expiresAt)) return [sighting]
    known.set(memoryId, { ...item, memory: { ...item.memory, expiresAt } })
    return [{ ...sighting, expiresAt }]
  })
}

function outlined(
  scope: UserScope,
  { drafts, input, screened, degraded }: Drafted,
  decisions: readonly Decision[],
  known: ReadonlyMap<string, KnownMemory>,
): Outline {
  const memories: StoredMemory[] = []
  for (const [index, decision] of decisions.entries()) {
    const memory = drafts[index]
    if (!memory) continue
    if (decision.kind === 'noop') {
      const existing = known.get(decision.memoryId)?.memory
      if (existing) memories.push({ ...existing, action: 'NOOP', supersedes: [] })
    } else if (decision.kind !== 'noop-same-batch') {
      memories.push({
        id: memory.id,
        action: decision.kind === 'update' ? 'UPDATE' : 'ADD',
        content: memory.content,
        entities: [],
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
  const entities = drafts.flatMap(({ tagged }) => tagged.entities.map(({ type, key }) => `${type}|${key}`))
  return { memories, entitiesExtracted: new Set(entities).size, degraded }
}
