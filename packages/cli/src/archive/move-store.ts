/** Moves a whole data directory into a database. */

import { openPortableReader, openPortableWriter, type PortableReader } from '@keepsake/server/portable'
import { exitCodes, type Io, UsageError } from '../command.js'
import { counted } from '../output.js'
import { showProgress } from '../progress.js'
import { type StoreOptions, settings } from '../store-option.js'
import type { Counts } from './lines.js'
import { RecordBatches } from './record-batches.js'
import { differences, everything, type Survey, sumOf, survey } from './survey.js'

/** Returns the exit code. */
export async function moveToPostgres(values: StoreOptions & { readonly json?: boolean }, io: Io): Promise<number> {
  const config = await settings()
  const dataDir = values['data-dir'] ?? config.dataDir
  const databaseUrl = values['database-url'] ?? config.databaseUrl
  if (!databaseUrl) throw new UsageError('name the database with SERVICE_DATABASE_URL or --database-url')
  const source = await openPortableReader({ dataDir }, { locked: true })
  try {
    const moved = await move(source, { databaseUrl, partitions: config.databasePartitions }, io)
    io.stdout.write(`${values.json ? JSON.stringify(moved) : sentence(moved, dataDir)}\n`)
    return moved.mismatches === 0 && moved.different.length === 0 ? exitCodes.fine : exitCodes.failed
  } finally {
    await source.close()
  }
}

interface Moved {
  readonly counts: Counts
  readonly resumed_after: number
  readonly mismatches: number
  /** What differs between the two sides; empty if nothing does. */
  readonly different: readonly string[]
}

type Target = { readonly databaseUrl: string; readonly partitions: number }

async function move(source: PortableReader, target: Target, io: Io): Promise<Moved> {
  const total = await source.count(everything)
  const bar = (label: string) => showProgress(io.stderr, { label, unit: 'records', total })
  const reading = bar('reading')
  // Done before anything is written: the sum also identifies an interrupted run.
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
    `the database already has ${userIds.length} of these users, for example ${JSON.stringify(userIds[0])}: use an empty database`,
  )
}

function sentence({ counts, resumed_after, mismatches, different }: Moved, dataDir: string): string {
  const { user = 0, memory = 0, version = 0, key = 0 } = counts
  const lines = [
    `moved ${counted(user, 'user')}, ${counted(memory, 'memory', 'memories')}, ${counted(version, 'version')}, ${counted(key, 'key')}${resumed_after > 0 ? ` (${counted(resumed_after, 'record')} by an earlier run)` : ''}`,
  ]
  if (different.length === 0) lines.push('both sides are identical; start the service with SERVICE_DATABASE_URL')
  else lines.push(`the sides differ: ${different.slice(0, 5).join(', ')}${different.length > 5 ? ' …' : ''}`)
  if (mismatches > 0)
    lines.push(`the content of ${mismatches} versions does not match its checksum, in the database and in ${dataDir}`)
  return lines.join('\n')
}
