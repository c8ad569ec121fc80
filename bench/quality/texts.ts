/**
 * Every text that a run would embed, as a file, so that a faster machine with the same weights can embed them. JSON
 * lines of `{"sha256", "text"}`, each text once. The digest covers the whole text; of a long text only the beginning is
 * written, which is all that the embedder reads.
 */
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { embeddingText } from '../../packages/server/src/ingest/embedding-text.js'
import { sentencePairs } from './general.js'
import { MissingData } from './rows.js'
import type { Document, RetrievalTask, Source } from './task.js'

/** 256 tokens of English are about 1,500 characters. */
const enoughCharacters = 2_200
/** A word this long is one token, whatever its length. */
const oneTokenWord = /\S{100}/u
const mostCharacters = 10_000

/** As the service would embed the memory: with the previous turn, or without. */
export function documentText(document: Document, context: boolean): string {
  return embeddingText(document.content, context ? document.before : null)
}

export async function exportTexts(
  file: string,
  tasks: readonly RetrievalTask[],
  source: Source,
  similarity: boolean,
): Promise<number> {
  let count = 0
  async function* lines() {
    for await (const [sha256, text] of distinct(allTexts(tasks, source, similarity))) {
      count += 1
      yield `${JSON.stringify({ sha256, text: beginning(text) })}\n`
    }
  }
  const out = createWriteStream(file)
  if (file.endsWith('.gz')) await pipeline(Readable.from(lines()), createGzip({ level: 9 }), out)
  else await pipeline(Readable.from(lines()), out)
  return count
}

async function* allTexts(
  tasks: readonly RetrievalTask[],
  source: Source,
  similarity: boolean,
): AsyncGenerator<readonly string[]> {
  for (const task of tasks) yield* unlessMissing(task.name, textsOfTask(task, source))
  if (similarity) yield* unlessMissing('stsb', textsOfPairs(source))
}

async function* textsOfTask(task: RetrievalTask, source: Source) {
  for await (const { documents, questions } of task.load(source)) {
    // Next to each other, so that the file compresses well.
    for (const document of documents) yield [documentText(document, false), documentText(document, true)]
    yield questions.map(({ text }) => text)
  }
}

async function* textsOfPairs(source: Source) {
  for (const { a, b } of await sentencePairs(source)) yield [a, b]
}

async function* unlessMissing(name: string, texts: AsyncGenerator<readonly string[]>) {
  try {
    yield* texts
  } catch (error) {
    if (!(error instanceof MissingData)) throw error
    console.log(`${name} skipped: ${error.message}`)
  }
}

async function* distinct(groups: AsyncIterable<readonly string[]>): AsyncGenerator<readonly [string, string]> {
  const seen = new Set<string>()
  for await (const texts of groups) {
    for (const text of texts) {
      const sha256 = createHash('sha256').update(text, 'utf8').digest('hex')
      if (seen.has(sha256)) continue
      seen.add(sha256)
      yield [sha256, text]
    }
  }
}

function beginning(text: string): string {
  if (text.length <= enoughCharacters) return text
  // White space only separates tokens; a page of it must not displace the words.
  const collapsed = text.replace(/\s+/gu, ' ').slice(0, mostCharacters)
  const start = oneTokenWord.test(collapsed) ? collapsed : collapsed.slice(0, enoughCharacters)
  // Half of a surrogate pair would be a different character.
  return /[\uD800-\uDBFF]$/.test(start) ? start.slice(0, -1) : start
}
