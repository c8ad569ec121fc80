import type { GetDecayReportAnswer, GetMemoryDecayAnswer } from './api-types.generated.js'
import { type Caller, fieldsOf } from './caller.js'
import type { DecayReportOptions, MemoryDecayOptions } from './options.js'
import { pathPart } from './wire.js'

/** How memories lose relevance over time. */
export class Decay {
  readonly #caller: Caller

  constructor(caller: Caller) {
    this.#caller = caller
  }

  /** Counts over all memories, the distribution of scores, and a page of memories, lowest score first. Can try out other settings. */
  report(options: DecayReportOptions = {}): Promise<GetDecayReportAnswer> {
    const query = { ...fieldsOf(options), ...this.#caller.scope(options) }
    return this.#caller.send({ method: 'GET', path: '/temporal/decay/report', query, repeat: 'safe' }, options)
  }

  /** One memory's score, its parts, and a forecast. */
  async get(memoryId: string, options: MemoryDecayOptions = {}): Promise<GetMemoryDecayAnswer> {
    const path = `/temporal/memory/${pathPart(memoryId)}/decay`
    const { forecastDays, ...fields } = fieldsOf(options)
    const query = { ...fields, forecastDays: forecastDays?.join(','), ...this.#caller.owner(options) }
    return this.#caller.send({ method: 'GET', path, query, repeat: 'safe' }, options)
  }
}
