/** Asks every system every question of a task, and records the ranks of the answers. */
import type { Embedder } from '../../packages/server/src/models/models.js'
import { type Asked, ask, prepare, type Services } from './ask.js'
import { sentencePairs } from './general.js'
import { type Outcome, spearman } from './metrics.js'
import { fusedName, type System } from './systems.js'
import { type Corpus, deepest, type Question, type RetrievalTask, type Source } from './task.js'
import { dot } from './vector-cache.js'

export interface TaskResult {
  readonly task: RetrievalTask
  readonly corpora: number
  readonly documents: number
  readonly seconds: number
  readonly outcomes: ReadonlyMap<string, readonly Outcome[]>
}

export interface SimilarityResult {
  readonly contender: string
  readonly modelId: string
  readonly pairs: number
  readonly spearman: number
}

/** Inspects the results of the fused system while the corpus is loaded. */
export interface Observer {
  corpusAsked(task: RetrievalTask, corpus: Corpus, fused: Asked, outcomes: readonly Outcome[]): Promise<void>
}

export async function measureTask(
  services: Services,
  task: RetrievalTask,
  source: Source,
  systems: readonly System[],
  observers: readonly Observer[],
): Promise<TaskResult> {
  const start = performance.now()
  const outcomes = new Map(systems.map(({ name }) => [name, [] as Outcome[]]))
  let [corpora, documents] = [0, 0]
  for await (const corpus of task.load(source)) {
    if (corpus.questions.length === 0) continue
    for (const system of systems) {
      const asked = await prepare(services, system, corpus)
      const found: Outcome[] = []
      for (const question of corpus.questions) found.push(await outcomeOf(asked, task, question))
      outcomes.get(system.name)?.push(...found)
      if (system.name !== fusedName) continue
      for (const observer of observers) await observer.corpusAsked(task, corpus, asked, found)
    }
    corpora += 1
    documents += corpus.documents.length
  }
  return { task, corpora, documents, seconds: (performance.now() - start) / 1000, outcomes }
}

async function outcomeOf(asked: Asked, task: RetrievalTask, question: Question): Promise<Outcome> {
  const found = await ask(asked, question, task.recallLimit)
  const units = new Set(found.map(({ document }) => document[task.unit]))
  const gold = new Set(question.gold)
  return {
    id: question.id,
    category: question.category,
    answerable: question.answerable,
    goldCount: gold.size,
    ranks: [...units].slice(0, deepest).flatMap((unit, index) => (gold.has(unit) ? [index + 1] : [])),
    topScore: found[0]?.score ?? 0,
  }
}

export async function measureSimilarity(
  contender: string,
  embedder: Embedder,
  source: Source,
): Promise<SimilarityResult> {
  const pairs = await sentencePairs(source)
  const vectors = await embedder.embed(pairs.flatMap(({ a, b }) => [a, b]))
  const cosines = pairs.map((_, index) => {
    const [a, b] = [vectors[2 * index], vectors[2 * index + 1]]
    if (!a || !b) throw new Error('the embedder returned fewer vectors than texts')
    return dot(a, b)
  })
  const scores = pairs.map(({ score }) => score)
  return { contender, modelId: embedder.modelId, pairs: pairs.length, spearman: spearman(cosines, scores) }
}
