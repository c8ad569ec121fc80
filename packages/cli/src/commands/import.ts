import { parseArgs } from 'node:util'
import type { Keepsake } from '@keepsake/client'
import { clockOf } from '../clock.js'
import { type Command, exitCodes, type Io, type Options, UsageError } from '../command.js'
import { apiKeyOf, connect, connectionOptions, jsonOption, urlOf } from '../connection.js'
import { type Detected, detect, filesFor } from '../import/detect.js'
import { type ImportState, openState, statePathOf } from '../import/import-state.js'
import { type ImportItem, SourceError } from '../import/item.js'
import { readSource } from '../import/read-source.js'
import type { ReadOptions } from '../import/reader.js'
import { formats } from '../import/readers.js'
import { sendAll } from '../import/send.js'
import { openSource, type Source } from '../import/source.js'
import { preview, summary, Tally } from '../import/tally.js'
import { numberOption } from '../input.js'
import { writeJson, writeLine } from '../output.js'
import { showProgress } from '../progress.js'

const options = {
  format: { type: 'string', value: 'FORMAT', choices: formats, help: 'format of the source, if it can’t be detected' },
  'dry-run': { type: 'boolean', help: 'show what would be stored, and store nothing' },
  resume: { type: 'boolean', help: 'skip what an earlier run has stored' },
  state: {
    type: 'string',
    value: 'FILE',
    help: 'file that records what is stored; default SOURCE.keepsake-import',
  },
  parallel: {
    type: 'string',
    value: 'N',
    help: 'batches in flight; default 1, so that items are stored in their order',
  },
  ttl: { type: 'string', value: 'TTL', help: 'lifetime of items that have none themselves: 12h, 365d, 3m (months)' },
  'from-user': { type: 'string', value: 'ID', help: 'sources with several users: import the memories of this one' },
  'user-only': { type: 'boolean', help: 'conversations only: skip what the assistant said' },
  'data-dir': {
    type: 'string',
    value: 'DIRECTORY',
    help: 'archives only: the data directory to import into; default SERVICE_DATA_DIR',
  },
  'database-url': {
    type: 'string',
    value: 'URL',
    help: 'archives only: the database to import into; default SERVICE_DATABASE_URL',
  },
  'file-times': { type: 'boolean', help: 'notes only: use the file’s date if there is no other' },
  ...jsonOption,
  ...connectionOptions,
} as const satisfies Options

type Values = ReturnType<typeof parse>['values']

export const importCommand: Command = {
  name: 'import',
  summary: 'store notes or what other programs exported',
  usage: 'SOURCE',
  options,
  help: `SOURCE is a file, a folder, a ZIP archive as downloaded, or - for standard input. The format is detected from the content:

  memories   memories copied from ChatGPT, Claude or Gemini: dated lines, bullets, headed sections
  chatgpt    ChatGPT’s export: the archive, its folder, or conversations.json
  claude     Claude’s export: the archive, its folder, conversations.json, memories.json or projects
  gemini     Google Takeout with My Activity › Gemini Apps: the archive, its folder, MyActivity.json or MyActivity.html
  mem0       the result of mem0’s getAll or export
  zep        facts, episodes, threads or sessions of Zep and Graphiti
  letta      an agent file of Letta (.af), or archival passages
  obsidian   an Obsidian vault
  markdown   a note, or a folder of notes
  text       plain text
  mirror     the output of keepsake export --markdown
  archive    the output of keepsake export: goes directly into the store; only secrets are replaced (--data-dir, --database-url)
  jsonl      one object per line: {"content", "created_at"?, "metadata"?, "ttl"?, "project"?, "source"?}

Each item carries an idempotency key made from its content, so sending it twice stores it once. After an interruption, --resume continues.
Items that content protection refuses are listed, and the rest are stored.

Exit codes: 0 everything is stored, 1 some items were refused, 2 the source can’t be read, 3 the service can’t be reached,
4 it refuses the key.`,
  examples: [
    'keepsake import --user ana --dry-run chatgpt-export.zip',
    'keepsake import --user ana chatgpt-export.zip',
    'keepsake import --user ana --resume chatgpt-export.zip',
    'keepsake import --user ana --project notes ~/vault',
    'pbpaste | keepsake import --user ana --dry-run -',
    'keepsake import --user ana takeout.zip',
    'keepsake import --user ana agent.af',
    'keepsake import --user ana --from-user dev mem0.json',
    'keepsake import --data-dir ./data archive.jsonl',
  ],

  async run(args, io) {
    const { values, positionals } = parse(args)
    const [path, ...more] = positionals
    if (path === undefined || path === '' || more.length > 0) throw new UsageError('name one file, folder or archive')
    const together = numberOption('parallel', values.parallel, { min: 1, max: 32, whole: true }) ?? 1
    const source = await openSource(path, io.stdin)
    const detected = await formatOf(source, values.format)
    if (detected.format === 'archive') return intoStore(path, source, values, io)
    const reading = {
      nowMs: clockOf(io).now(),
      userOnly: values['user-only'] === true,
      fileTimes: values['file-times'] === true,
      fromUser: values['from-user'],
    }
    // Reads everything before sending anything: a truncated file fails at once, and progress can show the time left.
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
  const detected = format === undefined ? await detect(source) : await filesFor(format, source)
  if (detected.files.length === 0) throw new SourceError(`it contains no ${detected.format} files`)
  return detected
}

/** Bypasses the service, so that ids, times and histories stay the same. */
async function intoStore(path: string, { files: [file] }: Source, values: Values, io: Io): Promise<number> {
  if (values.user !== undefined || values.project !== undefined) {
    throw new UsageError('a Keepsake archive names its users and projects itself: omit --user and --project')
  }
  // Loaded on demand: it loads the storage engines.
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

/** Undefined if the state file can't be written: importing without one is better than not importing. */
async function stateFor(path: string, values: Values, io: Io): Promise<ImportState | undefined> {
  if (path === '-' && values.state === undefined) {
    if (values.resume) throw new UsageError('--resume needs --state FILE if the source is standard input')
    return undefined
  }
  // The id of the key, which is not secret.
  const whose = values.user ?? io.env?.KEEPSAKE_USER ?? /^ksk_([^_]+)_/.exec(apiKeyOf(values, io) ?? '')?.[1] ?? ''
  try {
    return await openState(values.state ?? statePathOf(path), `${urlOf(values, io)}\n${whose}`)
  } catch (error) {
    if (values.state !== undefined || values.resume || !isNoPlace(error)) throw error
    await writeLine(
      io.stderr,
      'keepsake import: can’t write the state file beside the source; choose another place with --state',
    )
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

/** A piece takes seconds to store; on a busy machine it can take a minute. */
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
    // An item's own values override the options. Both are part of its key.
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
  const { items, stored, doneBefore, memories, refused, refusals, leftOut, omissions, secrets } = tally
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
      secrets,
      state: shown.state?.path ?? null,
    })
    return
  }
  for (const line of summary(tally)) await writeLine(io.stdout, line)
  if (!shown.isWhole && shown.state)
    await writeLine(io.stdout, 'Incomplete: run the same command with --resume to continue.')
}
