import { parseArgs } from 'node:util'
import { openPortableReader, openPortableWriter, type PortableReader } from '@keepsake/server/portable'
import type { Counts } from '../archive/lines.js'
import { RecordBatches } from '../archive/record-batches.js'
import { differences, everything, type Survey, sumOf, survey } from '../archive/survey.js'
import { type Command, exitCodes, type Io, UsageError } from '../command.js'
import { showProgress } from '../progress.js'
import { settings } from '../store-option.js'

const options = {
  'data-dir': { type: 'string' },
  'database-url': { type: 'string' },
  json: { type: 'boolean' },
} as const

export const migrateToPostgres: Command = {
  name: 'migrate sqlite-to-postgres',
  summary: 'move a whole data directory into PostgreSQL',
  usage: '[--data-dir DIRECTORY] [--database-url URL] [--json]',
  help: `Copies all users with all that is kept of them, texts that wait and API keys into the database, and compares both sides record
by record at the end. The service must be stopped: the directory is locked meanwhile, so that nothing comes after it. The
directory is not changed. Interrupted, however hard, the same command goes on where it stopped.

  --data-dir DIRECTORY   from here; without it SERVICE_DATA_DIR, the .env file here, or ./data
  --database-url URL     into this database; without it SERVICE_DATABASE_URL, which keeps its password out of the list of processes
  --json                 the counts as one JSON object

Example:

  SERVICE_DATABASE_URL=postgres://keepsake:secret@127.0.0.1:5432/keepsake keepsake migrate sqlite-to-postgres --data-dir ./data

Exit codes: 0 moved and found the same, 1 moved, but some content does not fit its checksum or the sides differ, 2 not done.`,

  async run(args, io) {
    const { values } = parseArgs({ args: [...args], options })
    const config = settings()
    const dataDir = values['data-dir'] ?? config.dataDir
    const databaseUrl = values['database-url'] ?? config.databaseUrl
    if (!databaseUrl) throw new UsageError('name the database: SERVICE_DATABASE_URL, or --database-url')
    const source = await openPortableReader({ dataDir }, { locked: true })
    try {
      const moved = await move(source, { databaseUrl, partitions: config.databasePartitions }, io)
      io.stdout.write(`${values.json ? JSON.stringify(moved) : sentence(moved, dataDir)}\n`)
      return moved.mismatches === 0 && moved.different.length === 0 ? exitCodes.fine : exitCodes.failed
    } finally {
      await source.close()
    }
  },
}

interface Moved {
  readonly counts: Counts
  readonly resumed_after: number
  readonly mismatches: number
  /** What is not the same on both sides; empty: all is. */
  readonly different: readonly string[]
}

type Target = { readonly databaseUrl: string; readonly partitions: number }

async function move(source: PortableReader, target: Target, io: Io): Promise<Moved> {
  const total = await source.count(everything)
  const bar = (label: string) => showProgress(io.stderr, { label, unit: 'records', total })
  const reading = bar('reading')
  // Before anything is written: what it holds is also what an interrupted run is known by.
  const original = await survey(source, reading).finally(() => reading.end())
  const resumed_after = await copy(source, original, target, bar('moving'))
  const verifying = bar('verifying')
  const reader = await openPortableReader(target)
  try {
    const copied = await survey(reader, verifying, (group) => original.sums.has(group))
    const { counts, mismatches } = original
    return { counts, resumed_after, mismatches, different: differences(original, copied) }
  } finally {
    verifying.end()
    await reader.close()
  }
}

async function copy(
  source: PortableReader,
  original: Survey,
  target: Target,
  progress: ReturnType<typeof showProgress>,
): Promise<number> {
  const writer = await openPortableWriter(target)
  try {
    const resumedAfter = await writer.begin(sumOf(original))
    if (resumedAfter === 0) refuseExisting(await writer.existing(original.userIds))
    const batches = new RecordBatches(writer, resumedAfter)
    for await (const record of source.read(everything)) {
      await batches.add(record)
      progress.advance()
    }
    await batches.flush()
    await writer.finish()
    return resumedAfter
  } finally {
    progress.end()
    await writer.close()
  }
}

function refuseExisting(userIds: readonly string[]): void {
  if (userIds.length === 0) return
  throw new UsageError(
    `the database has ${userIds.length} of these users already, ${JSON.stringify(userIds[0])} for one: take an empty database`,
  )
}

function sentence({ counts, resumed_after, mismatches, different }: Moved, dataDir: string): string {
  const { user = 0, memory = 0, version = 0, key = 0 } = counts
  const lines = [
    `moved ${user} users, ${memory} memories, ${version} versions, ${key} keys${resumed_after > 0 ? ` (${resumed_after} records by an earlier run)` : ''}`,
  ]
  if (different.length === 0) lines.push('both sides hold the same; start the service with SERVICE_DATABASE_URL')
  else lines.push(`not the same on both sides: ${different.slice(0, 5).join(', ')}${different.length > 5 ? ' …' : ''}`)
  if (mismatches > 0)
    lines.push(`the content of ${mismatches} versions does not fit its checksum, here as in ${dataDir}`)
  return lines.join('\n')
}
