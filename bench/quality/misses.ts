/** Missed questions for manual reading: the question, the rank of the evidence, and the results above it. */
import { random } from '../random.js'
import { type Asked, ask, type Found, mostMemories } from './ask.js'
import type { Observer } from './measure.js'
import type { Outcome } from './metrics.js'
import type { Corpus, Document, Question, RetrievalTask } from './task.js'

/** A question is missed if none of its evidence is among this many results. */
const missedBelow = 10
const shownFound = 3
const longestShown = 400

interface Miss {
  readonly task: RetrievalTask
  readonly corpus: string
  readonly text: string
}

export interface MissedQuestions extends Observer {
  /** Up to `count` per task, drawn evenly over its questions. */
  markdown(count: number): string
}

export function missedQuestions(): MissedQuestions {
  const misses: Miss[] = []
  return {
    async corpusAsked(task, corpus, fused, outcomes) {
      for (const [index, question] of corpus.questions.entries()) {
        const outcome = outcomes[index]
        if (!outcome || !isMissed(outcome)) continue
        misses.push({ task, corpus: corpus.id, text: await describe(task, corpus, fused, question) })
      }
    },
    markdown(count) {
      const tasks = [...new Set(misses.map(({ task }) => task))]
      return tasks
        .map((task) => {
          const all = misses.filter((miss) => miss.task === task)
          const chosen = sample(all, count)
          const head = `# ${task.title}\n\n${all.length} questions without evidence among the first ${missedBelow}; ${chosen.length} of them follow.`
          return [head, ...chosen.map(({ text }) => text)].join('\n\n')
        })
        .join('\n\n')
    },
  }
}

function isMissed({ answerable, ranks: [first] }: Outcome): boolean {
  return answerable && (first === undefined || first > missedBelow)
}

async function describe(task: RetrievalTask, corpus: Corpus, fused: Asked, question: Question): Promise<string> {
  const found = await ask(fused, question, mostMemories)
  const units = [...new Set(found.map(({ document }) => document[task.unit]))]
  const evidence = question.gold.map((unit) => {
    const place = units.indexOf(unit)
    const rank = place < 0 ? `beyond ${units.length}` : `place ${place + 1}`
    const best = found.find(({ document }) => document[task.unit] === unit)
    const document = best?.document ?? corpus.documents.find((candidate) => candidate[task.unit] === unit)
    const parts = best ? ` (${partsOf(best)})` : ''
    return `- ${rank}${parts}: ${document ? memoryShown(document) : unit}`
  })
  const first = found
    .slice(0, shownFound)
    .map((hit, index) => `${index + 1}. ${hit.score.toFixed(3)} (${partsOf(hit)}): ${memoryShown(hit.document)}`)
  return [
    `## ${corpus.id} ${question.id} (${question.category})`,
    `**${shown(question.text)}**`,
    `Evidence:\n\n${evidence.join('\n')}`,
    `Found first:\n\n${first.join('\n')}`,
  ].join('\n\n')
}

function partsOf({ parts }: Found): string {
  return Object.entries(parts)
    .filter(([name, signal]) => name !== 'decay' && name !== 'trust' && signal !== null)
    .map(([name, signal]) => `${name} ${signal?.score.toFixed(2)}`)
    .join(', ')
}

function memoryShown({ content, createdAt }: Document): string {
  return `${new Date(createdAt).toISOString().slice(0, 10)} ${shown(content)}`
}

/** Shortened to one line, because a memory may be a page of markdown. */
function shown(text: string): string {
  const line = text.replace(/\s+/gu, ' ').trim()
  return line.length <= longestShown ? line : `${line.slice(0, longestShown)} …`
}

/** Deterministic: the same in every run. */
function sample<T>(all: readonly T[], count: number): T[] {
  const next = random(all.length)
  return all
    .map((item, index) => ({ item, index, key: next() }))
    .sort((a, b) => a.key - b.key)
    .slice(0, count)
    .sort((a, b) => a.index - b.index)
    .map(({ item }) => item)
}
