/** MSC: which statement of an utterance expresses one of its persona facts. */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { keyWords } from '../../packages/server/src/facts/statements/key-words.js'
import { type Statement, statementsOf } from '../../packages/server/src/facts/statements/split.js'

export interface Utterance {
  readonly conv: string
  readonly id: string
  readonly speaker: string
  readonly text: string
  readonly facts: readonly string[]
}

export function readUtterances(data: string): Utterance[] {
  const text = gunzipSync(readFileSync(`${data}/msc/extraction.jsonl.gz`)).toString()
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Utterance)
}

/** One conversation in five measures and never teaches. */
export function isHeldOut(conv: string): boolean {
  let hash = 0x811c9dc5
  for (let at = 0; at < conv.length; at += 1) hash = Math.imul(hash ^ conv.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return ((hash ^ (hash >>> 13)) >>> 0) % 5 === 0
}

/** Share of the words of a fact that a statement has. */
export function overlap(fact: ReadonlySet<string>, said: ReadonlySet<string>): number {
  let shared = 0
  for (const word of fact) if (said.has(word)) shared += 1
  return fact.size === 0 ? 0 : shared / fact.size
}

export interface Labelled {
  readonly content: string
  readonly statement: Statement
  /** 1: it expresses a fact. */
  readonly worth: number
  readonly weight: number
}

const enough = 0.34

export function labelled({ text, facts }: Utterance): Labelled[] {
  const statements = statementsOf(text).filter(({ asks }) => !asks)
  const said = statements.map(({ start, stop }) => keyWords(text.slice(start, stop)))
  const positive = new Set<number>()
  let unmatched = 0
  for (const fact of facts) {
    const words = keyWords(fact)
    const shares = said.map((each) => overlap(words, each))
    const best = Math.max(0, ...shares)
    if (best >= enough) positive.add(shares.indexOf(best))
    else unmatched += 1
  }
  // With a fact in other words, the rest of the utterance may express it.
  if (unmatched > 0 && statements.length === 1) positive.add(0)
  return statements.flatMap((statement, index) => {
    if (positive.has(index)) return [{ content: text, statement, worth: 1, weight: 1 }]
    return unmatched > 0 && positive.size === 0 ? [] : [{ content: text, statement, worth: 0, weight: 1 }]
  })
}
