/**
 * `npm run bench:natural`: what the service makes of text as people write it. Every case is a new user; its turns are stored
 * by `POST /store` and its questions asked by `POST /recall`, with the settings of a new installation.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type NaturalCase, readCases } from './cases.js'
import { type Door, openObserver } from './doors.js'
import { type Options, readOptions, usage } from './options.js'
import { type Measured, openJson, openText, sealedJson, sealedText, totalsOf } from './report.js'
import { scoreCase } from './score.js'

const resultsDirectory = fileURLToPath(new URL('../results/', import.meta.url))

async function run(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  if (options.help) return console.log(usage)
  const all = (await readCases(options.sealed ? 'sealed' : 'dev', options.set)).filter((one) => isChosen(options, one))
  const cases = options.atOnce ? all.map(atOnce) : all
  if (cases.length === 0) throw new Error('no case has such an id and category')
  const results: object[] = []
  for (const door of options.doors) results.push(await measureDoor(cases, door, options))
  if (options.json === undefined) return
  const file = isAbsolute(options.json) ? options.json : join(resultsDirectory, basename(options.json))
  await mkdir(resultsDirectory, { recursive: true })
  await writeFile(file, `${JSON.stringify(results, null, 1)}\n`)
  console.log(`\nall results: ${file}`)
}

const minuteMs = 60_000

function atOnce(one: NaturalCase): NaturalCase {
  const [first] = one.turns
  if (!first) return one
  const start = Date.parse(first.at)
  const turns = one.turns.map((turn, index) => ({ ...turn, at: new Date(start + index * minuteMs).toISOString() }))
  return { ...one, turns }
}

function isChosen({ ids, categories }: Options, { id, category }: NaturalCase): boolean {
  return (ids?.has(id) ?? true) && (categories?.has(category) ?? true)
}

async function measureDoor(cases: readonly NaturalCase[], door: Door, options: Options): Promise<object> {
  const started = performance.now()
  const { measured, storeMs } = await measureCases(cases, door, !options.sealed)
  const totals = totalsOf(
    measured.map(({ score }) => score),
    storeMs,
  )
  const result = { door, seconds: (performance.now() - started) / 1000, totals, measured }
  console.log(`\n${options.sealed ? sealedText(result) : openText(result, options.failures)}`)
  return options.sealed ? sealedJson(result) : openJson(result)
}

async function measureCases(cases: readonly NaturalCase[], door: Door, showPayloads: boolean) {
  const dataDir = await mkdtemp(join(tmpdir(), 'keepsake-natural-'))
  const measured: Measured[] = []
  const storeMs: number[] = []
  const observer = await openObserver(dataDir, showPayloads)
  try {
    for (const one of cases) {
      const observation = await observer.observe(one, door)
      storeMs.push(...observation.storeMs)
      measured.push({ one, observed: observation.observed, score: scoreCase(one, observation.observed) })
    }
  } finally {
    await observer.close()
    await rm(dataDir, { recursive: true, force: true })
  }
  return { measured, storeMs }
}

run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.stack : error)
  process.exitCode = 1
})
