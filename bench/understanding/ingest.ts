/**
 * Conversations through the real `store`, as an application sends them, and recall over the result: with all steps of
 * the store, and with one step disabled at a time. A memory answers a question if it was made from a turn that does.
 */
import { join } from 'node:path'
import { allSteps, type Steps } from '../../packages/server/src/ingest/divide.js'
import { openLocalEmbedder } from '../../packages/server/src/models/embedder/local-embedder.js'
import { locomo, realtalk } from '../quality/dialogues.js'
import { type Outcome, summarize } from '../quality/metrics.js'
import { type RetrievalTask, turnsPerRequest } from '../quality/task.js'
import { cachedEmbedder } from '../quality/vector-cache.js'
import type { Part, PartOptions } from './part.js'
import { askAll, storeAll, withService } from './stored-corpus.js'

const nothing: Steps = { people: false, dates: false, smallTalk: false, answers: false, turnLength: 1_000 }
const variants: readonly { readonly name: string; readonly steps: Steps }[] = [
  { name: 'a memory a turn, nothing resolved', steps: nothing },
  { name: 'all steps', steps: allSteps },
  { name: 'all, no pronouns', steps: { ...allSteps, people: false } },
  { name: 'all, no dates', steps: { ...allSteps, dates: false } },
  { name: 'all, small talk kept', steps: { ...allSteps, smallTalk: false } },
  { name: 'all, but answers without their question', steps: { ...allSteps, answers: false } },
  { name: 'all, but only turns up to 150 characters kept whole', steps: { ...allSteps, turnLength: 150 } },
  { name: 'all, but one memory per sentence', steps: { ...allSteps, turnLength: 0 } },
  { name: 'a memory a sentence, nothing resolved', steps: { ...nothing, turnLength: 0 } },
]

export const ingest: Part = {
  name: 'ingest',
  about: 'conversations through the real store: turns per second, and recall with and without each step',
  async measure(options) {
    await speed(options)
    for (const task of [locomo, realtalk]) await recallOf(task, options)
  },
}

/* ------------------------------------------------------------------ speed */

/** One conversation, without a cache. */
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
          `${(turns / seconds).toFixed(1)} turns per second, ${((user + system) / 1000 / turns).toFixed(1)} ms of CPU per turn\n`,
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
