/**
 * How many of the ten nearest memories recall finds: compares its semantic search with an exhaustive search over exact
 * vectors.
 */
import { openLocalEmbedder } from '../../packages/server/src/models/embedder/local-embedder.js'
import { accepted, asRecord, asRecords, httpClient } from '../http-client.js'
import type { ServiceProcess } from '../service-process.js'
import { type Scenario, sentenceNumber, userId } from './scenario.js'
import { sentence } from './sentences.js'
import { type Centres, syntheticVector } from './vectors.js'

const depth = 10
/** Two processes embed a question with differences in the last bits. */
const rounding = 1e-5

interface Question {
  readonly text: string
  readonly user: number
  readonly vector: Float32Array
}

/** `start` returns a service over the seeded memories that ranks by cosine only, without decay. */
export async function measureExactness(
  scenario: Scenario,
  centres: Centres,
  questionCount: number,
  start: () => Promise<ServiceProcess>,
): Promise<number> {
  const questions = await embedQuestions(scenario, questionCount)
  const tenthBest = exactTenths(scenario, centres, questions)
  const service = await start()
  const client = httpClient(service.root)
  try {
    let found = 0
    for (const [index, { text, user }] of questions.entries()) {
      const body = { query: text, user_id: userId(scenario, user), limit: depth, enable_hybrid: false, explain: true }
      const { memories } = accepted(await client.send('POST', '/api/v1/recall', body), 'recall')
      const cosines = asRecords(memories, 'recall').map(cosineOf)
      // By similarity, not by id: several memories may say the same.
      found += cosines.filter((cosine) => cosine >= (tenthBest[index] ?? 0) - rounding).length
    }
    return found / (questions.length * Math.min(depth, scenario.memoriesPerUser))
  } finally {
    client.close()
    await service.stop()
  }
}

function cosineOf(memory: Record<string, unknown>): number {
  const { semantic } = asRecord(memory.explain, 'explain')
  return Number(asRecord(semantic, 'explain.semantic').score)
}

async function embedQuestions(scenario: Scenario, count: number): Promise<Question[]> {
  const embedder = await openLocalEmbedder()
  try {
    const asked = Array.from({ length: count }, (_, index) => {
      const user = index % scenario.users
      const memory = (index * 7919) % scenario.memoriesPerUser
      return { user, text: sentence(sentenceNumber(scenario, user, memory)).question }
    })
    const vectors = await Promise.all(asked.map(async ({ text }) => (await embedder.embed([text]))[0]))
    return asked.map((question, index) => ({ ...question, vector: vectors[index] ?? new Float32Array() }))
  } finally {
    await embedder.close()
  }
}

/** The cosine of the tenth nearest memory for each question. */
function exactTenths(scenario: Scenario, centres: Centres, questions: readonly Question[]): number[] {
  const best = questions.map((): number[] => [])
  for (const user of new Set(questions.map((question) => question.user))) {
    for (let memory = 0; memory < scenario.memoriesPerUser; memory++) {
      const number = sentenceNumber(scenario, user, memory)
      const vector = syntheticVector(centres, sentence(number).template, number)
      for (const [index, question] of questions.entries()) {
        if (question.user === user) keepBest(best[index] ?? [], dot(question.vector, vector))
      }
    }
  }
  return best.map((cosines) => cosines.at(-1) ?? 0)
}

/** Keeps the best ten, best first. */
function keepBest(best: number[], cosine: number): void {
  if (best.length === depth && cosine <= (best[depth - 1] ?? 0)) return
  const place = best.findIndex((other) => other < cosine)
  best.splice(place < 0 ? best.length : place, 0, cosine)
  if (best.length > depth) best.pop()
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let index = 0; index < a.length; index++) sum += (a[index] ?? 0) * (b[index] ?? 0)
  return sum
}
