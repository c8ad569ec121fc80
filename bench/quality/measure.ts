/** Asks every question of a task of every system, and notes where the answers stood. */
import type { Actor } from '../../packages/server/src/core/actor.js'
import type { Embedder } from '../../packages/server/src/models/models.js'
import type { Deps } from '../../packages/server/src/service/deps.js'
import { recall } from '../../packages/server/src/service/recall.js'
import { sentencePairs } from './general.js'
import { type Outcome, spearman } from './metrics.js'
import type { MeasuredService, WrittenUser } from './service.js'
import type { System } from './systems.js'
import { deepest, type Question, type RetrievalTask, type Source } from './task.js'

export interface TaskResult {
  readonly task: RetrievalTask
  readonly corpora: number
  readonly documents: number
  readonly seconds: number
  readonly outcomes: ReadonlyMap<string, readonly Outcome[]>
}

export interface SimilarityResult {
  readonly pairs: number
  readonly spearman: number
}

const actor: Actor = { role: 'anonymous', keyId: null, ip: '', requestId: 'bench-quality' }

export async function measureTask(
  service: MeasuredService,
  task: RetrievalTask,
  source: Source,
  systems: readonly System[],
): Promise<TaskResult> {
  const start = performance.now()
  const arranged = systems.map((system) => ({ system, deps: system.arrange(service.deps) }))
  const outcomes = new Map(systems.map(({ name }) => [name, [] as Outcome[]]))
  let [corpora, documents] = [0, 0]
  for await (const corpus of task.load(source)) {
    if (corpus.questions.length === 0) continue
    const user = await service.write(corpus)
    // Together they embed faster than one by one.
    await service.deps.embedder.embed(corpus.questions.map(({ text }) => text))
    for (const { system, deps } of arranged) {
      for (const question of corpus.questions) {
        outcomes.get(system.name)?.push(await ask(deps, system, task, user, question))
      }
    }
    corpora += 1
    documents += corpus.documents.length
  }
  return { task, corpora, documents, seconds: (performance.now() - start) / 1000, outcomes }
}

async function ask(
  deps: Deps,
  system: System,
  task: RetrievalTask,
  user: WrittenUser,
  question: Question,
): Promise<Outcome> {
  const { memories, degraded } = await recall(deps, actor, user.scope, {
    text: question.text,
    limit: task.recallLimit,
    threshold: 0,
    // The context is not measured; one token keeps it empty.
    maxTokens: 1,
    hybrid: system.hybrid,
    rerank: system.rerank,
    includeHistory: false,
    includeFlagged: false,
  })
  const lost = degraded.filter((part) => !system.degraded.includes(part))
  if (lost.length > 0) throw new Error(`${system.name}: recall went on without ${lost.join(', ')}`)
  const units = new Set(
    memories.map(({ memory }) => {
      const document = user.documentOf.get(memory.id)
      if (!document) throw new Error(`recall gave a memory that was never written for ${user.scope.userId}`)
      return document[task.unit]
    }),
  )
  const gold = new Set(question.gold)
  const ranks = [...units].slice(0, deepest).flatMap((unit, index) => (gold.has(unit) ? [index + 1] : []))
  return {
    id: question.id,
    category: question.category,
    answerable: question.answerable,
    goldCount: gold.size,
    ranks,
    topScore: memories[0]?.score ?? 0,
  }
}

export async function measureSimilarity(embedder: Embedder, source: Source): Promise<SimilarityResult> {
  const pairs = await sentencePairs(source)
  const vectors = await embedder.embed(pairs.flatMap(({ a, b }) => [a, b]))
  const cosines = pairs.map((_, index) => dot(vectors[2 * index], vectors[2 * index + 1]))
  return {
    pairs: pairs.length,
    spearman: spearman(
      cosines,
      pairs.map(({ score }) => score),
    ),
  }
}

/** Vectors have length 1. */
function dot(a: Float32Array | undefined, b: Float32Array | undefined): number {
  if (!a || !b) throw new Error('the embedder answered with fewer vectors than texts')
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)
}
