/** Conversations through the real `store`, and questions about the resulting memories. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Actor } from '../../packages/server/src/core/actor.js'
import { type UserScope, userScope } from '../../packages/server/src/core/scope.js'
import { divide, type Steps } from '../../packages/server/src/ingest/divide.js'
import type { Message } from '../../packages/server/src/ingest/turns.js'
import type { Deps } from '../../packages/server/src/service/deps.js'
import { recall } from '../../packages/server/src/service/recall/recall.js'
import { store } from '../../packages/server/src/service/store/store.js'
import { turnBreak } from '../../packages/server/src/storage/ports/memory-writes.js'
import type { Outcome } from '../quality/metrics.js'
import { openService } from '../quality/service.js'
import { type Corpus, type Document, requestsOf, saidIn } from '../quality/task.js'

const actor: Actor = { role: 'anonymous', keyId: null, ip: '', requestId: 'bench-understanding' }
const deepest = 20
const dayMs = 86_400_000

export interface StoredCorpus {
  readonly scope: UserScope
  readonly memories: number
  readonly contents: ReadonlyMap<string, string>
  /** Keys of the turns that a memory was made from. */
  readonly turnsOf: ReadonlyMap<string, ReadonlySet<string>>
}

export async function storeAll(deps: Deps, corpus: Corpus, userId: string): Promise<StoredCorpus> {
  const scope = userScope(userId)
  const turnsOf = new Map<string, Set<string>>()
  const contents = new Map<string, string>()
  for (const documents of requestsOf(corpus.documents)) {
    const messages = documents.map(messageOf)
    // `keysByContent` divides each request alone, so none may continue the one before it.
    const conversationId = documents[0]?.key
    const input = {
      text: { messages },
      metadata: {},
      ttl: undefined,
      createdAt: undefined,
      source: 'bench',
      conversationId,
    }
    const { memories } = await store(deps, actor, scope, input)
    const keys = keysByContent(messages, documents, deps.settings.steps)
    for (const { id, content } of memories) {
      const known = turnsOf.get(id) ?? new Set()
      for (const key of keys.get(content) ?? []) known.add(key)
      turnsOf.set(id, known)
      contents.set(id, content)
    }
  }
  return { scope, memories: turnsOf.size, contents, turnsOf }
}

function messageOf(document: Document): Message {
  const { speakerName, createdAt } = document
  const message: Message = { role: 'user', content: saidIn(document), createdAt }
  return speakerName === undefined ? message : { ...message, name: speakerName }
}

/** The store does not return segments: dividing the text again yields them. */
function keysByContent(
  messages: readonly Message[],
  documents: readonly Document[],
  steps: Steps | undefined,
): Map<string, Set<string>> {
  const { segments, memories } = divide({ messages }, 0, steps)
  const turnOf: number[] = []
  let [turn, at] = [0, 0]
  for (const segment of segments) {
    const isBreak = segment === turnBreak && at >= (messages[turn]?.content.length ?? 0)
    turnOf.push(turn)
    if (isBreak) [turn, at] = [turn + 1, 0]
    else at += segment.length
  }
  const keys = new Map<string, Set<string>>()
  for (const {
    content,
    segments: [first, last],
  } of memories.flatMap((memory) => [memory, ...memory.parts])) {
    const known = keys.get(content) ?? new Set()
    for (let place = first; place <= last; place++) {
      const key = segments[place] === turnBreak ? undefined : documents[turnOf[place] ?? 0]?.key
      if (key !== undefined) known.add(key)
    }
    keys.set(content, known)
  }
  return keys
}

export async function askAll(deps: Deps, corpus: Corpus, { scope, turnsOf }: StoredCorpus): Promise<Outcome[]> {
  await deps.embedder.embed(corpus.questions.map(({ text }) => text))
  const afterAll = corpus.documents.reduce((latest, { createdAt }) => Math.max(latest, createdAt), 0) + dayMs
  const outcomes: Outcome[] = []
  for (const question of corpus.questions) {
    const clock = { now: () => question.askedAt ?? afterAll }
    const { memories } = await recall({ ...deps, clock }, actor, scope, {
      text: question.text,
      limit: deepest,
      threshold: 0,
      maxTokens: 1,
      mostInContext: 0,
      hybrid: true,
      rerank: false,
      includeHistory: false,
      includeFlagged: false,
    })
    const found = memories.map(({ memory }) => turnsOf.get(memory.id) ?? new Set<string>())
    const ranks = question.gold.map((key) => found.findIndex((turns) => turns.has(key)) + 1).filter((rank) => rank > 0)
    outcomes.push({
      id: question.id,
      category: question.category,
      answerable: question.answerable,
      goldCount: question.gold.length,
      ranks: ranks.sort((a, b) => a - b),
      topScore: memories[0]?.score ?? 0,
    })
  }
  return outcomes
}

export async function withService(
  repository: string,
  embedder: Parameters<typeof openService>[1],
  work: (deps: Deps) => Promise<void>,
): Promise<void> {
  await mkdir(join(repository, '.cache'), { recursive: true })
  const directory = await mkdtemp(join(repository, '.cache/understanding-run-'))
  const service = await openService(directory, embedder)
  try {
    await work(service.deps)
  } finally {
    await service.close()
    await rm(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}
