import { parseArgs } from 'node:util'
import type { Keepsake } from '@keepsake/client'
import { clockOf } from '../clock.js'
import { type Command, exitCodes, type Io, type Options, UsageError } from '../command.js'
import { apiKeyOf, connect, connectionOptions, jsonOption, urlOf } from '../connection.js'
import { type Detected, detect, filesOf, formats } from '../import/detect.js'
import { type ImportState, openState, statePathOf } from '../import/import-state.js'
import { type ImportItem, SourceError } from '../import/item.js'
import { type ReadOptions, readSource } from '../import/read-source.js'
import { sendAll } from '../import/send.js'
import { openSource, type Source } from '../import/source.js'
import { preview, summary, Tally } from '../import/tally.js'
import { numberOption } from '../input.js'
import { writeJson, writeLine } from '../output.js'
import { showProgress } from '../progress.js'

const options = {
  format: { type: 'string', value: 'FORMAT', choices: formats, help: `what it is, where its content does not tell` },
  'dry-run': { type: 'boolean', help: 'only show what would be stored' },
  resume: { type: 'boolean', help: 'leave out what an earlier run has stored' },
  state: {
    type: 'string',
    value: 'FILE',
    help: 'where it is noted what is stored; SOURCE.keepsake-import unless told',
  },
  parallel: { type: 'string', value: 'N', help: 'requests in flight: 4' },
  ttl: { type: 'string', value: 'TTL', help: 'for all that has none of its own: 365d' },
  'from-user': { type: 'string', value: 'ID', help: 'of mem0: only the memories of this user' },
  'user-only': { type: 'boolean', help: 'of conversations: nothing of what the assistant said' },
  'data-dir': {
    type: 'string',
    value: 'DIRECTORY',
    help: 'of an archive: the store that it goes into, or SERVICE_DATA_DIR',
  },
  'database-url': { type: 'string', value: 'URL', help: 'of an archive: the database, or SERVICE_DATABASE_URL' },
  'file-times': { type: 'boolean', help: 'of notes: date by the file where nothing else tells' },
  ...jsonOption,
  ...connectionOptions,
} as const satisfies Options

type Values = ReturnType<typeof parse>['values']

export const importCommand: Command = {
  name: 'import',
  summary: 'store what other programs exported, or notes',
  usage: 'SOURCE',
  options,
  help: `SOURCE is a file, a folder, a ZIP archive as it was downloaded, or - for standard input. What it is shows in its content:

  chatgpt    ChatGPT’s export: the archive, its folder, or conversations.json
  claude     Claude’s export: the archive, its folder, conversations.json, memories.json or projects
  mem0       what mem0’s getAll or export gives
  markdown   a note, or a folder of notes such as an Obsidian vault
  text       plain text
  archive    what keepsake export wrote: into the store itself, exactly as it was (--data-dir, --database-url)
  jsonl      a line each: {"content", "created_at"?, "metadata"?, "ttl"?, "project"?, "source"?}

Every item carries a key that is made from it, so that sending it twice stores it once. After an interruption, --resume goes on. What content
protection refuses is listed, and the rest is stored.

Exit codes: 0 all is stored, 1 some was refused, 2 the source can’t be read; as everywhere where the service can’t be reached or
refuses the key.`,
  examples: [
    'keepsake import --user ana --dry-run chatgpt-export.zip',
    'keepsake import --user ana chatgpt-export.zip',
    'keepsake import --user ana --resume chatgpt-export.zip',
    'keepsake import --user ana --project notes ~/vault',
    'keepsake import --user ana --from-user dev mem0.json',
    'keepsake import --data-dir ./data archive.jsonl',
  ],

  async run(args, io) {
    const { values, positionals } = parse(args)
    const [path, ...more] = positionals
    if (path === undefined || path === '' || more.length > 0) throw new UsageError('name one file, folder or archive')
    const together = numberOption('parallel', values.parallel, { min: 1, max: 32, whole: true }) ?? 4
    const source = await openSource(path, io.stdin)
    const detected = await formatOf(source, values.format)
    if (detected.format === 'archive') return intoStore(path, source, values, io)
    const reading = {
      nowMs: clockOf(io).now(),
      userOnly: values['user-only'] === true,
      fileTimes: values['file-times'] === true,
      fromUser: values['from-user'],
    }
    // Before anything is sent: a file that was cut off is told at once, and the time left can be.
    const tally = new Tally()
    for await (const each of readSource(detected, reading)) tally.read(each)
    if (values['dry-run']) return showPreview(io, detected, tally, values.json === true)
    const state = await stateFor(path, values, io)
    try {
      return await send(io, values, { detected, reading, tally, state, together })
    } finally {
      await state?.close()
    }
  },
}

function parse(args: readonly string[]) {
  return parseArgs({ args: [...args], options, allowPositionals: true })
}

async function formatOf(source: Source, given: string | undefined): Promise<Detected> {
  const format = formats.find((each) => each === given)
  if (given !== undefined && format === undefined) throw new UsageError(`--format takes ${formats.join(', ')}`)
  const detected = format === undefined ? await detect(source) : { format, files: filesOf(format, source) }
  if (detected.files.length === 0) throw new SourceError(`there is no file of ${detected.format} in it`)
  return detected
}

