/** Runs a question's candidates through the service's own fusion and reranking again, with other settings. */
import type { BareMemory } from '../../packages/server/src/core/memory.js'
import { userScope } from '../../packages/server/src/core/scope.js'
import type { Candidate, Ranked, Signals } from '../../packages/server/src/retrieval/rank/candidate.js'
import { type FusionSettings, type FusionWeights, fuse } from '../../packages/server/src/retrieval/rank/fuse.js'
import { rerank } from '../../packages/server/src/retrieval/rank/rerank.js'
import { type Case, outcomeOf } from './fusion-search.js'
import type { Outcome } from './metrics.js'

const question = { text: '', asked: '', moment: { kind: 'now', now: 0 }, includeFlagged: false, former: null } as const

export function fuseAgain(
  { candidates, question: { namesSpeaker } }: Case,
  settings: FusionSettings,
): readonly Ranked[] {
  return fuse(candidates.map(candidateOf), settings, namesSpeaker)
}

/**
 * With the reranker's scores from the time the features were written, as if every text were short enough to be read.
 */
export async function rerankAgain(one: Case, fused: readonly Ranked[], settings: FusionSettings): Promise<Outcome> {
  const reranker = {
    modelId: 'as written',
    score: async (_: string, texts: readonly string[]) =>
      texts.map((place) => one.candidates[Number(place)]?.rerank ?? 0),
    close: async () => undefined,
  }
  const storage = { hydrate: async () => [] }
  const ranked = await rerank({ reranker, storage }, userScope('bench'), question, fused, settings)
  const scores = new Array<number>(one.candidates.length).fill(0)
  for (const { memory, fused: sum } of ranked) scores[Number(memory.content)] = sum
  return outcomeOf(one, scores)
}

export interface Top {
  /** The best candidate's score, without the constant that a named speaker's lead adds to all. */
  readonly sum: number
  /** Null: there is none. */
  readonly lead: number | null
  /** Other possible predictors: the best candidate's signals, and its distance to the tenth. */
  readonly others: readonly number[]
}

export function topOf(one: Case, settings: FusionSettings): Top {
  const ranked = (lead: number, usualLead: number) =>
    fuseAgain(one, { ...settings, usualLead, weights: { ...settings.weights, lead } })
  const [best, ...rest] = ranked(0, 0)
  const sum = best?.fused ?? 0
  const [shifted, elsewhere] = [ranked(1, 0)[0]?.fused ?? 0, ranked(1, 1)[0]?.fused ?? 0]
  return {
    sum,
    // Without a lead, a typical one changes nothing.
    lead: shifted === elsewhere ? null : shifted - sum,
    others: [sum - (rest[8]?.fused ?? 0), ...Object.values(best?.signals ?? {}).map((signal) => signal?.score ?? 1)],
  }
}

/** Keeps only the signals of these weights. */
export function onlySignals(weights: FusionWeights, kept: readonly (keyof FusionWeights)[]): FusionWeights {
  const entries = Object.entries(weights).map(([name, weight]) => [name, isIn(kept, name) ? weight : 0])
  return Object.fromEntries(entries) as unknown as FusionWeights
}

function isIn(names: readonly string[], name: string): boolean {
  return names.includes(name)
}

/** The position serves as content, id and age, so that equal candidates keep their order. */
function candidateOf({ scores }: Case['candidates'][number], place: number): Candidate {
  const signals = Object.entries(scores).map(([name, score]) => [name, score === null ? null : { score, rank: null }])
  return {
    row: place,
    // The fusion and the reranking read no other fields of a memory.
    memory: {
      id: String(place),
      content: String(place),
      createdAt: -place,
      outdated: [],
    } as Partial<BareMemory> as BareMemory,
    signals: Object.fromEntries(signals) as Signals,
  }
}
