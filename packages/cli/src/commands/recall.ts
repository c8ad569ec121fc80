import { parseArgs } from 'node:util'
import { type Explanation, markedContent, type RecalledMemory, type RecallMemoriesAnswer } from '@keepsake/client'
import { type Command, exitCodes, type Io, type Options, UsageError } from '../command.js'
import { connect, connectionOptions, jsonOption, spaceOption } from '../connection.js'
import { momentOption, numberOption, pairs, textFrom, whereOption } from '../input.js'
import { bar, columns, type Paint, painterFor, writeJson, writeLine } from '../output.js'
import { isolated, oneLine, severalLines } from '../terminal-text.js'

const options = {
  limit: { type: 'string', short: 'n', value: 'N', help: 'maximum number of memories; default 10' },
  threshold: { type: 'string', value: 'SCORE', help: 'minimum score, from 0 to 1' },
  'as-of': { type: 'string', value: 'TIME', help: 'what was known at that time: 2026-05-01' },
  explain: { type: 'boolean', help: 'show the parts of each score as bars' },
  rerank: { type: 'boolean', help: 'rerank the best results: better, but slower' },
  'no-hybrid': { type: 'boolean', help: 'search by meaning only' },
  context: { type: 'boolean', help: 'print only the assembled context' },
  'max-tokens': { type: 'string', value: 'N', help: 'maximum size of the context; default 4000' },
  entity: { type: 'string', value: 'NAME', help: 'only memories that mention this entity: an id or a name' },
  filter: { type: 'string', value: 'KEY=TEXT', multiple: true, help: 'only memories with this metadata; or KEY:=JSON' },
  where: { type: 'string', value: 'FILTER', help: 'only memories that pass this filter, as JSON: docs/api.md#filters' },
  history: { type: 'boolean', help: 'include memories that were replaced' },
  spaces: { type: 'string', value: 'ID,…', help: 'search several spaces; own is the memories of the user' },
  ...jsonOption,
  ...spaceOption,
  ...connectionOptions,
} as const satisfies Options

export const recall: Command = {
  name: 'recall',
  summary: 'find memories by meaning',
  usage: '[QUESTION…]',
  options,
  help: `Finds the memories that answer the question, which is typed or piped in. Best match first: the score and the memory, then id, date and
project on the next line. --context prints what a language model would be given, verbatim if the output is not a terminal.`,
  examples: [
    'keepsake recall --user ana "Where does John work?"',
    'keepsake recall --user ana --explain --limit 3 "Which outdoor activity do I enjoy?"',
    'keepsake recall --user ana --as-of 2026-05-01 "Where does John work?"',
    'echo "What do I like?" | keepsake recall --user ana --context | llm',
  ],

  async run(args, io) {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const { json, context, explain } = values
    if (context && (json || explain)) throw new UsageError('--context can’t be combined with --json or --explain')
    const settings = {
      limit: numberOption('limit', values.limit, { min: 1, max: 100, whole: true }),
      threshold: numberOption('threshold', values.threshold, { min: 0, max: 1 }),
      maxTokens: numberOption('max-tokens', values['max-tokens'], { min: 1, max: 128_000, whole: true }),
      asOf: momentOption('as-of', values['as-of']),
      entity: values.entity,
      filters: filtersOf(values.filter),
      filter: whereOption(values.where),
      explain,
      enableRerank: values.rerank,
      enableHybrid: values['no-hybrid'] ? false : undefined,
      includeHistory: values.history,
      spaces: spacesOf(values),
    }
    const client = connect(values, io)
    const answer = await client.recall(await textFrom(io, positionals, 'the question'), settings)
    if (json) await writeJson(io, answer)
    else if (context) await writeContext(io, answer.context)
    else await writeMemories(io, answer)
    return exitCodes.fine
  },
}

function spacesOf({ space, spaces }: { readonly space?: string; readonly spaces?: string }): string[] | undefined {
  if (spaces === undefined) return undefined
  if (space !== undefined) throw new UsageError('--spaces can’t be combined with --space')
  return spaces.split(',').map((each) => each.trim())
}

function filtersOf(given: readonly string[] | undefined): Record<string, string | number | boolean | null> | undefined {
  const filters = pairs('filter', given)
  if (filters !== undefined && Object.values(filters).some((value) => typeof value === 'object' && value !== null)) {
    throw new UsageError('--filter takes a text, a number, true, false or null')
  }
  // Objects and arrays are rejected above; JSON has no other types.
  return filters as Record<string, string | number | boolean | null> | undefined
}

/** Verbatim for a program; escaped for a terminal, which must not interpret it. */
async function writeContext(io: Io, context: string): Promise<void> {
  if (context !== '') await writeLine(io.stdout, io.stdout.isTTY === true ? severalLines(context) : context)
}

async function writeMemories(io: Io, { memories, degraded = [] }: RecallMemoriesAnswer): Promise<void> {
  const paint = painterFor(io)
  for (const memory of memories) {
    for (const line of linesOf(memory, paint)) await writeLine(io.stdout, line)
  }
  if (memories.length === 0) await writeLine(io.stderr, 'nothing found')
  if (degraded.length > 0) await writeLine(io.stderr, `completed without: ${oneLine(degraded.join(', '))}`)
}

function linesOf(memory: RecalledMemory, paint: Paint): string[] {
  const { score, id, createdAt, space, project, expiresAt, explain } = memory
  const facts = [
    id,
    createdAt.slice(0, 10),
    ...(space === undefined ? [] : [space ?? 'own']),
    ...(project === null ? [] : [isolated(oneLine(project))]),
    ...(expiresAt === null ? [] : [`expires ${expiresAt.slice(0, 10)}`]),
  ]
  return [
    `${paint('bold', score.toFixed(3))}  ${isolated(oneLine(markedContent(memory)))}`,
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
