/**
 * Conversations through the real `store`, as an application sends them, and recall over what it made of them: with all that the
 * store does to a text, and with one step less. A memory answers a question if it was made from a turn that does.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Actor } from '../../packages/server/src/core/actor.js'
import { type UserScope, userScope } from '../../packages/server/src/core/scope.js'
import { allSteps, divide, type Message, type Steps } from '../../packages/server/src/ingest/divide.js'
import { openLocalEmbedder } from '../../packages/server/src/models/local-embedder.js'
import type { Deps } from '../../packages/server/src/service/deps.js'
import { recall } from '../../packages/server/src/service/recall.js'
import { store } from '../../packages/server/src/service/store.js'
import { turnBreak } from '../../packages/server/src/storage/storage.js'
import { locomo, realtalk } from '../quality/dialogues.js'
import { type Outcome, summarize } from '../quality/metrics.js'
import { openService } from '../quality/service.js'
import type { Corpus, Document, RetrievalTask } from '../quality/task.js'
import { cachedEmbedder } from '../quality/vector-cache.js'
import type { Part, PartOptions } from './part.js'

const actor: Actor = { role: 'anonymous', keyId: null, ip: '', requestId: 'bench-understanding' }
const turnsPerRequest = 20
const deepest = 20
const dayMs = 86_400_000

const nothing: Steps = { people: false, dates: false, smallTalk: false, answers: false, turnLength: 1_000 }
const variants: readonly { readonly name: string; readonly steps: Steps }[] = [
  { name: 'a memory a turn, nothing resolved', steps: nothing },
  { name: 'all steps', steps: allSteps },
  { name: 'all, no pronouns', steps: { ...allSteps, people: false } },
  { name: 'all, no dates', steps: { ...allSteps, dates: false } },
  { name: 'all, small talk kept', steps: { ...allSteps, smallTalk: false } },
  { name: 'all, answers without their question', steps: { ...allSteps, answers: false } },
  { name: 'all, turns up to 150 characters whole', steps: { ...allSteps, turnLength: 150 } },
  { name: 'all, a memory a sentence', steps: { ...allSteps, turnLength: 0 } },
  { name: 'a memory a sentence, nothing resolved', steps: { ...nothing, turnLength: 0 } },
]

export const ingest: Part = {
  name: 'ingest',
  about: 'conversations through the real store: turns a second, and recall with and without each step',
  async measure(options) {
    await speed(options)
    for (const task of [locomo, realtalk]) await recallOf(task, options)
  },
}

/* ------------------------------------------------------------------ speed */

/** One conversation, nothing from a cache. */
async function speed({ directory, repository }: PartOptions): Promise<void> {
  for await (const corpus of locomo.load({ directory, full: false })) {
    await withService(repository, await openLocalEmbedder(), async (deps) => {
      const start = { wall: performance.now(), cpu: process.cpuUsage() }
      const { memories } = await storeAll(deps, corpus, 'speed')
      const seconds = (performance.now() - start.wall) / 1000
      const { user, system } = process.cpuUsage(start.cpu)
      const turns = corpus.documents.length
      console.log(
        `${turns} turns in requests of ${turnsPerRequest} make ${memories} memories in ${seconds.toFixed(1)} s: ` +
          `${(turns / seconds).toFixed(1)} turns a second, ${((user + system) / 1000 / turns).toFixed(1)} ms of CPU a turn\n`,
      )
    })
  }
}

/* ------------------------------------------------------------------ recall */

async function recallOf(task: RetrievalTask, { directory, full, repository }: PartOptions): Promise<void> {
  console.log(
    `| ${task.title} | memories | any@1 | any@5 | any@10 | any@20 | all@10 | MRR |\n|---|---|---|---|---|---|---|---|`,
  )
  const embedder = await cachedEmbedder(await openLocalEmbedder(), join(repository, '.cache/quality'), () => undefined)
  await withService(repository, embedder, async (deps) => {
    for (const { name, steps } of variants) {
      const outcomes: Outcome[] = []
      let memories = 0
      for await (const corpus of task.load({ directory, full })) {
        const stored = await storeAll(
          { ...deps, settings: { ...deps.settings, steps } },
          corpus,
          `${corpus.id} ${name}`,
        )
        memories += stored.memories
        outcomes.push(...(await askAll(deps, corpus, stored)))
      }
      const metrics = summarize(outcomes)?.metrics
      const columns = (['any@1', 'any@5', 'any@10', 'any@20', 'all@10', 'MRR'] as const).map((column) =>
        (100 * (metrics?.[column] ?? 0)).toFixed(1),
      )
      console.log(`| ${name} | ${memories} | ${columns.join(' | ')} |`)
    }
  })
  console.log()
}

interface StoredCorpus {
  readonly scope: UserScope
  readonly memories: number
  /** Keys of the turns that a memory was made from. */
  readonly turnsOf: ReadonlyMap<string, ReadonlySet<string>>
}

async function storeAll(deps: Deps, corpus: Corpus, userId: string): Promise<StoredCorpus> {
  const scope = userScope(userId)
  const turnsOf = new Map<string, Set<string>>()
  for (const documents of requestsOf(corpus.documents)) {
    const messages = documents.map(messageOf)
    const input = { text: { messages }, metadata: {}, ttl: undefined, createdAt: undefined, source: 'bench' }
    const { memories } = await store(deps, actor, scope, input)
    const keys = keysByContent(messages, documents, deps.settings.steps)
    for (const { id, content } of memories) {
      const known = turnsOf.get(id) ?? new Set()
      for (const key of keys.get(content) ?? []) known.add(key)
      turnsOf.set(id, known)
    }
  }
  return { scope, memories: turnsOf.size, turnsOf }
}

/** Turns of one session, as many as an application would send at once. */
function* requestsOf(documents: readonly Document[]): Generator<readonly Document[]> {
  for (let first = 0; first < documents.length; ) {
    let end = first
    while (
      end < documents.length &&
      end - first < turnsPerRequest &&
      documents[end]?.session === documents[first]?.session
    )
      end += 1
    yield documents.slice(first, end)
    first = end
  }
}

function messageOf({ content, speakerName, createdAt }: Document): Message {
  if (speakerName === undefined) return { role: 'user', content, createdAt }
  return { role: 'user', name: speakerName, content: content.slice(speakerName.length + 2), createdAt }
}

/** The store tells no segments: the same division does. */
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

async function askAll(deps: Deps, corpus: Corpus, { scope, turnsOf }: StoredCorpus): Promise<Outcome[]> {
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

async function withService(
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
