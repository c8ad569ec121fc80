import { parseArgs } from 'node:util'
import type { Explanation, RecalledMemory, RecallMemoriesAnswer } from '@keepsake/client'
import { type Command, exitCodes, type Io, type Options, UsageError } from '../command.js'
import { connect, connectionOptions, jsonOption } from '../connection.js'
import { momentOption, numberOption, pairs, textFrom } from '../input.js'
import { bar, columns, type Paint, painterFor, writeJson, writeLine } from '../output.js'
import { oneLine, severalLines } from '../terminal-text.js'

const options = {
  limit: { type: 'string', short: 'n', value: 'N', help: 'at most so many memories: 10' },
  threshold: { type: 'string', value: 'SCORE', help: 'nothing that scores below it: 0 to 1' },
  'as-of': { type: 'string', value: 'TIME', help: 'what was known then: 2026-05-01' },
  explain: { type: 'boolean', help: 'what each part of a score came from, as bars' },
  rerank: { type: 'boolean', help: 'look at the best a second time: better, and slower' },
  'no-hybrid': { type: 'boolean', help: 'by meaning alone' },
  context: { type: 'boolean', help: 'print the ready context only' },
  'max-tokens': { type: 'string', value: 'N', help: 'size of the context: 4000' },
  entity: { type: 'string', value: 'NAME', help: 'only memories that mention it: an id or a name' },
  filter: { type: 'string', value: 'KEY=TEXT', multiple: true, help: 'only memories with this metadata; or KEY:=JSON' },
  history: { type: 'boolean', help: 'also what was replaced' },
  ...jsonOption,
  ...connectionOptions,
} as const satisfies Options

export const recall: Command = {
  name: 'recall',
  summary: 'find memories by meaning',
  usage: '[QUESTION…]',
  options,
  help: `Finds what answers the question, which is typed, or piped in. Best first: the score, the memory, and below it id, date and project.
--context prints what a language model would be given, word for word where a program reads it.`,
  examples: [
    'keepsake recall --user ana "Where does John work?"',
    'keepsake recall --user ana --explain --limit 3 "Which outdoor activity do I enjoy?"',
    'keepsake recall --user ana --as-of 2026-05-01 "Where does John work?"',
    'echo "What do I like?" | keepsake recall --user ana --context | llm',
  ],

  async run(args, io) {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const { json, context, explain } = values
    if (context && (json || explain)) throw new UsageError('--context stands alone: it prints nothing else')
    const settings = {
      limit: numberOption('limit', values.limit, { min: 1, max: 100, whole: true }),
      threshold: numberOption('threshold', values.threshold, { min: 0, max: 1 }),
      maxTokens: numberOption('max-tokens', values['max-tokens'], { min: 1, max: 128_000, whole: true }),
      asOf: momentOption('as-of', values['as-of']),
      entity: values.entity,
      filters: filtersOf(values.filter),
      explain,
      enableRerank: values.rerank,
      enableHybrid: values['no-hybrid'] ? false : undefined,
      includeHistory: values.history,
    }
    const client = connect(values, io)
    const answer = await client.recall(await textFrom(io, positionals, 'the question'), settings)
    if (json) await writeJson(io, answer)
    else if (context) await writeContext(io, answer.context)
    else await writeMemories(io, answer)
    return exitCodes.fine
  },
}

function filtersOf(given: readonly string[] | undefined): Record<string, string | number | boolean | null> | undefined {
  const filters = pairs('filter', given)
  if (filters !== undefined && Object.values(filters).some((value) => typeof value === 'object' && value !== null)) {
    throw new UsageError('--filter takes a text, a number, true, false or null')
  }
  // Objects and arrays are refused above, and JSON has nothing else.
  return filters as Record<string, string | number | boolean | null> | undefined
}

/** A program gets it as it is; a terminal must not obey it. */
async function writeContext(io: Io, context: string): Promise<void> {
  if (context !== '') await writeLine(io.stdout, io.stdout.isTTY === true ? severalLines(context) : context)
}

async function writeMemories(io: Io, { memories, degraded = [] }: RecallMemoriesAnswer): Promise<void> {
  const paint = painterFor(io)
  for (const memory of memories) {
    for (const line of linesOf(memory, paint)) await writeLine(io.stdout, line)
  }
  if (memories.length === 0) await writeLine(io.stderr, 'nothing found')
  if (degraded.length > 0) await writeLine(io.stderr, `done without: ${oneLine(degraded.join(', '))}`)
}

function linesOf(
  { score, content, id, createdAt, project, expiresAt, explain }: RecalledMemory,
  paint: Paint,
): string[] {
  const facts = [
    id,
    createdAt.slice(0, 10),
    ...(project === null ? [] : [oneLine(project)]),
    ...(expiresAt === null ? [] : [`expires ${expiresAt.slice(0, 10)}`]),
  ]
  return [
    `${paint('bold', score.toFixed(3))}  ${oneLine(content)}`,
    `       ${paint('dim', facts.join('  '))}`,
    ...(explain === undefined ? [] : explained(explain).map((line) => `       ${paint('cyan', line)}`)),
  ]
}

function explained(explanation: Explanation): string[] {
  const parts = Object.entries(explanation).flatMap(([name, part]: [string, Explanation['semantic'] | undefined]) =>
    part === null || part === undefined ? [] : [{ name, ...part }],
  )
  return columns(
    parts.map(({ name, score, rank }) => [name, bar(score), score.toFixed(3), rank === null ? '' : `rank ${rank}`]),
  )
}
