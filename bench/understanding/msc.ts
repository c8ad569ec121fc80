/**
 * MSC: utterances and the facts that people derived from them. A fact is found if, used as a query, it ranks a memory
 * made from its utterance above the memories of all others in the chat; its words are covered if the memory contains
 * them.
 */
import { join } from 'node:path'
import { openLocalEmbedder } from '../../packages/server/src/models/embedder/local-embedder.js'
import { isStopWord, tokenize } from '../../packages/server/src/retrieval/index/tokenize.js'
import { type Outcome, summarize } from '../quality/metrics.js'
import { allRows } from '../quality/rows.js'
import type { Corpus, Document } from '../quality/task.js'
import { cachedEmbedder } from '../quality/vector-cache.js'
import type { Part } from './part.js'
import { askAll, type StoredCorpus, storeAll, withService } from './stored-corpus.js'

interface Utterance {
  readonly conv: string
  readonly id: string
  readonly speaker: string
  readonly text: string
  readonly facts: readonly string[]
}

/** A chat has about fifty turns. */
const chats = { small: 20, full: 200 }
const saidAt = Date.UTC(2021, 0, 1)

export const msc: Part = {
  name: 'msc',
  about: 'facts that people derived from utterances: found and covered by the stored memories',
  async measure({ directory, full, repository }) {
    const rows = await allRows<Utterance>(directory, 'msc/extraction', ['conv', 'id', 'speaker', 'text', 'facts'])
    const names = [...new Set(rows.map(({ conv }) => conv))]
    const every = Math.floor(names.length / (full ? chats.full : chats.small)) || 1
    const chosen = names.filter((_, index) => index % every === 0).slice(0, full ? chats.full : chats.small)
    const embedder = await cachedEmbedder(
      await openLocalEmbedder(),
      join(repository, '.cache/quality'),
      () => undefined,
    )
    await withService(repository, embedder, async (deps) => {
      const outcomes: Outcome[] = []
      const covered: number[] = []
      let memories = 0
      for (const name of chosen) {
        const corpus = corpusOf(rows.filter(({ conv }) => conv === name))
        const stored = await storeAll(deps, corpus, corpus.id)
        memories += stored.memories
        outcomes.push(...(await askAll(deps, corpus, stored)))
        covered.push(...corpus.questions.map(({ text, gold }) => coverage(text, gold, stored)))
      }
      const found = summarize(outcomes)?.metrics
      const mean = covered.reduce((sum, share) => sum + share, 0) / covered.length
      const percent = (share: number | undefined) => (100 * (share ?? 0)).toFixed(1)
      console.log(
        `${chosen.length} chats, ${memories} memories, ${outcomes.length} facts: found first ${percent(found?.['any@1'])} %, ` +
          `among the first five ${percent(found?.['any@5'])} %; words covered ${percent(mean)} %`,
      )
    })
  },
}

function corpusOf(rows: readonly Utterance[]): Corpus {
  const documents = rows.map(
    ({ id, speaker, text }, index): Document => ({
      key: id,
      session: id.split(':')[0] ?? '',
      content: `${speaker}: ${text}`,
      speakerName: speaker,
      before: null,
      createdAt: saidAt + index * 1000,
    }),
  )
  const questions = rows.flatMap(({ id, speaker, facts }) =>
    facts.map((fact, index) => ({
      id: `${id} ${index}`,
      text: `${speaker}: ${fact}`,
      category: 'fact',
      gold: [id],
      answerable: true,
    })),
  )
  return { id: `msc/${rows[0]?.conv}`, documents, questions }
}

/** Share of the fact's content words that a memory of its utterance contains. */
function coverage(fact: string, gold: readonly string[], { contents, turnsOf }: StoredCorpus): number {
  const words = wordsOf(fact.replace(/^[^:]*: /u, ''))
  if (words.size === 0) return 1
  const shares = [...turnsOf].flatMap(([id, turns]) => {
    if (!gold.some((key) => turns.has(key))) return []
    const known = wordsOf(contents.get(id) ?? '')
    return [[...words].filter((word) => known.has(word)).length / words.size]
  })
  return Math.max(0, ...shares)
}

function wordsOf(text: string): Set<string> {
  return new Set(tokenize(text).filter((word) => !isStopWord(word)))
}
