import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { openPortableReader, type PortableReader, type PortableSelection } from '@keepsake/server/portable'
import { type ArchiveOutput, fileOutput, streamOutput } from '../archive/archive-output.js'
import { type ArchiveEnd, ArchiveLines } from '../archive/lines.js'
import { type Command, exitCodes, type Io, UsageError } from '../command.js'
import { showProgress } from '../progress.js'
import { storeOf } from '../store-option.js'

const options = {
  user: { type: 'string' },
  vectors: { type: 'boolean' },
  keys: { type: 'boolean' },
  'data-dir': { type: 'string' },
  'database-url': { type: 'string' },
  json: { type: 'boolean' },
} as const

export const exportArchive: Command = {
  name: 'export',
  summary: 'write all that is kept of a user, or of everybody, into one file',
  usage: '[--user ID] [--vectors] [--keys] [--data-dir DIRECTORY | --database-url URL] [--json] [FILE]',
  help: `Writes JSON Lines, in one consistent state, while the service runs: memories with all versions, entities, relationships,
contradictions, merges, originals and texts that wait. Without FILE, or with -, to standard output. Contents are compared
with their checksums. \`keepsake import\` reads it back, exactly, into either engine; docs/import-export.md describes it.

  --user ID              this user alone; without it everybody
  --vectors              with the vectors, so that nothing has to be embedded anew; more than twice the size
  --keys                 with the hashes of API keys, so that keys work on in the new place
  --data-dir DIRECTORY   the service’s data directory
  --database-url URL     the service’s PostgreSQL; SERVICE_DATABASE_URL keeps its password out of the list of processes
                         without either: as the settings of the service say (SERVICE_…, the .env file here, or ./data)
  --json                 what was written as one JSON object, to standard error where the archive is on standard output

Examples:

  keepsake export --user alice alice.jsonl
  keepsake export --vectors --keys - | gzip > everything.jsonl.gz

Exit codes: 0 done, 1 done, but some content does not fit its checksum, 2 not done.`,

  async run(args, io) {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options })
    const [name = '-', ...more] = positionals
    if (more.length > 0 || name === '') throw new UsageError('name one file to write, or - for standard output')
    if (values.user === '') throw new UsageError('--user must not be empty')
    const selection: PortableSelection = {
      ...(values.user === undefined ? {} : { user: values.user }),
      vectors: values.vectors ?? false,
      keys: values.keys ?? false,
    }
    const reader = await openPortableReader(storeOf(values))
    try {
      if (values.user !== undefined) await requireUser(reader, selection, values.user)
      const output = name === '-' ? streamOutput(io.stdout) : await fileOutput(resolve(name))
      const end = await writeArchive(reader, selection, output, io)
      const report = values.json ? JSON.stringify({ file: name, ...summaryOf(end) }) : sentence(name, end)
      const { stdout, stderr } = io
      const said = name === '-' ? stderr : stdout
      said.write(`${report}\n`)
      return end.mismatches === 0 ? exitCodes.fine : exitCodes.failed
    } finally {
      await reader.close()
    }
  },
}

/** A misspelt name should not leave an empty archive that looks like a back-up. */
async function requireUser(reader: PortableReader, selection: PortableSelection, user: string): Promise<void> {
  if ((await reader.count({ ...selection, keys: true })) === 0) {
    throw new UsageError(`the store has no user ${JSON.stringify(user)}`)
  }
}

async function writeArchive(
  reader: PortableReader,
  selection: PortableSelection,
  output: ArchiveOutput,
  io: Io,
): Promise<ArchiveEnd> {
  const lines = new ArchiveLines()
  const { user = null, vectors, keys } = selection
  const progress = showProgress(io.stderr, {
    label: 'exporting',
    unit: 'records',
    total: await reader.count(selection),
  })
  try {
    await output.write(lines.header({ made_at: new Date().toISOString(), vectors, keys, user }))
    let memoryId = ''
    for await (const record of reader.read(selection)) {
      if (record.record === 'memory') memoryId = record.id
      const before = lines.mismatches
      await output.write(lines.record(record))
      progress.advance()
      if (lines.mismatches > before && record.record === 'version') {
        progress.end()
        io.stderr.write(`version ${record.version} of ${memoryId}: its content does not fit its checksum\n`)
      }
    }
    const { line, end } = lines.end()
    await output.write(line)
    await output.finish()
    return end
  } catch (error) {
    await output.discard()
    throw error
  } finally {
    progress.end()
  }
}

function summaryOf({ counts, mismatches, sha256 }: ArchiveEnd) {
  return { counts, mismatches, sha256 }
}

function sentence(name: string, { counts, mismatches, sha256 }: ArchiveEnd): string {
  const { user = 0, memory = 0, version = 0 } = counts
  const records = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const file = name === '-' ? 'standard output' : name
  const all = `${file}: ${user} users, ${memory} memories, ${version} versions, ${records} records, sha256 ${sha256}`
  return mismatches === 0 ? all : `${all}; the content of ${mismatches} versions does not fit its checksum`
}
