/**
 * The input of the statement model: words, pairs of words and a few signs of a statement, each hashed to a number.
 * Training uses this same code.
 */
import { indexStem } from '../../language/words/stem.js'
import type { Statement } from './split.js'
import { topicsOf } from './topic-words.js'

/** Number of buckets of the weights that tell a lasting fact from talk. */
export const worthBuckets = 1 << 15
/** Number of buckets of the weights of each topic. */
export const topicBuckets = 1 << 14

const mostWords = 60

/** Hashes of 32 bits, each once. A bucket is the lowest bits of a hash. */
export function featuresOf(content: string, statement: Statement): Uint32Array {
  const said = content.slice(statement.start, statement.stop)
  const words = (said.toLowerCase().match(/[\p{L}\p{M}]+(?:['’][\p{L}]+)*|\p{N}+|[!?]/gu) ?? []).slice(0, mostWords)
  const found = new Set<number>()
  const hints = new Map<string, number>()
  let [before, beforeThat] = ['^', '^']
  for (const raw of words) {
    const word = /^\p{N}/u.test(raw) ? `#${Math.min(raw.length, 5)}` : raw.replace('’', "'")
    found.add(hashOf(`1 ${word}`))
    found.add(hashOf(`2 ${before} ${word}`))
    found.add(hashOf(`3 ${beforeThat} ${before} ${word}`))
    if (word.length > 3) found.add(hashOf(`s ${indexStem(word)}`))
    for (const topic of topicsOf(word)) {
      const count = (hints.get(topic) ?? 0) + 1
      hints.set(topic, count)
      if (count <= 3) found.add(hashOf(`hint ${topic} ${count}`))
    }
    beforeThat = before
    before = word
  }
  for (const sign of signsOf(content, statement, said, words.length)) found.add(hashOf(`sign ${sign}`))
  return Uint32Array.from(found)
}

function signsOf(content: string, { start, stop, leans }: Statement, said: string, count: number): string[] {
  const signs = [`length ${count < 4 ? count : count < 7 ? 4 : count < 12 ? 7 : count < 20 ? 12 : 20}`]
  if (leans) signs.push('leans')
  if (start < 3) signs.push('first')
  if (stop > content.length - 3) signs.push('last')
  if (/(?<![\p{L}])(?:i|i['’]?(?:m|ve|d|ll)|my|me|mine|we|our|us)(?![\p{L}])/iu.test(said)) signs.push('own')
  if (/(?<![\p{L}])(?:you|your|you['’](?:re|ve|ll))(?![\p{L}])/iu.test(said)) signs.push('yours')
  if (/[\p{Ll},] \p{Lu}\p{Ll}/u.test(said)) signs.push('name')
  if (/\p{N}/u.test(said)) signs.push('number')
  return signs
}

/** FNV-1a, mixed, so that its lowest bits depend on all letters. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39)
  return (hash ^ (hash >>> 15)) >>> 0
}
