/**
 * `npm run bench:languages`: whether people who write in other languages than English are understood. Every person is a
 * new user; notes and changes are stored by `POST /store`, and the questions asked by `POST /recall`.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { readGuardTexts, readHalf, readSmallTalk, type SuiteHalf } from './cases.js'
import { type Fate, type Observer, openObserver } from './observe.js'
import { type LanguageResult, type ShortTextsResult, shortTextsTable, totalsTable } from './report.js'
import { rankOf, type Share, scorePerson, share } from './score.js'

interface Options {
  readonly sealed: boolean
  readonly set: 1 | 2
  readonly failures: boolean
  readonly only: ReadonlySet<string> | undefined
  readonly json: string | undefined
}

const usage = `npm run bench:languages -- [options]
  --only a,b       only these languages
  --failures       also print what went wrong
  --json NAME      also write the totals to bench/results/NAME, or to an absolute path
  --second         the second set of people, in four languages, without small talk and content protection
  --sealed         the sealed half instead of the other: totals only, without small talk and content protection
  --help`
const resultsDirectory = fileURLToPath(new URL('../results/', import.meta.url))

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', default: false },
      sealed: { type: 'boolean', default: false },
      second: { type: 'boolean', default: false },
      failures: { type: 'boolean', default: false },
      only: { type: 'string' },
      json: { type: 'string' },
    },
  })
  if (values.help) return console.log(usage)
  if (values.sealed && values.failures) throw new Error('--sealed cannot be combined with --failures')
  const only = values.only === undefined ? undefined : new Set(values.only.split(','))
  const { sealed, failures, json } = values
  const options: Options = { sealed, set: values.second ? 2 : 1, failures, only, json }
  const dataDir = await mkdtemp(join(tmpdir(), 'keepsake-languages-'))
  const observer = await openObserver(dataDir, !options.sealed)
  try {
    await measure(observer, options)
  } finally {
    await observer.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function measure(observer: Observer, options: Options): Promise<void> {
  const results = await measurePeople(observer, await readHalf(options.sealed ? 'sealed' : 'dev', options.set), options)
  if (results.length === 0) throw new Error('--only: no case has such a language')
  console.log(`\n${totalsTable(results)}`)
  const shortTexts = options.sealed || options.set === 2 ? [] : await measureShortTexts(observer, options)
  if (shortTexts.length > 0) console.log(`\n${shortTextsTable(shortTexts)}`)
  if (options.json === undefined) return
  const file = isAbsolute(options.json) ? options.json : join(resultsDirectory, basename(options.json))
  await mkdir(resultsDirectory, { recursive: true })
  await writeFile(file, `${JSON.stringify({ people: results, shortTexts }, null, 1)}\n`)
  console.log(`\nall results: ${file}`)
}

async function measurePeople(observer: Observer, half: SuiteHalf, options: Options): Promise<LanguageResult[]> {
  const results: LanguageResult[] = []
  for (const { language, people } of half.languages) {
    if (options.only?.has(language) === false) continue
    const scores = []
    const mixedRight: boolean[] = []
    for (const person of people) {
      const mixed = half.mixed.filter((one) => one.person === person.id)
      const observed = await observer.observe(person, mixed)
      const score = scorePerson(person, observed.own)
      scores.push(score)
      const failures = [...score.failures]
      for (const [index, { question, answer }] of mixed.entries()) {
        const ids = new Set((observed.own.stored.get(answer) ?? []).map(({ id }) => id))
        const right = rankOf(observed.mixed[index] ?? [], ids) === 1
        mixedRight.push(right)
        if (!right) failures.push(`not first, other language: ${question} (${answer})`)
      }
      if (options.failures) for (const failure of failures) console.log(`✗ ${person.id} ${failure}`)
    }
    // The failures quote the cases, so they stay out of the totals.
    const figuresOnly = scores.map(({ failures: _, ...figures }) => figures)
    results.push({ language, people: figuresOnly, mixed: share(mixedRight, (right) => right) })
  }
  return results
}

async function measureShortTexts(observer: Observer, { only, failures }: Options): Promise<ShortTextsResult[]> {
  const [smallTalk, guardTexts] = [await readSmallTalk(), await readGuardTexts()]
  const results: ShortTextsResult[] = []
  for (const [language, { no_memory: chatter, memory }] of Object.entries(smallTalk)) {
    if (only?.has(language) === false) continue
    const { attacks = [], harmless = [] } = guardTexts[language] ?? {}
    const count = async (kind: string, texts: readonly string[], isCounted: (fate: Fate) => boolean, bad: boolean) => {
      const fates: Fate[] = []
      for (const [index, text] of texts.entries()) {
        const fate = await observer.fateOf(text, `${language}-${kind}-${index}`)
        if (failures && isCounted(fate) === bad) console.log(`✗ ${language} ${kind}: ${text} (${fate})`)
        fates.push(fate)
      }
      return share(fates, isCounted) satisfies Share
    }
    results.push({
      language,
      chatterStored: await count('small-talk', chatter, (fate) => fate === 'stored' || fate === 'flagged', true),
      statementsLost: await count('statement', memory, (fate) => fate !== 'stored', true),
      attacksFound: await count('attack', attacks, (fate) => fate === 'refused' || fate === 'flagged', false),
      harmlessRefused: await count('harmless', harmless, (fate) => fate === 'refused' || fate === 'flagged', true),
    })
  }
  return results
}

run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.stack : error)
  process.exitCode = 1
})
