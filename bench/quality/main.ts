/** `npm run bench:quality`: how often recall finds the answer to a question, measured with the service's own code. */

import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { basename, isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openCrossEncoder } from '../../packages/server/src/models/reranker/cross-encoder.js'
import { openSpanReader } from '../../packages/server/src/models/tagger/span-reader.js'
import { type Contender, contenders } from './contenders.js'
import { beam, locomo, realtalk } from './dialogues.js'
import { type DoorResult, doorJson, doorTable, openDoorService, throughDoor } from './doors.js'
import { featureWriter } from './features.js'
import { scifact } from './general.js'
import { importVectors } from './import-vectors.js'
import { madialEn } from './languages/chinese.js'
import { measureLanguages } from './languages/report.js'
import { locomoPlus } from './locomo-plus.js'
import { poolTask, sessionTask, turnTask, wholePoolTask, wholeSessionTask } from './longmemeval.js'
import { measureSimilarity, measureTask, type Observer, type SimilarityResult, type TaskResult } from './measure.js'
import { missedQuestions } from './misses.js'
import { type Options, readOptions, usage } from './options.js'
import { cachedReader } from './reading-cache.js'
import { realmem } from './realmem.js'
import { categories, json, overview, plots, type Report, similarityLine, sizeLine } from './report.js'
import { exists, MissingData } from './rows.js'
import { cachedReranker } from './score-cache.js'
import { type MeasuredService, openService } from './service.js'
import { fusedName, type System, systemsOf } from './systems.js'
import type { RetrievalTask, Source } from './task.js'
import { exportTexts } from './texts.js'
import { type CachedEmbedder, cachedEmbedder } from './vector-cache.js'

const tasks: readonly RetrievalTask[] = [
  locomo,
  realtalk,
  beam,
  turnTask,
  sessionTask,
  wholeSessionTask,
  poolTask,
  wholePoolTask,
  madialEn,
  locomoPlus,
  realmem,
  scifact,
]
const similarityName = 'stsb'
const doorTasks: readonly RetrievalTask[] = [locomo, realtalk, beam, turnTask, realmem, madialEn, locomoPlus]
const taskNames = [...tasks.map(({ name }) => name), similarityName]
const servedContender = contenders.at(-1) ?? contenders[0]
const contenderIds = contenders.map(({ id }) => id)
const repository = fileURLToPath(new URL('../../', import.meta.url))
const cacheDirectory = join(repository, '.cache')
const resultsDirectory = join(repository, 'bench/results')
const imagesDirectory = join(repository, 'docs/images')

async function run(): Promise<void> {
  const options = readOptions(taskNames, contenderIds)
  if (options.help) return console.log(usage(taskNames, contenderIds))
  if (options.importVectors.length > 0) return importAll(options)
  const source: Source = {
    directory: process.env.KEEPSAKE_DATA || join(repository, '../shared/data'),
    full: options.full,
  }
  if (!(await exists(source.directory))) {
    console.log(`The data folder ${source.directory} does not exist (set KEEPSAKE_DATA to use another).`)
    return console.log(`0 tasks measured, ${options.tasks.size} skipped`)
  }
  if (options.languages) return measureAllLanguages(options, source)
  if (options.exportTexts !== undefined) {
    const chosen = tasks.filter(({ name }) => options.tasks.has(name))
    const count = await exportTexts(options.exportTexts, chosen, source, options.tasks.has(similarityName))
    return console.log(`${count} texts: ${options.exportTexts}`)
  }
  if (options.doors.length > 0) return measureDoors(options, source)
  await measure(options, source)
}

async function measureAllLanguages(options: Options, source: Source): Promise<void> {
  const embedder = await openCached(servedContender)
  try {
    const models = { openEmbedder: () => openCached(servedContender), openSpanReader: openCachedReader }
    const openService = async () => openDoorService(await scratchDirectory(), models)
    const figures = await measureLanguages({ source, embedder, openService }, options.tasks)
    if (options.json !== undefined)
      await writeResult(
        'all figures',
        options.json,
        `${JSON.stringify({ model: embedder.modelId, figures }, null, 1)}\n`,
      )
  } finally {
    await embedder.close()
  }
}

