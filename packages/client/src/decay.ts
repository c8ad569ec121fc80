import type { GetDecayReportAnswer, GetMemoryDecayAnswer } from './api-types.generated.js'
import { type Caller, fieldsOf } from './caller.js'
import type { DecayReportOptions, OwnerOptions } from './options.js'
import { pathPart } from './wire.js'

/** How memories fade. */
export class Decay {
  readonly #caller: Caller

  constructor(caller: Caller) {
    this.#caller = caller
  }

  /** Counts over all memories, and a page of them, lowest score first. */
  report(options: DecayReportOptions = {}): Promise<GetDecayReportAnswer> {
    const query = { ...fieldsOf(options), ...this.#caller.scope(options) }
    return this.#caller.send({ method: 'GET', path: '/temporal/decay/report', query, repeat: 'safe' }, options)
  }

  /** One memory's score, its parts, and a forecast. */
  async get(memoryId: string, options: OwnerOptions = {}): Promise<GetMemoryDecayAnswer> {
    const path = `/temporal/memory/${pathPart(memoryId)}/decay`
    return this.#caller.send({ method: 'GET', path, query: this.#caller.owner(options), repeat: 'safe' }, options)
  }
}
