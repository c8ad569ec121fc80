/** Chooses the facts of a profile and writes them down: a heading per topic, a line per fact, within a token limit. */
import { isoTimestamp } from '../../core/clock.js'
import { type Topic, topics } from '../../core/fact.js'
import { keyWords } from '../../facts/statements/key-words.js'

export interface ProfileFact {
  readonly text: string
  readonly memoryId: string
  readonly createdAt: number
  readonly confidence: number
  readonly topic: Topic
  /** Null: the user. */
  readonly subject: string | null
}

interface ProfileTopic {
  readonly topic: Topic
  readonly lines: readonly ProfileFact[]
}

export interface Assembled {
  readonly topics: readonly ProfileTopic[]
  readonly text: string
  readonly tokens: number
}

const headings: Readonly<Record<Topic, string>> = {
  identity: 'Identity:',
  people: 'People:',
  home: 'Home:',
  work: 'Work:',
  health: 'Health:',
  preferences: 'Preferences:',
  possessions: 'Possessions:',
  plans: 'Plans:',
  projects: 'Projects:',
  other: 'Other:',
}

type CountTokens = (text: string) => number

/** Lines that were too long for the rest of the space, after which the profile counts as full. */
const mostMisses = 30

export function assembleProfile(facts: readonly ProfileFact[], maxTokens: number, countTokens: CountTokens): Assembled {
  const shown: Shown[] = []
  const shownTopics = new Set<Topic>()
  let used = 0
  let misses = 0
  for (const { fact, words } of inOrder(facts)) {
    if (misses >= mostMisses) break
    if (shown.some((other) => saysTheSame(other, fact, words))) continue
    const heading = shownTopics.has(fact.topic) ? 0 : countTokens(`\n${headings[fact.topic]}`)
    const cost = heading + countTokens(`\n${lineOf(fact)}`)
    if (used + cost > maxTokens) {
      misses += 1
      continue
    }
    used += cost
    shown.push({ fact, words })
    shownTopics.add(fact.topic)
  }
  return written(
    shown.map(({ fact }) => fact),
    countTokens,
  )
}

interface Shown {
  readonly fact: ProfileFact
  readonly words: ReadonlySet<string>
}

/** How much the age of the newest fact counts against the confidence: facts change, and people repeat what matters. */
const recency = 0.05
/** Each further fact of one memory comes later: several memories tell more than one. */
const repetition = 0.85

function inOrder(facts: readonly ProfileFact[]): Shown[] {
  const times = facts.map(({ createdAt }) => createdAt)
  const [first, last] = [Math.min(...times), Math.max(...times)]
  const perMemory = new Map<string, number>()
  const byConfidence = [...facts].sort((a, b) => b.confidence - a.confidence || b.createdAt - a.createdAt)
  return byConfidence
    .map((fact) => {
      const before = perMemory.get(fact.memoryId) ?? 0
      perMemory.set(fact.memoryId, before + 1)
      const age = last > first ? (last - fact.createdAt) / (last - first) : 0
      return { fact, words: keyWords(fact.text), score: fact.confidence * repetition ** before - recency * age }
    })
    .sort((a, b) => b.score - a.score)
}

/** Nearly all of its words are in a line about the same person that is already shown. */
function saysTheSame(other: Shown, fact: ProfileFact, words: ReadonlySet<string>): boolean {
  if (other.fact.subject !== fact.subject) return false
  let shared = 0
  for (const word of words) if (other.words.has(word)) shared += 1
  return shared === words.size || (words.size > 3 && shared >= 0.8 * words.size && other.words.size <= 1.5 * words.size)
}

function written(facts: readonly ProfileFact[], countTokens: CountTokens): Assembled {
  const groups = topics.flatMap((topic) => {
    const lines = facts.filter((fact) => fact.topic === topic)
    return lines.length === 0 ? [] : [{ topic, lines }]
  })
  const text = groups.map(({ topic, lines }) => [headings[topic], ...lines.map(lineOf)].join('\n')).join('\n')
  return { topics: groups, text, tokens: text === '' ? 0 : countTokens(text) }
}

/** Everything that a reader may take for a line break or cannot see, so that a memory cannot forge a heading. */
const breaks = /[\p{Cc}\u2028\u2029\u{e0000}-\u{e007f}\u202a-\u202e\u2066-\u2069\s]+/gu

export function shownWords(text: string): string {
  return text.replace(breaks, ' ').trim()
}

function lineOf({ text, topic, createdAt, subject }: ProfileFact): string {
  const who = subject === null || text.toLowerCase().includes(subject.toLowerCase()) ? '' : `${subject}: `
  const when = topic === 'plans' ? ` (${isoTimestamp(createdAt).slice(0, 10)})` : ''
  return `- ${who}${text}${when}`
}
