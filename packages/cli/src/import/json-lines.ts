/** One object per line with the fields of a store request: `{content, created_at?, metadata?, ttl?, project?, source?}`. */
import { cleanMetadata, cleanText, isBlank, momentOf } from './clean.js'
import { fieldsOf, leftOut, type Read, textOf } from './item.js'
import { elementsOf } from './json-source.js'
import { itemsOf, textPieces } from './pieces.js'
import type { Reader } from './reader.js'
import { linesOf, type SourceFile, startOf } from './source.js'

export const jsonLines: Reader = {
  isFile: (name) => /\.(?:jsonl|ndjson)$/i.test(name),
  isJson: (value) => typeof fieldsOf(value).content === 'string',
  read: (file, { nowMs }) => readJsonLines(jsonLinesOf(file), nowMs),
}

/** Also accepts a JSON array of such objects, for programs that can't write JSON Lines. */
async function* jsonLinesOf(file: SourceFile): AsyncGenerator<readonly [number, string]> {
  if ((await startOf(file, 1)) !== '[') return yield* linesOf(file)
  let number = 0
  for await (const { value } of elementsOf(file)) {
    number += 1
    yield [number, JSON.stringify(value)]
  }
}

export function isJsonLine(line: string): boolean {
  const value = parsedLine(line)
  return typeof fieldsOf(value).content === 'string'
}

function parsedLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (error) {
    // JSON.parse throws a RangeError if the nesting is too deep. Either way the line is invalid.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined
    throw error
  }
}

export async function* readJsonLines(
  lines: AsyncIterable<readonly [number: number, line: string]>,
  nowMs: number,
): AsyncGenerator<Read> {
  for await (const [number, line] of lines) {
    if (line.trim() === '') continue
    const value = parsedLine(line)
    if (value === undefined) yield leftOut(`line ${number}`, 'it is not JSON')
    else yield* readEntry(`line ${number}`, fieldsOf(value), nowMs)
  }
}

const known: ReadonlySet<string> = new Set(['content', 'created_at', 'metadata', 'ttl', 'project', 'source'])

function* readEntry(name: string, fields: Readonly<Record<string, unknown>>, nowMs: number): Generator<Read> {
  // A misspelt ttl must not create a permanent memory.
  const unknown = Object.keys(fields).find((field) => !known.has(field))
  if (unknown !== undefined) return yield leftOut(name, `unknown field ${JSON.stringify(unknown.slice(0, 40))}`)
  const text = cleanText(textOf(fields.content))
  if (isBlank(text)) return yield leftOut(name, 'its content is not text')
  const createdAt = momentOf(fields.created_at, nowMs)
  if (fields.created_at !== undefined && createdAt === undefined) {
    return yield leftOut(name, 'its created_at is not a date in the past')
  }
  const { ttl, project, source = 'jsonl' } = fields
  const wrong = Object.entries({ ttl, project, source }).find(
    ([, value]) => value !== undefined && typeof value !== 'string',
  )
  if (wrong) return yield leftOut(name, `its ${wrong[0]} is not text`)
  const metadata = cleanMetadata(fieldsOf(fields.metadata))
  yield* itemsOf(name, textPieces(text), {
    source: textOf(source),
    metadata,
    createdAt,
    ttl: typeof ttl === 'string' ? ttl : undefined,
    project: typeof project === 'string' ? project : undefined,
  })
}