async function measureDoors(options: Options, source: Source): Promise<void> {
  const chosen = doorTasks.filter(({ name }) => options.tasks.has(name))
  if (chosen.length === 0)
    throw new Error(`--door measures ${doorTasks.map(({ name }) => name).join(', ')}: include one in --tasks`)
  const skipped: string[] = []
  const results: DoorResult[] = []
  for (const door of options.doors) {
    const models = { openEmbedder: () => openCached(servedContender), openSpanReader: openCachedReader }
    const service = await openDoorService(await scratchDirectory(), models)
    try {
      for (const task of chosen) {
        const result = await unlessMissing(task.name, skipped, () => throughDoor(service, task, source, door))
        if (result) results.push(result)
      }
    } finally {
      await service.close()
    }
  }
  console.log(`\n${doorTable(results)}`)
  if (options.json !== undefined)
    await writeResult('all figures', options.json, `${JSON.stringify(results.map(doorJson), null, 1)}\n`)
}

async function measure(options: Options, source: Source): Promise<void> {
  const misses = options.misses === undefined ? undefined : missedQuestions()
  const features = options.features === undefined ? undefined : featureWriter()
  const observers = [misses, features].filter((observer) => observer !== undefined)
  const report = await measureAll(options, source, observers)
  print(report, options.byCategory)
  if (options.json !== undefined)
    await writeResult('all figures', options.json, `${JSON.stringify(json(report), null, 1)}\n`)
  if (misses && options.misses !== undefined)
    await writeResult('missed questions', options.misses, `${misses.markdown(options.missesCount)}\n`)
  if (features && options.features !== undefined)
    await writeResult(
      'features',
      options.features,
      await features.packed(report.models[contenders.at(-1)?.name ?? ''] ?? ''),
    )
  if (options.plot) await drawPlots(report)
}

interface Running {
  readonly contender: Contender
  readonly embedder: CachedEmbedder
  readonly service: MeasuredService
}

async function measureAll(options: Options, source: Source, observers: readonly Observer[]): Promise<Report> {
  const systems = chosenSystems(options, observers.length > 0)
  const measured: TaskResult[] = []
  const skipped: string[] = []
  const similarity: SimilarityResult[] = []
  const running: Running[] = []
  try {
    for (const contender of new Set(systems.map((system) => system.contender))) running.push(await start(contender))
    const services = new Map(running.map(({ contender, service }) => [contender, service]))
    for (const task of tasks) {
      if (!options.tasks.has(task.name)) continue
      const result = await unlessMissing(task.name, skipped, () =>
        measureTask(services, task, source, systems, observers),
      )
      if (!result) continue
      measured.push(result)
      console.log(sizeLine(result, source.full))
    }
    for (const { contender, embedder } of options.tasks.has(similarityName) ? running : []) {
      const result = await unlessMissing(similarityName, skipped, () =>
        measureSimilarity(contender.name, embedder, source),
      )
      if (!result) break
      similarity.push(result)
    }
    const added = running.reduce((sum, { embedder }) => sum + embedder.newlyEmbedded(), 0)
    console.log(`newly embedded texts: ${added}; all others came from .cache/quality`)
  } finally {
    for (const { service } of running) await closeQuietly(service)
  }
  const models = Object.fromEntries(running.map(({ contender, embedder }) => [contender.name, embedder.modelId]))
  return { models, full: source.full, tasks: measured, similarity, skipped }
}

