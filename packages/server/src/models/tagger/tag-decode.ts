/** Converts label scores to spans: the best path of labels that form complete names (B I… E, or S alone). */
import type { EntityType } from '../../core/entity.js'

export interface WordSpan {
  /** Word indices, both inclusive. */
  readonly first: number
  readonly last: number
  readonly type: EntityType
  /** 0 to 1: the score of its least certain word. */
  readonly score: number
}

/** In the order of the model's labels. */
export const taggedTypes: readonly EntityType[] = ['PERSON', 'ORG', 'LOCATION', 'PRODUCT', 'EVENT', 'CONCEPT']
const parts = ['B', 'I', 'E', 'S'] as const
export const labelCount = 1 + taggedTypes.length * parts.length

const outside = 0
const partOf = (label: number) => (label === outside ? 'O' : (parts[(label - 1) % parts.length] ?? 'O'))
const typeOf = (label: number) => Math.floor((label - 1) / parts.length)
const labels = Array.from({ length: labelCount }, (_, label) => label)
const opens = labels.map((label) => partOf(label) !== 'I' && partOf(label) !== 'E')
const closes = labels.map((label) => partOf(label) !== 'B' && partOf(label) !== 'I')
/** Labels that may precede each label. */
const before = labels.map((label) =>
  labels.filter((previous) => (closes[previous] ? opens[label] : !opens[label] && typeOf(previous) === typeOf(label))),
)

/** `scores`: `labelCount` numbers per word. `reluctance` is added to the score of the label for "no name". */
export function spansFrom(scores: Float32Array, words: number, reluctance = 0): WordSpan[] {
  const path = bestPath(scores, words, reluctance)
  const spans: WordSpan[] = []
  let first = 0
  for (const [word, label] of path.entries()) {
    const part = partOf(label)
    if (part === 'B' || part === 'S') first = word
    const type = taggedTypes[typeOf(label)]
    if ((part === 'E' || part === 'S') && type)
      spans.push({ first, last: word, type, score: sureness(scores, path, first, word) })
  }
  return spans
}

function bestPath(scores: Float32Array, words: number, reluctance: number): number[] {
  let best = labels.map((label) => (opens[label] ? scoreOf(scores, 0, label, reluctance) : -Infinity))
  const origins: Int8Array[] = []
  for (let word = 1; word < words; word += 1) {
    const origin = new Int8Array(labelCount)
    const previous = best
    best = labels.map((label) => {
      let highest = -Infinity
      for (const from of before[label] ?? []) {
        const score = previous[from] ?? -Infinity
        if (score <= highest) continue
        highest = score
        origin[label] = from
      }
      return highest + scoreOf(scores, word, label, reluctance)
    })
    origins.push(origin)
  }
  if (words === 0) return []
  let label = labels.reduce(
    (top, next) => (closes[next] && (!closes[top] || (best[next] ?? 0) > (best[top] ?? 0)) ? next : top),
    0,
  )
  const path = [label]
  for (const origin of origins.reverse()) {
    label = origin[label] ?? outside
    path.push(label)
  }
  return path.reverse()
}

function scoreOf(scores: Float32Array, word: number, label: number, reluctance: number): number {
  return (scores[word * labelCount + label] ?? 0) + (label === outside ? reluctance : 0)
}

function sureness(scores: Float32Array, path: readonly number[], first: number, last: number): number {
  let least = 1
  for (let word = first; word <= last; word += 1) {
    const row = scores.subarray(word * labelCount, (word + 1) * labelCount)
    const top = Math.max(...row)
    const total = row.reduce((sum, score) => sum + Math.exp(score - top), 0)
    least = Math.min(least, Math.exp((row[path[word] ?? 0] ?? 0) - top) / total)
  }
  return least
}
