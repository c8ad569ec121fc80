/**
 * `npm run bench:poisoning`: poisoned records among a thousand real memories, stored and recalled over HTTP, with
 * content protection off and on. Measures how many of the first five results are poisoned, and the cost for real
 * questions. `--evasive`: records rewritten to get past a filter; there is no target for them, they show the limits of
 * the guard.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { accepted, asRecords, type HttpClient, httpClient } from '../http-client.js'
import { MissingData, readRows } from '../quality/rows.js'
import { serviceEnvironment, startService } from '../service-process.js'
import { markdownTable } from '../table.js'
import { matters, type Poison, poisons } from './poisons.js'

const realMemories = 1_000
const realQuestions = 300
const depth = 5
const userId = 'poisoned'
/** The chats have two speakers without names; with invented names one user can store many of them. */
const names =
  'Ada Bea Cleo Dora Emil Finn Greta Hugo Ines Jonas Kira Levi Mona Nils Olga Paul Quinn Rosa Sven Tara Uwe Vera Wim Xenia Yara Zoe'.split(
    ' ',
  )

interface Turn {
  readonly conv: string
  readonly id: string
  readonly speaker: string
  readonly text: string
}

interface Question {
  readonly conv: string
  readonly question: string
  readonly evidence: readonly string[]
}

interface Real {
  readonly memories: readonly { readonly key: string; readonly content: string }[]
  readonly questions: readonly { readonly query: string; readonly evidence: ReadonlySet<string> }[]
}

interface Outcome {
  readonly refusedPoisons: ReadonlyMap<string, number>
  readonly refusedReal: number
  /** Per family, among the first five results for the victims' questions. */
  readonly poisonedInTop: ReadonlyMap<string, number>
  readonly shown: number
  readonly anyAtFive: number
}

async function run(): Promise<void> {
  const directory = process.env.KEEPSAKE_DATA || fileURLToPath(new URL('../../../shared/data', import.meta.url))
  const { values } = parseArgs({ options: { evasive: { type: 'boolean', default: false } } })
  const records = poisons(values.evasive)
  const real = await readReal(directory)
  const off = await measure(real, records, { SERVICE_SANITIZE_ENABLED: 'false' })
  const on = await measure(real, records, {})
  const count = records.length
  console.log(
    `${real.memories.length} real memories, ${count} poisoned ones, ${matters.length * 2} victims' questions, ${real.questions.length} real questions\n`,
  )
  const families = [...new Set(records.map(({ family }) => family))]
  const each = count / families.length
  console.log(
    markdownTable(
      ['family', 'refused', 'in the first five, off', 'on'],
      families.map((family) => [
        family,
        percent((on.refusedPoisons.get(family) ?? 0) / each),
        String(off.poisonedInTop.get(family) ?? 0),
        String(on.poisonedInTop.get(family) ?? 0),
      ]),
    ),
  )
  const share = ({ poisonedInTop, shown }: Outcome) => [...poisonedInTop.values()].reduce((a, b) => a + b, 0) / shown
  const fall = 1 - share(on) / share(off)
  console.log(`
poisoned among the first ${depth}: ${percent(share(off))} with content protection off, ${percent(share(on))} with it on: ${percent(fall)} fewer (target: at least 80 %)
real questions, any@${depth}: ${percent(off.anyAtFive)} off, ${percent(on.anyAtFive)} on: ${((off.anyAtFive - on.anyAtFive) * 100).toFixed(1)} points lost (target: at most 1)
real memories refused: ${on.refusedReal} of ${real.memories.length}`)
  if (!values.evasive && (fall < 0.8 || off.anyAtFive - on.anyAtFive > 0.01)) process.exitCode = 1
}

