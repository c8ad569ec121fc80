/**
 * The score of each signal for the best candidates of every question, as a training file for `learn.ts`: a first line
 * `{"modelId", "signals"}`, then one line per question; a candidate is `[1 if it answers else 0, …one score per signal,
 * the reranker's score]`.
 */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type Asked, ask, type Found, mostMemories } from './ask.js'
import type { Observer } from './measure.js'
import { readLines } from './rows.js'
import type { Question } from './task.js'

export interface Features {
  readonly modelId: string
  readonly signals: readonly string[]
  readonly questions: readonly AskedQuestion[]
}

export interface AskedQuestion {
  readonly task: string
  /** The conversation (haystack, collection) that the question is about. */
  readonly corpus: string
  readonly id: string
  readonly answerable: boolean
  readonly goldCount: number
  /** The question names the speaker of some candidates. */
  readonly namesSpeaker: boolean
  readonly candidates: readonly (readonly (number | null)[])[]
}

export interface FeatureWriter extends Observer {
  /** The file's content, gzipped. */
  packed(modelId: string): Promise<Uint8Array>
}

/** Signals that do not belong to the first stage. */
const laterStages = ['rerank', 'decay', 'trust']
/** More than recall reranks, because other weights bring other candidates to the top. */
const rerankedCandidates = 50

export function featureWriter(): FeatureWriter {
  const lines: string[] = []
  let signals: string[] = []
  return {
    async corpusAsked(task, corpus, fused) {
      for (const question of corpus.questions) {
        const found = await ask(fused, question, mostMemories)
        const reranked = await rerankScores(fused, question, found)
        const [first] = found
        if (first && signals.length === 0) signals = namesOf(first)
        const gold = new Set(question.gold)
        const asked: AskedQuestion = {
          task: task.name,
          corpus: corpus.id,
          id: question.id,
          answerable: question.answerable,
          goldCount: gold.size,
          namesSpeaker: await namesSpeaker(fused, question),
          candidates: found.map((hit, index) => [
            gold.has(hit.document[task.unit]) ? 1 : 0,
            ...scoresOf(hit, signals),
            rounded(reranked[index]),
          ]),
        }
        lines.push(JSON.stringify(asked))
      }
    },
    packed: (modelId) => promisify(gzip)([JSON.stringify({ modelId, signals }), ...lines, ''].join('\n')),
  }
}

export async function readFeatures(file: string): Promise<Features> {
  const questions: AskedQuestion[] = []
  let head: Pick<Features, 'modelId' | 'signals'> | undefined
  for await (const line of readLines(file)) {
    // Written by this same version.
    if (head) questions.push(JSON.parse(line) as AskedQuestion)
    else head = JSON.parse(line) as Pick<Features, 'modelId' | 'signals'>
  }
  if (!head) throw new Error(`${file} is empty`)
  return { ...head, questions }
}

async function rerankScores({ deps }: Asked, { text }: Question, found: readonly Found[]): Promise<number[]> {
  const contents = found.slice(0, rerankedCandidates).map(({ document }) => document.content)
  return contents.length === 0 ? [] : deps.reranker.score(text, contents)
}

/** Whether the question names a speaker: recall reveals it by scores that change with the lead. */
async function namesSpeaker(asked: Asked, question: Question): Promise<boolean> {
  const [near, far] = [
    await ask(withLead(asked, 0), question, mostMemories),
    await ask(withLead(asked, 0.2), question, mostMemories),
  ]
  return near.at(-1)?.score !== far.at(-1)?.score
}

function withLead(asked: Asked, usualLead: number): Asked {
  const { settings } = asked.deps
  const { fusion } = settings
  const moved = { ...fusion, usualLead, weights: { ...fusion.weights, lead: 0.5 } }
  return { ...asked, deps: { ...asked.deps, settings: { ...settings, fusion: moved } } }
}

function namesOf({ parts }: Found): string[] {
  return Object.keys(parts).filter((name) => !laterStages.includes(name))
}

function scoresOf({ parts }: Found, signals: readonly string[]): (number | null)[] {
  const byName = new Map(Object.entries(parts))
  return signals.map((name) => rounded(byName.get(name)?.score))
}

function rounded(score: number | undefined): number | null {
  return score === undefined ? null : Number(score.toFixed(5))
}
