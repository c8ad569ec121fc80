/** Sends a question to the service's own recall. */
import type { Actor } from '../../packages/server/src/core/actor.js'
import type { Deps } from '../../packages/server/src/service/deps.js'
import { type RecalledMemory, recall } from '../../packages/server/src/service/recall/recall.js'
import type { Contender } from './contenders.js'
import type { MeasuredService, WrittenUser } from './service.js'
import type { System } from './systems.js'
import type { Corpus, Document, Question } from './task.js'

/** The maximum that the API returns. */
export const mostMemories = 100

/** One service per embedder. */
export type Services = ReadonlyMap<Contender, MeasuredService>

/** A system over one corpus. */
export interface Asked {
  readonly system: System
  readonly deps: Deps
  readonly user: WrittenUser
  /** The time of questions that have no date. */
  readonly afterAll: number
}

export interface Found {
  readonly document: Document
  readonly score: number
  readonly parts: RecalledMemory['parts']
}

const actor: Actor = { role: 'anonymous', keyId: null, ip: '', requestId: 'bench-quality' }
const dayMs = 86_400_000

export async function prepare(services: Services, system: System, corpus: Corpus): Promise<Asked> {
  const service = services.get(system.contender)
  if (!service) throw new Error(`no service runs with ${system.contender.name}`)
  // Embedding all questions at once is faster than one by one.
  await service.deps.embedder.embed(corpus.questions.map(({ text }) => text))
  return {
    system,
    deps: system.arrange(service.deps),
    user: await service.write(corpus, system.context),
    afterAll: corpus.documents.reduce((latest, { createdAt }) => Math.max(latest, createdAt), 0) + dayMs,
  }
}

/** Best first. */
export async function ask(
  { system, deps, user, afterAll }: Asked,
  question: Pick<Question, 'text' | 'askedAt' | 'asOf'>,
  limit: number,
): Promise<Found[]> {
  const clock = { now: () => question.askedAt ?? afterAll }
  const { memories, degraded } = await recall({ ...deps, clock }, actor, user.scope, {
    text: question.text,
    limit,
    threshold: 0,
    // The context is not measured; one token keeps it empty.
    maxTokens: 1,
    mostInContext: 0,
    hybrid: system.hybrid,
    rerank: system.rerank,
    ...(question.asOf === undefined ? {} : { asOf: question.asOf }),
    includeHistory: false,
    includeFlagged: false,
  })
  const lost = degraded.filter((part) => !system.degraded.includes(part))
  if (lost.length > 0) throw new Error(`${system.name}: recall ran without ${lost.join(', ')}`)
  return memories.map(({ memory, score, parts }) => {
    const document = user.documentOf.get(memory.id)
    if (!document) throw new Error(`recall returned a memory that was never written for ${user.scope.userId}`)
    return { document, score, parts }
  })
}
