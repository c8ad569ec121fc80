import type {
  AcceptContradictionAnswer,
  Contradiction,
  GetContradictionAnswer,
  ListContradictionsAnswer,
} from './api-types.generated.js'
import { type Caller, fieldsOf } from './caller.js'
import { byCursor, type Listing } from './listing.js'
import type { ContradictionListOptions, ContradictionPageOptions, OwnerOptions } from './options.js'
import { pathPart } from './wire.js'

/** Memories that contradict each other, and how each contradiction was resolved. */
export class Contradictions {
  readonly #caller: Caller

  constructor(caller: Caller) {
    this.#caller = caller
  }

  /** Newest first. */
  list(options: ContradictionListOptions = {}): Listing<Contradiction, ListContradictionsAnswer> {
    return byCursor(
      (cursor = options.cursor) => this.listPage({ ...options, cursor }),
      ({ contradictions }) => contradictions,
    )
  }

  listPage(options: ContradictionPageOptions = {}): Promise<ListContradictionsAnswer> {
    const query = { ...fieldsOf(options), ...this.#caller.scope(options) }
    return this.#caller.send({ method: 'GET', path: '/contradictions', query, repeat: 'safe' }, options)
  }

  async get(id: string, options: OwnerOptions = {}): Promise<Contradiction> {
    const request = { method: 'GET', path: this.#path(id), query: this.#caller.owner(options), repeat: 'safe' } as const
    return (await this.#caller.send<GetContradictionAnswer>(request, options)).contradiction
  }

  /** Keeps the new memory. A repeated call returns the same result. */
  async accept(id: string, options: OwnerOptions = {}): Promise<Contradiction> {
    return this.#decide(id, 'accept', options)
  }

  /** Makes the replaced memory current again. A repeated call returns the same result. */
  async revert(id: string, options: OwnerOptions = {}): Promise<Contradiction> {
    return this.#decide(id, 'revert', options)
  }

  async #decide(id: string, verdict: 'accept' | 'revert', options: OwnerOptions): Promise<Contradiction> {
    const path = `${this.#path(id)}/${verdict}`
    const request = { method: 'POST', path, body: this.#caller.owner(options), repeat: 'safe' } as const
    return (await this.#caller.send<AcceptContradictionAnswer>(request, options)).contradiction
  }

  #path(id: string): string {
    return `/contradictions/${pathPart(id)}`
  }
}