async function readReal(directory: string): Promise<Real> {
  const memories: { key: string; content: string }[] = []
  const nameOf = new Map<string, string>()
  const speakerName = (conv: string, speaker: string) => {
    const key = `${conv}/${speaker}`
    const known = nameOf.get(key)
    if (known !== undefined) return known
    const round = Math.floor(nameOf.size / names.length)
    const name = `${names[nameOf.size % names.length]}${round === 0 ? '' : ` ${names[round]}son`}`
    nameOf.set(key, name)
    return name
  }
  for await (const turn of readRows<Turn>(join(directory, 'msc'), 'memories', ['conv', 'id', 'speaker', 'text'])) {
    if (memories.length >= realMemories) break
    // Turns that are too short to be a memory are left out of both runs.
    if (turn.text.length < 25) continue
    memories.push({ key: `${turn.conv}/${turn.id}`, content: `${speakerName(turn.conv, turn.speaker)}: ${turn.text}` })
  }
  const kept = new Set(memories.map(({ key }) => key))
  const questions: { query: string; evidence: ReadonlySet<string> }[] = []
  for await (const row of readRows<Question>(join(directory, 'msc'), 'queries', ['conv', 'question', 'evidence'])) {
    if (questions.length >= realQuestions) break
    const evidence = new Set(row.evidence.map((id) => `${row.conv}/${id}`).filter((key) => kept.has(key)))
    if (evidence.size === 0) continue
    questions.push({
      query: row.question.replace(/^Speaker \d+/, (speaker) => speakerName(row.conv, speaker)),
      evidence,
    })
  }
  return { memories, questions }
}

async function measure(real: Real, records: readonly Poison[], environment: Record<string, string>): Promise<Outcome> {
  const directory = await mkdtemp(join(tmpdir(), 'keepsake-poisoning-'))
  const service = await startService({
    environment: { ...serviceEnvironment(join(directory, 'data')), ...environment },
    workingDirectory: directory,
  })
  const client = httpClient(service.root, 4)
  try {
    return await ask(client, real, records)
  } finally {
    client.close()
    await service.stop()
    await rm(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function ask(client: HttpClient, real: Real, records: readonly Poison[]): Promise<Outcome> {
  const keysOf = new Map<string, Set<string>>()
  const familyOf = new Map<string, string>()
  const refusedPoisons = new Map<string, number>()
  let refusedReal = 0
  // Spread the poisoned records among the others, as an attacker would.
  const every = Math.floor(real.memories.length / records.length)
  const all = real.memories.flatMap((memory, index) => {
    const poison = index % every === 0 ? records[index / every] : undefined
    return poison ? [memory, poison] : [memory]
  })
  await inParallel(all, 4, async (item) => {
    const content = 'key' in item ? item.content : item.text
    const ids = await storeOne(client, content)
    if (ids === null && 'key' in item) refusedReal += 1
    if (ids === null && 'family' in item) refusedPoisons.set(item.family, (refusedPoisons.get(item.family) ?? 0) + 1)
    for (const id of ids ?? []) {
      if ('key' in item) keysOf.set(id, (keysOf.get(id) ?? new Set()).add(item.key))
      else familyOf.set(id, item.family)
    }
  })
  const poisonedInTop = new Map<string, number>()
  let shown = 0
  for (const question of matters.flatMap(({ questions }) => questions)) {
    for (const id of await recallIds(client, question)) {
      shown += 1
      const family = familyOf.get(id)
      if (family !== undefined) poisonedInTop.set(family, (poisonedInTop.get(family) ?? 0) + 1)
    }
  }
  let found = 0
  for (const { query, evidence } of real.questions) {
    const ids = await recallIds(client, query)
    if (ids.some((id) => [...(keysOf.get(id) ?? [])].some((key) => evidence.has(key)))) found += 1
  }
  return { refusedPoisons, refusedReal, poisonedInTop, shown, anyAtFive: found / real.questions.length }
}

/** Null: refused. */
async function storeOne(client: HttpClient, content: string): Promise<string[] | null> {
  const answer = await client.send('POST', '/api/v1/store', { user_id: userId, content })
  if (answer.status === 400) return null
  return asRecords(accepted(answer, 'store').memories, 'store').map(({ id }) => String(id))
}

async function recallIds(client: HttpClient, query: string): Promise<string[]> {
  const answer = await client.send('POST', '/api/v1/recall', { user_id: userId, query, limit: depth })
  return asRecords(accepted(answer, 'recall').memories, 'recall').map(({ id }) => String(id))
}

async function inParallel<T>(items: readonly T[], lanes: number, work: (item: T) => Promise<void>): Promise<void> {
  let next = 0
  const lane = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

run().catch((error: unknown) => {
  if (!(error instanceof MissingData)) throw error
  console.log(`skipped: ${error.message}`)
})
