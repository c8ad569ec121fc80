/** Shorthand for the contract tests: complete commits from the few fields that a test is about. */
import { type EntityType, nameKey, type RelationshipFound, type Slot } from '../../core/entity.js'
import type { EventTime } from '../../core/event-time.js'
import type { StatedFact } from '../../core/fact.js'
import { type IdKind, idSource } from '../../core/ids.js'
import { checksumOf, contentKey, type Metadata } from '../../core/memory.js'
import type { PartRange } from '../../core/outdated.js'
import { type Scope, type UserScope, userScope } from '../../core/scope.js'
import type { NewContradiction } from '../ports/contradictions.js'
import type { Committed, NewMemory, SegmentRange, StoreCommit, VersionDraft } from '../ports/memory-writes.js'
import type { Storage } from '../ports/storage.js'

export const start = Date.UTC(2026, 0, 1)
export const alice = userScope('alice')
export const bob = userScope('bob')

export interface Fact {
  readonly content: string
  readonly createdAt?: number
  readonly project?: string | null
  readonly expiresAt?: number | null
  readonly metadata?: Metadata
  readonly flagged?: boolean
  readonly trustScore?: number
  readonly event?: EventTime | null
  readonly vector?: Float32Array
  readonly modelId?: string
  readonly supersedes?: readonly string[]
  /** Memories that it contradicts without replacing them. */
  readonly doubts?: readonly string[]
  /** Parts of memories that it makes outdated. */
  readonly ends?: readonly EndedPart[]
  /** Parts that it contradicts without making them outdated. */
  readonly doubtsParts?: readonly EndedPart[]
  readonly segments?: SegmentRange
  readonly entities?: readonly (readonly [name: string, type: EntityType, ...aliases: string[]])[]
  readonly relationships?: readonly Link[]
  readonly slots?: readonly Slot[]
  readonly states?: readonly StatedFact[]
}

export interface EndedPart extends PartRange {
  readonly memoryId: string
  readonly vector?: Float32Array
  /** The slots that the memory keeps. */
  readonly slots?: readonly Slot[]
  /** The slot of the reason. */
  readonly slot?: Slot
}

/** The part of a memory's content that consists of these words. */
export function wordsOf(memoryId: string, content: string, words: string): EndedPart {
  const start = content.indexOf(words)
  if (start < 0) throw new Error(`"${words}" is not in "${content}"`)
  return { memoryId, start, end: start + words.length }
}

interface Link extends Pick<RelationshipFound, 'type' | 'validFrom' | 'validTo' | 'ends'> {
  readonly from: string
  readonly to: string
  readonly exclusive?: boolean
  readonly properties?: Readonly<Record<string, string>>
}

/** Builds commits without a storage. */
export class Drafts {
  readonly #ids = idSource({ now: () => start })

  id(kind: IdKind): string {
    return this.#ids.next(kind)
  }

  storeCommit(store: Partial<StoreCommit> & { readonly expectedRevision: number }): StoreCommit {
    const text = store.memories?.map((memory) => memory.version.content) ?? []
    const document = { id: this.id('doc'), segments: text.length > 0 ? text : ['nothing new'], source: 'api' }
    return { now: start, document, memories: [], sightings: [], ...store }
  }

  memory(fact: Fact): NewMemory {
    return {
      id: this.id('mem'),
      createdAt: fact.createdAt ?? start,
      source: 'api',
      segments: fact.segments ?? [0, 0],
      supersedes: fact.supersedes ?? [],
      endings: (fact.ends ?? []).map(({ memoryId, start, end, vector, slots }) => ({
        ...{ memoryId, start, end },
        vector: vector ?? vectorFor(`rest of ${memoryId}`),
        slots: slots ?? [],
      })),
      contradictions: [
        ...[...(fact.supersedes ?? []), ...(fact.doubts ?? [])].map((memoryId) => this.contradiction(fact, memoryId)),
        ...[...(fact.ends ?? []), ...(fact.doubtsParts ?? [])].map((part) =>
          this.contradiction(fact, part.memoryId, part),
        ),
      ],
      version: this.draft(fact),
    }
  }

  private contradiction(fact: Fact, memoryId: string, part?: EndedPart): NewContradiction {
    const { slot, value } = part?.slot ?? { slot: 'SLOT', value: 'old' }
    return {
      id: this.id('con'),
      memoryId,
      part: part ? { start: part.start, end: part.end } : null,
      why: `not ${fact.content}`,
      reason: { slot, oldValue: value, newValue: fact.content, rule: 'changed' },
    }
  }