/** Past the service: ids, times and histories stay what they were. */
async function intoStore(path: string, { files: [file] }: Source, values: Values, io: Io): Promise<number> {
  if (values.user !== undefined || values.project !== undefined) {
    throw new UsageError(
      'an archive of Keepsake’s own says itself whose memories it has: leave out --user and --project',
    )
  }
  // Loaded here: it brings the engines along.
  const { importArchiveFrom } = await import('../import/archive-door.js')
  return importArchiveFrom(path === '-' && file ? { stream: file.read() } : { path }, values, io)
}

async function showPreview(io: Io, { format }: Detected, tally: Tally, isJson: boolean): Promise<number> {
  const { items, messages, characters, leftOut, omissions, examples } = tally
  if (isJson) {
    const left = { count: leftOut, named: omissions }
    await writeJson(io, { dryRun: true, format, items, messages, characters, leftOut: left, examples })
  } else for (const line of preview(tally, format)) await writeLine(io.stdout, line)
  return exitCodes.fine
}

/** Undefined where there is no place for it: an import without a note of it is better than none. */
async function stateFor(path: string, values: Values, io: Io): Promise<ImportState | undefined> {
  if (path === '-' && values.state === undefined) {
    if (values.resume) throw new UsageError('--resume needs --state FILE where the source is standard input')
    return undefined
  }
  // Of a key its id, which is no secret.
  const whose = values.user ?? io.env?.KEEPSAKE_USER ?? /^ksk_([^_]+)_/.exec(apiKeyOf(values, io) ?? '')?.[1] ?? ''
  try {
    return await openState(values.state ?? statePathOf(path), `${urlOf(values, io)}\n${whose}`)
  } catch (error) {
    if (values.state !== undefined || values.resume || !isNoPlace(error)) throw error
    await writeLine(io.stderr, 'keepsake import: nothing can be noted beside the source; --state names another place')
    return undefined
  }
}

function isNoPlace(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['EACCES', 'EPERM', 'EROFS'].includes(String(error.code))
}

interface Sending {
  readonly detected: Detected
  readonly reading: ReadOptions
  readonly tally: Tally
  readonly state: ImportState | undefined
  readonly together: number
}

/** A piece takes seconds to store; on a machine that does other things, a minute. */
const timeoutMs = 180_000

async function send(io: Io, values: Values, { detected, reading, tally, state, together }: Sending): Promise<number> {
  const client = connect(values, io)
  const progress = showProgress(io.stderr, { label: 'importing', unit: 'items', total: tally.items })
  const stop = new AbortController()
  const interrupt = () => stop.abort()
  process.once('SIGINT', interrupt)
  let failure: unknown
  try {
    await sendAll(itemsOf(detected, reading, client, values.ttl), {
      client,
      clock: clockOf(io),
      together,
      timeoutMs: values.timeout === undefined ? timeoutMs : Number(values.timeout) * 1000,
      isDone(key) {
        const isDone = values.resume === true && state?.has(key) === true
        if (isDone) tally.doneBefore += 1
        if (isDone) progress.advance()
        return isDone
      },
      settled(outcome) {
        if (outcome.kind === 'stored') state?.add(outcome.key)
        tally.settle(outcome)
        progress.advance()
      },
      waiting: () => progress.advance(0),
      signal: stop.signal,
    })
  } catch (error) {
    if (!stop.signal.aborted) failure = error
  } finally {
    process.off('SIGINT', interrupt)
    progress.end()
  }
  await showSummary(io, detected, tally, { state, isJson: values.json === true, isWhole: isWhole(tally) })
  if (failure !== undefined) throw failure
  return tally.refused === 0 && isWhole(tally) ? exitCodes.fine : exitCodes.failed
}

function isWhole({ items, stored, refused, doneBefore }: Tally): boolean {
  return stored + refused + doneBefore === items
}

async function* itemsOf(
  detected: Detected,
  reading: ReadOptions,
  { project }: Keepsake,
  ttl: string | undefined,
): AsyncGenerator<ImportItem> {
  for await (const each of readSource(detected, reading)) {
    // What an item says of itself counts more than what is said of all; both belong to its key.
    if (each.kind === 'item')
      yield { ...(project === undefined ? {} : { project }), ...(ttl === undefined ? {} : { ttl }), ...each }
  }
}

async function showSummary(
  io: Io,
  { format }: Detected,
  tally: Tally,
  shown: { readonly state: ImportState | undefined; readonly isJson: boolean; readonly isWhole: boolean },
): Promise<void> {
  const { items, stored, doneBefore, memories, refused, refusals, leftOut, omissions } = tally
  if (shown.isJson) {
    await writeJson(io, {
      format,
      complete: shown.isWhole,
      items,
      stored,
      doneBefore,
      memories,
      refused: { count: refused, named: refusals },
      leftOut: { count: leftOut, named: omissions },
      state: shown.state?.path ?? null,
    })
    return
  }
  for (const line of summary(tally)) await writeLine(io.stdout, line)
  if (!shown.isWhole && shown.state) await writeLine(io.stdout, 'Not all of it: the same with --resume goes on.')
}
