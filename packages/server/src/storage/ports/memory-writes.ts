/** Stores, changes and erases memories. */
import type { EntityMention, RelationshipFound, Slot } from '../../core/entity.js'
import type { EventTime } from '../../core/event-time.js'
import type { StatedFact } from '../../core/fact.js'
import type { Filter } from '../../core/filter.js'
import type { Memory, Metadata } from '../../core/memory.js'
import type { OutdatedPart, PartRange } from '../../core/outdated.js'
import type { Scope, UserScope } from '../../core/scope.js'
import type { NewAnswer } from './answers.js'
import type { NewContradiction } from './contradictions.js'
import type { ConversationTurns } from './conversations.js'

export interface MemoryWrites {
  /**
   * One store: new memories, repetitions of known ones, the memories that they supersede, and their provenance. Nothing is
   * written if it throws.
   * @throws RevisionConflict if the user's revision is no longer `expectedRevision`; the caller reads and reconciles again.
   * @throws AlreadyAnswered if an answer with the key of `answer` is already kept.
   * @throws RawTextGone if `rawId` names a text that is no longer in the inbox.
   */
  commit(scope: UserScope, store: StoreCommit): Promise<Committed>
  /**
   * Several stores in one transaction, in order: all of them, or none if it throws. All expect the revision before the first one. A
   * store may name memories of those before it.
   */
  commitAll(scope: UserScope, stores: readonly StoreCommit[]): Promise<Committed[]>
  /** Adds a version to one memory. Null if the scope has no such memory, or it has expired or is superseded. */
  update(scope: Scope, memoryId: string, change: VersionChange): Promise<Memory | null>
  /**
   * Erases memories with their versions, vectors and provenance, the memories that they superseded (which were kept as
   * their history), and the entities and relationships that nothing else supports. Also drops the last turns of the users'
   * conversations. `all` also empties the inbox of the scope. `filter` chooses by the current version, also among expired and
   * superseded memories.
   * `now` is the time of the resulting events; without it they count as too old to keep.
   */
  forget(
    scope: Scope,
    what: { readonly memoryIds: readonly string[] } | { readonly all: true } | { readonly filter: Filter },
    now?: number,
  ): Promise<Erased[]>
  /** Erases the memories that expired at or before `now`, and nothing else. */
  purgeExpired(scope: Scope, now: number): Promise<Erased[]>
  /** Adds to access counts and skips ids that no longer exist. Does not raise revisions. */
  recordAccess(accesses: readonly Access[]): Promise<void>
}

export interface Erased {
  readonly userId: string
  readonly memoryId: string
}

export class RevisionConflict extends Error {
  override readonly name = 'RevisionConflict'
}

export interface StoreCommit {
  readonly expectedRevision: number
  readonly now: number
  /** The inbox text that this is made from; the same transaction removes it from the inbox. */
  readonly rawId?: string
  /**
   * The submitted text, cut into consecutive pieces: joined, they are the original word for word. Between two turns of a
   * dialogue there is a piece that equals `turnBreak`.
   */
  readonly document: { readonly id: string; readonly segments: readonly string[]; readonly source: string }
  readonly memories: readonly NewMemory[]
  /** Known memories that the text repeats. */
  readonly sightings: readonly Sighting[]
  /** The turns of the text, to be kept as context for the next ones. Absent: nothing changes. */
  readonly conversation?: ConversationTurns
  /** The model that read the facts of the memories. */
  readonly factsModel?: string
  /** The answer to this store, to be kept with it. */
  readonly answer?: NewAnswer
}

export interface Sighting {
  readonly memoryId: string
  readonly segments: SegmentRange
  /** If present, the memory gets a new version with this expiry. */
  readonly expiresAt?: number | null
}

export const turnBreak = '\n'

/** First and last segment (inclusive) that a memory was made from. */
export type SegmentRange = readonly [first: number, last: number]

export interface NewMemory {
  readonly id: string
  readonly createdAt: number
  readonly source: string
  readonly segments: SegmentRange
  /** Ids of current memories that this one replaces; they are kept as history. */
  readonly supersedes: readonly string[]
  /** Parts of current memories that this one makes outdated; those memories stay current. */
  readonly endings: readonly PartEnding[]
  /** The memories that it contradicts, both those it supersedes and those that stay current. */
  readonly contradictions?: readonly NewContradiction[]
  readonly version: VersionDraft
}

/**
 * Makes a part of a memory outdated, in a new version with the same content. Several parts of one memory that end in the same commit
 * by the same new memory share one version. A part that is already outdated is not ended again.
 */
export interface PartEnding extends PartRange {
  readonly memoryId: string
  /** Of the text that remains, by the model of the new memory's vector. */
  readonly vector: Float32Array
  /** The slots that the memory keeps. */
  readonly slots: readonly Slot[]
}

export interface VersionDraft {
  readonly content: string
  readonly contentKey: string
  readonly checksum: string
  readonly metadata: Metadata
  readonly project: string | null
  readonly expiresAt: number | null
  readonly trustScore: number
  readonly flagged: boolean
  readonly vector: Float32Array
  readonly modelId: string
  readonly entities: readonly (EntityMention & { readonly newId: string })[]
  readonly relationships: readonly (RelationshipFound & { readonly newId: string })[]
  readonly slots: readonly Slot[]
  /** Absent or null: the content mentions no date. */
  readonly event?: EventTime | null
  /** Absent: nobody has read them yet (see `FactStore.unreadContents`). */
  readonly facts?: readonly StatedFact[]
}

export interface Committed {
  readonly revision: number
  readonly relationshipsCreated: number
  /** Canonical names of the entities of each new memory, in the order of `StoreCommit.memories`. */
  readonly entityNames: readonly (readonly string[])[]
}

export interface VersionChange {
  readonly now: number
  /** Absent fields stay unchanged. */
  readonly metadata?: Metadata
  readonly project?: string | null
  readonly expiresAt?: number | null
  /** For the same content: somebody has reviewed it. */
  readonly trust?: Pick<VersionDraft, 'trustScore' | 'flagged'>
  readonly content?: Pick<
    VersionDraft,
    | 'content'
    | 'contentKey'
    | 'checksum'
    | 'trustScore'
    | 'flagged'
    | 'vector'
    | 'modelId'
    | 'entities'
    | 'relationships'
    | 'slots'
    | 'facts'
    | 'event'
  > & {
    /** Nothing in a new content is outdated; one that stays the same may keep its outdated parts. */
    readonly outdated?: readonly OutdatedPart[]
  }
}

export interface Access {
  readonly userId: string
  readonly memoryId: string
  readonly count: number
  readonly at: number
}
