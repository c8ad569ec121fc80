/**
 * What each signal said of the best candidates of every question, as a file to learn from (`learn.ts`): a first line
 * `{"modelId", "signals"}`, then a line a question; a candidate is `[1 if it answers else 0, …a score a signal]`.
 */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { ask, type Found, mostMemories } from './ask.js'
import type { Observer } from './measure.js'
import { readLines } from './rows.js'

export interface Features {
  readonly modelId: string
  readonly signals: readonly string[]
  readonly questions: readonly AskedQuestion[]
}

export interface AskedQuestion {
  readonly task: string
  /** The conversation (haystack, collection) it was asked of. */
  readonly corpus: string
  readonly id: string
  readonly answerable: boolean
  readonly goldCount: number
  readonly candidates: readonly (readonly (number | null)[])[]
}

export interface FeatureWriter extends Observer {
  /** The file's content, gzipped. */
  packed(modelId: string): Promise<Uint8Array>
}

/** Not signals of the first stage. */
const laterStages = ['rerank', 'decay']

export function featureWriter(): FeatureWriter {
  const lines: string[] = []
  let signals: string[] = []
  return {
    async corpusAsked(task, corpus, fused) {
      for (const { id, text, answerable, gold, askedAt } of corpus.questions) {
        const found = await ask(fused, { text, ...(askedAt === undefined ? {} : { askedAt }) }, mostMemories)
        const [first] = found
        if (first && signals.length === 0) signals = namesOf(first)
        const answers = new Set(gold)
        const question: AskedQuestion = {
          task: task.name,
          corpus: corpus.id,
          id,
          answerable,
          goldCount: gold.length,
          candidates: found.map((hit) => [answers.has(hit.document[task.unit]) ? 1 : 0, ...scoresOf(hit, signals)]),
        }
        lines.push(JSON.stringify(question))
      }
    },
    packed: (modelId) => promisify(gzip)([JSON.stringify({ modelId, signals }), ...lines, ''].join('\n')),
  }
}

export async function readFeatures(file: string): Promise<Features> {
  const questions: AskedQuestion[] = []
  let head: Pick<Features, 'modelId' | 'signals'> | undefined
  for await (const line of readLines(file)) {
    // The file is our own, of the same version.
    if (head) questions.push(JSON.parse(line) as AskedQuestion)
    else head = JSON.parse(line) as Pick<Features, 'modelId' | 'signals'>
  }
  if (!head) throw new Error(`${file} is empty`)
  return { ...head, questions }
}

function namesOf({ parts }: Found): string[] {
  return Object.keys(parts).filter((name) => !laterStages.includes(name))
}

function scoresOf({ parts }: Found, signals: readonly string[]): (number | null)[] {
  const byName = new Map(Object.entries(parts))
  return signals.map((name) => {
    const signal = byName.get(name)
    return signal ? Number(signal.score.toFixed(5)) : null
  })
}
