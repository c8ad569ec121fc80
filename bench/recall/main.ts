/**
 * `npm run bench:recall`: whether recall answers the questions of invented people about their own lives. Every person is a
 * new user; the turns are stored by `POST /store`, and the questions asked by `POST /recall`.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Person, readPeople } from './cases.js'
import { openObserver } from './observe.js'
import { type Door, type Options, readOptions, usage } from './options.js'
import { type Asked, type DoorResult, failuresText, openJson, type Planned, totalsJson, totalsText } from './report.js'
import { scorePlan, scoreQuestion, totalsOf } from './score.js'

const resultsDirectory = fileURLToPath(new URL('../results/', import.meta.url))
const shownThresholds = [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5]

async function run(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  if (options.help) return console.log(usage)
  const people = (await readPeople(options.sealed ? 'sealed' : 'dev', options.set)).filter(
    ({ id }) => options.ids?.has(id) ?? true,
  )
  if (people.length === 0) throw new Error('no person has such an id')
  const results: object[] = []
  for (const door of options.doors) {
    const result = await measure(people, door, options)
    if (options.failures) console.log(`\n${failuresText(result)}`)
    console.log(`\n${totalsText(result)}`)
    results.push(options.sealed ? totalsJson(result) : openJson(result))
  }
  if (options.json === undefined) return
  const file = isAbsolute(options.json) ? options.json : join(resultsDirectory, basename(options.json))
  await mkdir(resultsDirectory, { recursive: true })
  await writeFile(file, `${JSON.stringify(results, null, 1)}\n`)
  console.log(`\nall results: ${file}`)
}

async function measure(people: readonly Person[], door: Door, options: Options): Promise<DoorResult> {
  const started = performance.now()
  const asked: Asked[] = []
  const planned: Planned[] = []
  let refused = 0
  const dataDir = await mkdtemp(join(tmpdir(), 'keepsake-recall-'))
  const observer = await openObserver(dataDir, options)
  try {
    for (const person of people) {
      const observation = await observer.observe(person, door)
      refused += observation.refused
      for (const [index, question] of person.questions.entries()) {
        const results = observation.results[index] ?? []
        asked.push({ person, question, results, score: scoreQuestion(question, results) })
      }
      for (const [index, plan] of person.plans.entries()) {
        const context = observation.contexts[index] ?? ''
        planned.push({ person, plan, context, score: scorePlan(plan, context) })
      }
    }
  } finally {
    await observer.close()
    await rm(dataDir, { recursive: true, force: true })
  }
  const { threshold, rerank, dilute } = options
  const totals = totalsOf(
    asked.map(({ score }) => score),
    planned.map(({ score }) => score),
    [...new Set([...shownThresholds, threshold])].sort((a, b) => a - b),
  )
  const title = [door, ...(rerank ? ['rerank'] : []), ...(dilute ? ['diluted'] : [])].join(', ')
  return { title, seconds: (performance.now() - started) / 1000, refused, threshold, totals, asked, planned }
}

run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.stack : error)
  process.exitCode = 1
})
