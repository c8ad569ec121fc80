/** SciFact and STS-B: general abilities that are unrelated to memories and must not degrade. */
import { allRows } from './rows.js'
import { deepest, evenly, type RetrievalTask, type Source } from './task.js'

interface AbstractRow {
  readonly id: string
  readonly text: string
}

interface ClaimRow extends AbstractRow {
  readonly gold: readonly string[]
}

const smallClaims = 50
const smallAbstracts = 120
const smallPairs = 400
const undatedMs = Date.UTC(2024, 0, 1)

export const scifact: RetrievalTask = {
  name: 'scifact',
  title: 'SciFact abstract',
  unit: 'key',
  recallLimit: deepest,
  smallSplit: `the first ${smallClaims} claims against ${smallAbstracts} abstracts: theirs, filled up evenly`,
  async *load({ directory, full }: Source) {
    const abstracts = await allRows<AbstractRow>(directory, 'scifact/corpus', ['id', 'text'])
    const claims = await allRows<ClaimRow>(directory, 'scifact/queries', ['id', 'text', 'gold'])
    const asked = full ? claims : claims.slice(0, smallClaims)
    const kept = full ? abstracts : evenSubset(abstracts, new Set(asked.flatMap(({ gold }) => gold)))
    const keys = new Set(kept.map(({ id }) => id))
    yield {
      id: `scifact/${full ? 'full' : 'small'}`,
      documents: kept.map(({ id, text }, position) => ({
        key: id,
        session: id,
        content: text,
        before: null,
        createdAt: undatedMs + position * 1000,
      })),
      questions: asked
        .map(({ id, text, gold }) => ({ id, text, category: 'all', gold: gold.filter((key) => keys.has(key)) }))
        .filter(({ gold }) => gold.length > 0)
        .map((question) => ({ ...question, answerable: true })),
    }
  },
}

/** All that are needed, and every n-th of the others. */
function evenSubset(abstracts: readonly AbstractRow[], needed: ReadonlySet<string>): AbstractRow[] {
  const others = abstracts.filter(({ id }) => !needed.has(id))
  const room = Math.max(0, smallAbstracts - (abstracts.length - others.length))
  const fill = new Set(evenly(others, room))
  return abstracts.filter((abstract) => needed.has(abstract.id) || fill.has(abstract))
}

export interface SentencePair {
  readonly a: string
  readonly b: string
  /** 0 to 5, rated by people. */
  readonly score: number
}

/** From the test split. */
export async function sentencePairs({ directory, full }: Source): Promise<SentencePair[]> {
  const pairs = await allRows<SentencePair>(directory, 'stsb/test', ['a', 'b', 'score'])
  return full ? pairs : evenly(pairs, smallPairs)
}
