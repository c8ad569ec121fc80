/**
 * The systems in the comparison: the service's own recall with some signals removed underneath it. No code is copied; a
 * signal is missing as if its component had failed or found nothing.
 */
import { unavailable } from '../../packages/server/src/core/errors.js'
import type { Embedder } from '../../packages/server/src/models/models.js'
import type { UserIndexes } from '../../packages/server/src/retrieval/index/user-indexes.js'
import type { FusionWeights } from '../../packages/server/src/retrieval/rank/fuse.js'
import type { Deps } from '../../packages/server/src/service/deps.js'
import type { Contender } from './contenders.js'

export interface System {
  readonly name: string
  readonly contender: Contender
  /** Whether turns are embedded with the previous turn. */
  readonly context: boolean
  readonly hybrid: boolean
  readonly rerank: boolean
  /** Components that this system lacks on purpose; any other degradation fails the run. */
  readonly degraded: readonly string[]
  arrange(deps: Deps): Deps
}

/** The system that misses and features are taken from. */
export const fusedName = 'fused'

/** Fused recall with a component removed or replaced. */
export function isVariant(name: string): boolean {
  return name.startsWith(`${fusedName}, `)
}

export function systemsOf(contenders: readonly [Contender, ...Contender[]], leaveOneOut: boolean): System[] {
  const served = contenders.at(-1) ?? contenders[0]
  const fused = { ...recallWith(served), name: fusedName }
  const compared: System[] = [
    { ...fused, name: 'BM25', degraded: ['semantic'], arrange: (deps) => wordsAlone(withoutVectors(deps)) },
    ...contenders.map((contender) => ({ ...recallWith(contender), name: contender.name, hybrid: false })),
    fused,
    { ...fused, name: `${fusedName} + rerank`, rerank: true },
  ]
  if (!leaveOneOut) return compared
  return [
    ...compared,
    { ...fused, name: `${fusedName}, no semantic`, degraded: ['semantic'], arrange: withoutVectors },
    { ...fused, name: `${fusedName}, no keyword`, arrange: withoutWords },
    ...gainsAndLosses.map((signal) => ({
      ...fused,
      name: `${fusedName}, no ${signal}`,
      arrange: (deps: Deps) => withoutSignals(deps, [signal]),
    })),
    { ...fused, name: `${fusedName}, ${served.context ? 'no' : 'with'} context`, context: !served.context },
    ...contenders
      .filter((contender) => contender !== served)
      .map((contender) => ({ ...recallWith(contender), name: `${fusedName}, ${contender.name}` })),
  ]
}

function recallWith(contender: Contender): Omit<System, 'name'> {
  const { context } = contender
  return { contender, context, hybrid: true, rerank: false, degraded: [], arrange: (deps) => deps }
}

function withoutVectors(deps: Deps): Deps {
  const embedder: Embedder = {
    modelId: deps.embedder.modelId,
    dimensions: deps.embedder.dimensions,
    embed: () => Promise.reject(unavailable('removed for this measurement')),
    queueLength: () => 0,
    close: () => Promise.resolve(),
  }
  return { ...deps, embedder }
}

function withoutWords(deps: Deps): Deps {
  return {
    ...deps,
    indexes: replacing<UserIndexes>(deps.indexes, {
      search: (scope, query) => deps.indexes.search(scope, { ...query, text: null }),
    }),
  }
}

/** Signals besides meaning and words; a weight of 0 disables one. */
const gainsAndLosses = [
  'graph',
  'speaker',
  'subject',
  'time',
  'reply',
  'statement',
  'lead',
] as const satisfies (keyof FusionWeights)[]

function wordsAlone(deps: Deps): Deps {
  return withoutSignals(deps, gainsAndLosses)
}

function withoutSignals(deps: Deps, signals: readonly (keyof FusionWeights)[]): Deps {
  const { fusion } = deps.settings
  const weights = { ...fusion.weights, ...Object.fromEntries(signals.map((signal) => [signal, 0])) }
  return { ...deps, settings: { ...deps.settings, fusion: { ...fusion, weights } } }
}

/** The object with some methods replaced; all others run on the object itself, which may have private fields. */
function replacing<T extends object>(target: T, replacements: Partial<T>): T {
  return new Proxy(target, {
    get(_, name) {
      if (name in replacements) return Reflect.get(replacements, name)
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