  draft(fact: Fact): VersionDraft {
    return {
      content: fact.content,
      contentKey: contentKey(fact.content),
      checksum: checksumOf(fact.content),
      metadata: fact.metadata ?? {},
      project: fact.project ?? null,
      expiresAt: fact.expiresAt ?? null,
      trustScore: fact.trustScore ?? 1,
      event: fact.event ?? null,
      flagged: fact.flagged ?? false,
      vector: fact.vector ?? vectorFor(fact.content),
      modelId: fact.modelId ?? 'test-model',
      entities: (fact.entities ?? []).map(([name, type, ...aliases]) => ({
        name,
        type,
        key: nameKey(name),
        aliases,
        newId: this.id('ent'),
      })),
      relationships: (fact.relationships ?? []).map(({ from, to, exclusive = false, properties = {}, ...link }) => ({
        ...link,
        sourceKey: nameKey(from),
        targetKey: nameKey(to),
        properties,
        exclusive,
        newId: this.id('rel'),
      })),
      slots: fact.slots ?? [],
      ...(fact.states && { facts: fact.states }),
    }
  }
}

/** Also stores them, each at the user's current revision. */
export class Notebook extends Drafts {
  constructor(private readonly storage: Storage) {
    super()
  }

  /** Stores them in one commit and returns their ids. */
  async store(scope: UserScope, ...facts: Fact[]): Promise<string[]> {
    const memories = facts.map((fact) => this.memory(fact))
    await this.commit(scope, { memories })
    return memories.map((memory) => memory.id)
  }

  async storeOne(scope: UserScope, fact: Fact): Promise<string> {
    const [id] = await this.store(scope, fact)
    return id ?? ''
  }

  async commit(scope: UserScope, store: Partial<StoreCommit>): Promise<Committed> {
    const expectedRevision = store.expectedRevision ?? (await this.revision(scope))
    return this.storage.commit(scope, this.storeCommit({ ...store, expectedRevision }))
  }

  /** Says again, in other words, what a memory says. */
  async repeat(scope: UserScope, memoryId: string, text: string): Promise<void> {
    const document = { id: this.id('doc'), segments: [text], source: 'api' }
    await this.commit(scope, { document, sightings: [{ memoryId, segments: [0, 0] }] })
  }

  async revision(scope: UserScope): Promise<number> {
    const facts = { now: start, project: null, contentKeys: [], slots: [] }
    return (await this.storage.recognise(scope, facts)).revision
  }
}

/** "John works at Acme": two entities and their relationship. */
export function employment(person: string, company: string, more: Partial<Fact> = {}): Fact {
  return {
    content: `${person} works at ${company}`,
    entities: [
      [person, 'PERSON'],
      [company, 'ORG'],
    ],
    relationships: [{ from: person, type: 'WORKS_AT', to: company, exclusive: true }],
    slots: [{ slot: `WORKS_AT|${nameKey(person)}`, value: nameKey(company) }],
    ...more,
  }
}

export function vectorFor(text: string, dimensions = 8): Float32Array {
  return Float32Array.from({ length: dimensions }, (_, i) => Math.sin((text.charCodeAt(i % text.length) + i) * 1.7))
}

export async function entityNamed(storage: Storage, scope: UserScope, name: string, now = start) {
  const { items } = await storage.listEntities(scope, { now, limit: 500, offset: 0 })
  const found = items.find((entity) => entity.name === name)
  if (!found) throw new Error(`no entity is called ${name}: ${items.map((entity) => entity.name).join(', ')}`)
  return found
}

export async function allRows(storage: Storage, scope: UserScope) {
  return (await storage.changes(scope, { revision: 0, row: 0 }, 10_000)).changed
}

/** All versions of a memory that are on the first page. */
export async function historyOf(storage: Pick<Storage, 'history'>, scope: Scope, memoryId: string) {
  return (await storage.history(scope, memoryId, { after: 0, limit: 500 })).items
}

export async function provenanceOf(storage: Pick<Storage, 'provenance'>, scope: Scope, memoryId: string) {
  return (await storage.provenance(scope, memoryId, { after: 0, limit: 500 })).items
}
