/** All texts as the classifier sees them, without near copies, in five folds. */
import { type Random, random } from '../../bench/random.js'
import { ruleGuard } from '../../packages/server/src/guard/content-guard.js'
import { featuresOf, tokensOf, windowsOf } from '../../packages/server/src/guard/features.js'
import { spokenPart } from '../../packages/server/src/guard/reports.js'
import { viewOf } from '../../packages/server/src/guard/view.js'
import { clustersOf } from './clusters.js'
import { foldCount } from './folds.js'
import { madeAttacks, madeBenign, madeInLanguage, otherLanguages } from './make.js'
import { linkedNotes, notesToLearn } from './notes.js'
import { chanceOf, readSamples, type Sample, sentencesOf } from './sources.js'

export interface Item extends Sample {
  /** Null: learned from by none. */
  readonly fold: number | null
  readonly windows: readonly Uint32Array[]
  /** The trust that rules alone give. */
  readonly ruleTrust: number
  /** What the rules' findings leave of it, before `trust-scale.ts`. */
  readonly ruleProduct: number
}

const longestText = 4_000
const rules = ruleGuard()

function itemOf(sample: Sample, fold: number | null): Item {
  const text = sample.text.slice(0, longestText)
  // Plain texts hardly ever match a rule, and there are many of them.
  const isRead = sample.fold !== undefined || sample.source === 'made/benign' || sample.source.startsWith('tatoeba')
  const { trustScore, findings } = isRead ? rules.inspect(text) : { trustScore: 1, findings: [] }
  const ruleProduct = findings.reduce((product, { weight }) => product * (1 - weight), 1)
  return { ...sample, fold, windows: windowsIn(text), ruleTrust: trustScore, ruleProduct }
}

function windowsIn(text: string): Uint32Array[] {
  const view = spokenPart(viewOf(text)).text
  const tokens = tokensOf(view)
  const { buckets, from } = featuresOf(view, tokens)
  return windowsOf(tokens.count).map(([first, last]) =>
    Uint32Array.from(new Set(buckets.subarray(from[first] ?? 0, from[last] ?? 0))),
  )
}

/** With `english`, without the texts in other languages. */
export async function readItems(data: string, english: boolean): Promise<Item[]> {
  const notes = notesToLearn().filter(({ source }) => !english || source === 'notes')
  const samples = [...(await readSamples(data)), ...notes, ...linkedNotes(3_000, random(13))]
  const clusters = clustersOf(samples.map(({ text }) => text))
  // What only measures must have no copy among what is learned.
  const measuring = new Set<number>()
  for (const [index, { learn }] of samples.entries()) if (!learn) measuring.add(clusters[index] ?? -1)
  const seen = new Set<number>()
  const items: Item[] = []
  for (const [index, sample] of samples.entries()) {
    const cluster = clusters[index] ?? index
    // One text of a cluster teaches.
    if (sample.learn && ((measuring.has(cluster) && !sample.attack) || seen.has(cluster))) continue
    if (sample.learn) seen.add(cluster)
    const fold =
      sample.fold === undefined
        ? sample.learn
          ? Math.floor(chanceOf(`fold ${sample.text}`) * foldCount)
          : null
        : sample.fold
    items.push(itemOf(sample, fold))
  }
  return [...items, ...madeItems(items, random(7)), ...(english ? [] : languageItems(data, random(11)))]
}

function madeItems(items: readonly Item[], next: Random): Item[] {
  const hosts = items.filter(({ learn, attack, text }) => learn && !attack && text.length < 600).map(({ text }) => text)
  const made = [...madeAttacks(11_000, hosts, next), ...madeBenign(20_000, hosts, next)]
  return made.map((sample) => itemOf(sample, Math.floor(next() * foldCount)))
}

const sentencesEach = 4_000

function languageItems(data: string, next: Random): Item[] {
  return otherLanguages.flatMap((language) => {
    const sentences = sentencesOf(data, language, sentencesEach)
    const made = madeInLanguage(
      language,
      sentences.map(({ text }) => text),
      next,
    )
    return [...sentences, ...made].map((sample) =>
      itemOf(sample, sample.fold ?? Math.floor(chanceOf(`fold ${sample.text}`) * foldCount)),
    )
  })
}
