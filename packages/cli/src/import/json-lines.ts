/** One object a line: `{content, created_at?, metadata?, ttl?, project?, source?}`, the fields of the service's own store. */
import { cleanMetadata, cleanText, isBlank, momentOf } from './clean.js'
import { fieldsOf, leftOut, type Read, textOf } from './item.js'
import { numbered, textPieces } from './pieces.js'

export function isJsonLine(line: string): boolean {
  const value = parsedLine(line)
  return typeof fieldsOf(value).content === 'string'
}

function parsedLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (error) {
    // Nested beyond all measure is a RangeError. Either way the line is none.
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
  // A misspelt ttl must not become a memory that stays for good.
  const unknown = Object.keys(fields).find((field) => !known.has(field))
  if (unknown !== undefined) return yield leftOut(name, `there is no field ${JSON.stringify(unknown.slice(0, 40))}`)
  const text = cleanText(textOf(fields.content))
  if (isBlank(text)) return yield leftOut(name, 'its content is no text')
  const createdAt = momentOf(fields.created_at, nowMs)
  if (fields.created_at !== undefined && createdAt === undefined) {
    return yield leftOut(name, 'its created_at is no moment of the past')
  }
  const { ttl, project, source = 'jsonl' } = fields
  const wrong = Object.entries({ ttl, project, source }).find(
    ([, value]) => value !== undefined && typeof value !== 'string',
  )
  if (wrong) return yield leftOut(name, `its ${wrong[0]} is no text`)
  const metadata = cleanMetadata(fieldsOf(fields.metadata))
  for (const [part, piece] of numbered(name, textPieces(text))) {
    yield {
      kind: 'item',
      name: part,
      text: piece,
      metadata,
      source: textOf(source),
      ...(createdAt === undefined ? {} : { createdAt }),
      ...(typeof ttl === 'string' ? { ttl } : {}),
      ...(typeof project === 'string' ? { project } : {}),
    }
  }
}