function chosenSystems({ systems: wanted, leaveOneOut }: Options, observed: boolean): System[] {
  const all = systemsOf(contenders, leaveOneOut)
  if (wanted === undefined) return all
  const names = all.map(({ name }) => name)
  const unknown = [...wanted].filter((name) => !names.includes(name))
  if (unknown.length > 0) throw new Error(`--systems: unknown ${unknown.join(', ')}; available: ${names.join(', ')}`)
  if (observed && !wanted.has(fusedName)) throw new Error(`--misses and --features need "${fusedName}": include it`)
  return all.filter(({ name }) => wanted.has(name))
}

async function start(contender: Contender): Promise<Running> {
  const embedder = await openCached(contender)
  const openReranker = async () => cachedReranker(await openCrossEncoder(), join(cacheDirectory, 'quality'))
  return {
    contender,
    embedder,
    service: await openService(await scratchDirectory(), embedder, openReranker, openCachedReader),
  }
}

async function openCached(contender: Contender): Promise<CachedEmbedder> {
  return cachedEmbedder(await contender.open(), join(cacheDirectory, 'quality'), console.log)
}

async function openCachedReader() {
  return cachedReader(await openSpanReader(), join(cacheDirectory, 'quality'))
}

async function importAll({ importVectors: imports }: Options): Promise<void> {
  for (const { contender: id, textsFile, vectorsFile } of imports) {
    const contender = contenders.find((candidate) => candidate.id === id)
    if (!contender) throw new Error(`unknown model ${id}`)
    const embedder = await openCached(contender)
    try {
      const { texts, added, lowestCosine } = await importVectors(embedder, textsFile, vectorsFile, Date.now())
      const same = `the lowest cosine in a sample is ${lowestCosine.toFixed(5)}`
      console.log(`${contender.name}: ${added} of ${texts} vectors were new, ${embedder.known()} are cached; ${same}`)
    } finally {
      await embedder.close()
    }
  }
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

/** An earlier error matters more than one while closing. */
async function closeQuietly(service: MeasuredService): Promise<void> {
  await service.close().catch((error: unknown) => console.error(error))
}

function print(report: Report, byCategory: boolean): void {
  const { tasks: measured, similarity, skipped } = report
  if (measured.length > 0) console.log(`\n${explanation(report)}\n\n${overview(measured)}`)
  if (byCategory) for (const result of measured) console.log(`\n${categories(result)}`)
  if (similarity.length > 0) console.log(`\n${similarity.map(similarityLine).join('\n')}`)
  console.log(`\n${measured.length + (similarity.length > 0 ? 1 : 0)} tasks measured, ${skipped.length} skipped`)
}

function explanation({ models }: Report): string {
  const compared = Object.entries(models).map(([name, modelId]) => `${name} (${modelId})`)
  return `Real recall on an embedded store, decay off; embedders: ${compared.join(', ')}. One memory per turn (session or
abstract), bypassing the splitter, which would cut turns into sentences; tags by the service's tagger. any@k: some
evidence among the first k; all@k: all of it. AUC: how well the top score separates questions with an answer from those
without, 50 is chance.`
}

async function scratchDirectory(): Promise<string> {
  await mkdir(cacheDirectory, { recursive: true })
  const scratch = await mkdtemp(join(cacheDirectory, 'quality-run-'))
  process.once('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }))
  return scratch
}

async function writeResult(what: string, name: string, content: string | Uint8Array): Promise<void> {
  const file = isAbsolute(name) ? name : join(resultsDirectory, basename(name))
  await mkdir(resultsDirectory, { recursive: true })
  await writeFile(file, content)
  console.log(`${what}: ${file}`)
}

async function drawPlots({ tasks: measured }: Report): Promise<void> {
  await mkdir(imagesDirectory, { recursive: true })
  for (const { name, svg } of plots(measured)) await writeFile(join(imagesDirectory, `quality-${name}.svg`), svg)
  console.log(`${measured.length} plots: ${imagesDirectory}`)
}

// An interrupted run removes its files like any other.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.stack : error)
  process.exitCode = 1
})
