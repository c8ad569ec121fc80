/**
 * The verdicts of `recheck` (https://makenowjust-labs.github.io/recheck/) on the regular expressions, recorded in
 * `regular-expressions.json` because computing them takes minutes. `npm run check:expressions` records new ones.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { check } from 'recheck'
import { type Expression, keyOf } from './all-expressions.js'

/** `linear`: safe. `polynomial`: slow on long texts. `undecided`: the tool found neither an attack nor a proof in time. */
export type Verdict = 'linear' | 'polynomial' | 'exponential' | 'undecided'

const recordUrl = new URL('./regular-expressions.json', import.meta.url)

export function readRecord(): Map<string, Verdict> {
  return new Map(Object.entries<Verdict>(JSON.parse(readFileSync(recordUrl, 'utf8'))))
}

export function writeRecord(record: ReadonlyMap<string, Verdict>): void {
  const sorted = [...record].sort(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(recordUrl, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`)
}

export async function verdictOf({ source, flags }: Expression, timeoutMs: number): Promise<Verdict> {
  const diagnosis = await check(source, flags, { timeout: timeoutMs })
  if (diagnosis.status === 'safe') return 'linear'
  if (diagnosis.status === 'unknown') return 'undecided'
  return diagnosis.complexity.type === 'exponential' ? 'exponential' : 'polynomial'
}

export function unrecorded(expressions: readonly Expression[], record: ReadonlyMap<string, Verdict>): Expression[] {
  return expressions.filter((each) => !record.has(keyOf(each)))
}

/** Why an expression that is not proven linear is harmless: it is only applied to short texts. */
const shortTexts: readonly (readonly [files: RegExp, reason: string])[] = [
  [
    /^server\/src\/(?:facts\/rules\/|models\/tagger\/|language\/(?:names|words|sentences\/(?:clauses|phrases)))/,
    'sentences of at most 1,200 and clauses of at most 400 characters',
  ],
  [/^server\/src\/facts\/statements\//, 'sentences of at most 600 characters, or two of 240 together'],
  [/^server\/src\/facts\/tagging\//, 'the first 4,000 characters of a memory, one sentence at a time'],
  [/^server\/src\/ingest\/answers\.ts$/, 'turns of at most 80 characters, and the last 400 of one'],
  [/^server\/src\/ingest\/chatter\.ts$/, 'texts of at most 600 and sentences of at most 300 characters'],
  [
    /^server\/src\/(?:language\/people\/|ingest\/(?:llm\/grounding|embedding-text)\.ts$)/,
    'one sentence or one memory at a time',
  ],
  [
    /^server\/src\/(?:language\/sentences\/(?:asked-to-note|standing-rule|foreign-request|says-of-oneself)|retrieval\/query\/(?:plain-question|search-words|agenda|coming-times))\.ts$/,
    'texts of at most 300 characters',
  ],
  [/^server\/src\/language\/sentences\/sentences\.ts$/, 'the few characters before a full stop'],
  [
    /^server\/src\/(?:retrieval\/query\/(?:speaker|turns|question-time)|language\/dates\/dates-in-text)\.ts$/,
    'the first 2,000 characters',
  ],
  [
    /^server\/src\/(?:models\/token-counter|core\/redact|language\/sentences\/mask)\.ts$/,
    'each repetition has a bound',
  ],
  [/^server\/src\/guard\//, 'each repetition has a bound, and `npm run bench:guard` times hostile texts'],
]

export function boundOf({ file }: Expression): string | undefined {
  return shortTexts.find(([files]) => files.test(file))?.[1]
}
