/** A question's candidates through the service's own fusion and rerank once more, under other settings. */
import type { BareMemory } from '../../packages/server/src/core/memory.js'
import type { Candidate, Ranked, Signals } from '../../packages/server/src/retrieval/candidate.js'
import { type FusionSettings, type FusionWeights, fuse } from '../../packages/server/src/retrieval/fuse.js'
import { rerank } from '../../packages/server/src/retrieval/rerank.js'
import { type Case, outcomeOf } from './fusion-search.js'
import type { Outcome } from './metrics.js'

export function fuseAgain({ candidates, question }: Case, settings: FusionSettings): readonly Ranked[] {
  return fuse(candidates.map(candidateOf), settings, question.namesSpeaker)
}

/** With the scores that the reranker gave when the features were written. */
export async function rerankAgain(one: Case, settings: FusionSettings): Promise<Outcome> {
  const reranker = {
    modelId: 'as written',
    score: async (_: string, texts: readonly string[]) =>
      texts.map((place) => one.candidates[Number(place)]?.rerank ?? 0),
    close: async () => undefined,
  }
  const ranked = await rerank(reranker, '', fuseAgain(one, settings), settings)
  const scores = new Array<number>(one.candidates.length).fill(0)
  for (const { memory, fused } of ranked) scores[Number(memory.content)] = fused
  return outcomeOf(one, scores)
}

/** The sum of the best candidate, without what a named speaker's lead adds to all; and that lead, null without one. */
export function topOf(one: Case, settings: FusionSettings): { sum: number; lead: number | null } {
  const best = (lead: number, usualLead: number) =>
    fuseAgain(one, { ...settings, usualLead, weights: { ...settings.weights, lead } })[0]?.fused ?? 0
  const sum = best(0, 0)
  const [shifted, elsewhere] = [best(1, 0), best(1, 1)]
  // Where there is no lead, a usual one moves nothing.
  return { sum, lead: shifted === elsewhere ? null : shifted - sum }
}

/** Only the signals of these weights count. */
export function onlySignals(weights: FusionWeights, kept: readonly (keyof FusionWeights)[]): FusionWeights {
  const entries = Object.entries(weights).map(([name, weight]) => [name, isIn(kept, name) ? weight : 0])
  return Object.fromEntries(entries) as unknown as FusionWeights
}

function isIn(names: readonly string[], name: string): boolean {
  return names.includes(name)
}

/** Its place is its content, its id and its age, so that equal ones keep the order they were found in. */
function candidateOf({ scores }: Case['candidates'][number], place: number): Candidate {
  const signals = Object.entries(scores).map(([name, score]) => [name, score === null ? null : { score, rank: null }])
  return {
    row: place,
    // The fusion reads no more of a memory than this.
    memory: { id: String(place), content: String(place), createdAt: -place } as BareMemory,
    signals: Object.fromEntries(signals) as Signals,
  }
}
