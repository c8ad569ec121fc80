/** `npm run bench:quality`: how often recall finds what answers a question, by the service's own code. */
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { basename, isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openLocalEmbedder } from '../../packages/server/src/models/local-embedder.js'
import { beam, locomo, realtalk } from './dialogues.js'
import { scifact } from './general.js'
import { poolTask, sessionTask, turnTask, wholeSessionTask } from './longmemeval.js'
import { measureSimilarity, measureTask, type SimilarityResult, type TaskResult } from './measure.js'
import { categories, json, overview, type Report, similarityLine, sizeLine } from './report.js'
import { exists, MissingData } from './rows.js'
import { type MeasuredService, openService } from './service.js'
import { leaveOneOut, type System, systems } from './systems.js'
import type { RetrievalTask, Source } from './task.js'
import { cachedEmbedder } from './vector-cache.js'

const tasks: readonly RetrievalTask[] = [
  locomo,
  realtalk,
  beam,
  turnTask,
  sessionTask,
  wholeSessionTask,
  poolTask,
  scifact,
]
const similarityName = 'stsb'
const taskNames = [...tasks.map(({ name }) => name), similarityName]
const repository = fileURLToPath(new URL('../../', import.meta.url))
const cacheDirectory = join(repository, '.cache')
const resultsDirectory = join(repository, 'bench/results')

const usage = `npm run bench:quality -- [options]
  --full            whole data sets (an hour or more the first time); else a small split in about five minutes
  --tasks a,b       of ${taskNames.join(', ')}
  --by              also by category of question
  --leave-one-out   also fused recall with one signal less
  --json NAME       also write all figures, and every question's ranks, to bench/results/NAME (or to an absolute path)
  --help
The data is read from the folder that KEEPSAKE_DATA names, else from ../shared/data beside the repository.`

async function run(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      full: { type: 'boolean', default: false },
      tasks: { type: 'string', default: taskNames.join(',') },
      by: { type: 'boolean', default: false },
      'leave-one-out': { type: 'boolean', default: false },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (options.help) return console.log(usage)
  const wanted = new Set(options.tasks.split(','))
  const unknown = [...wanted].filter((name) => !taskNames.includes(name))
  if (unknown.length > 0) throw new Error(`--tasks: no task ${unknown.join(', ')}; there are ${taskNames.join(', ')}`)
  const source: Source = {
    directory: process.env.KEEPSAKE_DATA || join(repository, '../shared/data'),
    full: options.full,
  }
  if (!(await exists(source.directory))) {
    console.log(`The data folder ${source.directory} is not there (KEEPSAKE_DATA names another).`)
    return console.log(`0 tasks measured, ${wanted.size} skipped`)
  }
  const report = await measureAll(wanted, source, options['leave-one-out'] ? [...systems, ...leaveOneOut] : systems)
  print(report, options.by)
  if (options.json !== undefined) await writeJson(options.json, json(report))
}

async function measureAll(wanted: ReadonlySet<string>, source: Source, compared: readonly System[]): Promise<Report> {
  const embedder = await cachedEmbedder(await openLocalEmbedder(), join(cacheDirectory, 'quality'), console.log)
  const service = await openService(await scratchDirectory(), embedder)
  const measured: TaskResult[] = []
  const skipped: string[] = []
  let similarity: SimilarityResult | undefined
  try {
    for (const task of tasks) {
      if (!wanted.has(task.name)) continue
      const result = await unlessMissing(task.name, skipped, () => measureTask(service, task, source, compared))
      if (!result) continue
      measured.push(result)
      console.log(sizeLine(result, source.full))
    }
    if (wanted.has(similarityName))
      similarity = await unlessMissing(similarityName, skipped, () => measureSimilarity(embedder, source))
    console.log(`texts embedded anew: ${embedder.embeddedAnew()}; all others came from .cache/quality`)
  } finally {
    await closeQuietly(service)
  }
  return { modelId: embedder.modelId, full: source.full, tasks: measured, similarity, skipped }
}

async function unlessMissing<T>(name: string, skipped: string[], measure: () => Promise<T>): Promise<T | undefined> {
  try {
    return await measure()
  } catch (error) {
    if (!(error instanceof MissingData)) throw error
    console.log(`${name} skipped: ${error.message}`)
    skipped.push(name)
    return undefined
  }
}

/** What went wrong before matters more than what goes wrong while closing. */
async function closeQuietly(service: MeasuredService): Promise<void> {
  await service.close().catch((error: unknown) => console.error(error))
}

function print(report: Report, byCategory: boolean): void {
  const { tasks: measured, similarity, skipped, modelId } = report
  if (measured.length > 0) console.log(`\n${explanation(modelId)}\n\n${overview(measured)}`)
  if (byCategory) for (const result of measured) console.log(`\n${categories(result)}`)
  if (similarity) console.log(`\n${similarityLine(similarity)}`)
  console.log(`\n${measured.length + (similarity ? 1 : 0)} tasks measured, ${skipped.length} skipped`)
}

function explanation(modelId: string): string {
  return `Real recall on an embedded store, decay off, embedder ${modelId}. One memory a turn (a session, an abstract), written
past the splitter, which would cut turns into sentences; tags by the service's tagger. any@k: some evidence among the
first k; all@k: all of it. AUC: how well the top score tells questions with an answer from those without, 50 is chance.`
}

async function scratchDirectory(): Promise<string> {
  await mkdir(cacheDirectory, { recursive: true })
  const scratch = await mkdtemp(join(cacheDirectory, 'quality-run-'))
  process.once('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }))
  return scratch
}

async function writeJson(name: string, figures: object): Promise<void> {
  const file = isAbsolute(name) ? name : join(resultsDirectory, basename(name))
  await mkdir(resultsDirectory, { recursive: true })
  await writeFile(file, `${JSON.stringify(figures, null, 1)}\n`)
  console.log(`all figures: ${file}`)
}

// An interrupted run ends like any other: its files go with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.stack : error)
  process.exitCode = 1
})
