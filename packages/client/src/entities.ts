import type {
  Entity,
  GetEntityAnswer,
  GetEntityMemoriesAnswer,
  GetEntityRelationshipsAnswer,
  GetGraphAnswer,
  ListEntitiesAnswer,
  ListEntityMergesAnswer,
  Memory,
  MergeEntityAnswer,
} from './api-types.generated.js'
import { type Caller, fieldsOf } from './caller.js'
import { byCursor, byNumber, type Listing } from './listing.js'
import type {
  EntityListOptions,
  EntityMemoriesOptions,
  EntityMemoriesPageOptions,
  EntityOptions,
  EntityPageOptions,
  GraphOptions,
  OwnerOptions,
  RelationshipOptions,
} from './options.js'
import { pathPart } from './wire.js'

/** The people, places and things that memories mention. */
export class Entities {
  readonly #caller: Caller

  constructor(caller: Caller) {
    this.#caller = caller
  }

  /** Most recently seen first. */
  list(options: EntityListOptions = {}): Listing<Entity, ListEntitiesAnswer> {
    return byNumber(
      (page) => this.listPage({ ...options, page }),
      ({ entities }) => entities,
    )
  }

  listPage(options: EntityPageOptions = {}): Promise<ListEntitiesAnswer> {
    const query = { ...fieldsOf(options), ...this.#caller.scope(options) }
    return this.#caller.send({ method: 'GET', path: '/entities', query, repeat: 'safe' }, options)
  }

  /** The entities with the most memories and the relationships between them, in one request. */
  graph(options: GraphOptions = {}): Promise<GetGraphAnswer> {
    const query = { ...fieldsOf(options), ...this.#caller.scope(options) }
    return this.#caller.send({ method: 'GET', path: '/graph', query, repeat: 'safe' }, options)
  }

  async get(id: string, options: EntityOptions = {}): Promise<Entity> {
    return (await this.#read<GetEntityAnswer>(id, '', options)).entity
  }

  /** Relationships in both directions. */
  async relationships(id: string, options: RelationshipOptions = {}): Promise<GetEntityRelationshipsAnswer> {
    return this.#read(id, '/relationships', options)
  }

  /** The memories that mention the entity, newest first. */
  memories(id: string, options: EntityMemoriesOptions = {}): Listing<Memory, GetEntityMemoriesAnswer> {
    return byCursor(
      (cursor = options.cursor) => this.memoriesPage(id, { ...options, cursor }),
      ({ memories }) => memories,
    )
  }

  async memoriesPage(id: string, options: EntityMemoriesPageOptions = {}): Promise<GetEntityMemoriesAnswer> {
    return this.#read(id, '/memories', options)
  }

  /** The names that were merged into the entity, and why. */
  async merges(id: string, options: OwnerOptions = {}): Promise<ListEntityMergesAnswer> {
    return this.#read(id, '/merges', options)
  }

  /** Merges an entity into another one of the same type. */
  async merge(id: string, into: string, options: OwnerOptions = {}): Promise<MergeEntityAnswer> {
    const path = `/entities/${pathPart(id)}/merge`
    const body = { into, ...this.#caller.owner(options) }
    return this.#caller.send({ method: 'POST', path, body, repeat: 'if-refused' }, options)
  }

  /** Undoes a merge. A repeated call returns the same result. */
  async revertMerge(mergeId: string, options: OwnerOptions = {}): Promise<MergeEntityAnswer> {
    const path = `/merges/${pathPart(mergeId)}/revert`
    return this.#caller.send({ method: 'POST', path, body: this.#caller.owner(options), repeat: 'safe' }, options)
  }

  #read<Answer>(id: string, part: string, options: OwnerOptions): Promise<Answer> {
    const query = { ...fieldsOf(options), ...this.#caller.owner(options) }
    return this.#caller.send(
      { method: 'GET', path: `/entities/${pathPart(id)}${part}`, query, repeat: 'safe' },
      options,
    )
  }
}
