/**
 * An archive into a store: read once to see that all of it is right and none of its users is there, then again to write
 * it. What was interrupted goes on where it stopped, because the store knows how far it came.
 */
import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  openPortableReader,
  openPortableWriter,
  type PortableRecord,
  PortableRefused,
  type PortableStore,
  type PortableWriter,
  parsePortable,
} from '@keepsake/server/portable'
import { type CheckedArchive, type Counts, checkArchive } from '../archive/lines.js'
import { RecordBatches } from '../archive/record-batches.js'
import { UsageError } from '../command.js'
import type { Progress, ProgressOptions } from '../progress.js'

export interface ArchiveImport {
  readonly target: PortableStore
  /** Looks at everything and writes nothing. */
  readonly dryRun?: boolean
  /** False: what an interrupted run left is refused, not gone on with. */
  readonly resume?: boolean
  readonly progress?: (options: ProgressOptions) => Progress
  readonly signal?: AbortSignal
}

export interface ArchiveReport {
  readonly users: number
  readonly counts: Counts
  /** Records that an earlier run had written. */
  readonly resumedAfter: number
  /** Versions whose content does not fit its checksum, in the store that was exported, too. */
  readonly mismatches: number
  /** The service embeds them after its next start; until then they are found by words. */
  readonly withoutVectors: boolean
  readonly dryRun: boolean
}

export type ArchiveSource = { readonly path: string } | { readonly stream: AsyncIterable<Uint8Array> }

const noProgress: Progress = { advance: () => undefined, end: () => undefined }

export async function importArchive(options: ArchiveSource & ArchiveImport): Promise<ArchiveReport> {
  if ('path' in options) return importFile(options.path, options)
  // It is read twice, so a stream is kept for as long as that takes.
  const path = join(tmpdir(), `keepsake-import-${randomUUID()}`)
  try {
    await pipeline(Readable.from(options.stream), createWriteStream(path, { flags: 'wx', mode: 0o600 }), {
      ...(options.signal && { signal: options.signal }),
    })
    return await importFile(path, options)
  } finally {
    await rm(path, { force: true })
  }
}

async function importFile(path: string, options: ArchiveImport): Promise<ArchiveReport> {
  const { target, dryRun = false, resume = true } = options
  const userIds: string[] = []
  const checked = await passOver(path, options, { label: 'checking', total: null }, (record) => {
    if (record.record === 'user') userIds.push(record.id)
  })
  if (dryRun) {
    refuseExisting(await existingIn(target, userIds))
    return reportOf(checked, userIds, 0, true)
  }
  const writer = await openPortableWriter(target)
  try {
    const resumedAfter = await writer.begin(checked.end.sha256)
    if (resumedAfter > 0 && !resume) {
      throw new UsageError('this archive was imported in part before: without --resume it is not gone on with')
    }
    if (resumedAfter === 0) refuseExisting(await writer.existing(userIds))
    await write(path, options, checked, writer, resumedAfter)
    return reportOf(checked, userIds, resumedAfter, false)
  } finally {
    await writer.close()
  }
}

async function write(
  path: string,
  options: ArchiveImport,
  { end }: CheckedArchive,
  writer: PortableWriter,
  resumedAfter: number,
): Promise<void> {
  const total = Object.values(end.counts).reduce((sum, count) => sum + count, 0)
  const batches = new RecordBatches(writer, resumedAfter)
  const again = await passOver(path, options, { label: 'importing', total }, (record) => batches.add(record))
  if (again.end.sha256 !== end.sha256) throw new UsageError('the archive was changed while it was read')
  await batches.flush()
  await writer.finish()
}

async function passOver(
  path: string,
  { progress, signal }: ArchiveImport,
  shown: Pick<ProgressOptions, 'label' | 'total'>,
  take: (record: PortableRecord) => Promise<void> | void,
): Promise<CheckedArchive> {
  const bar = progress?.({ ...shown, unit: 'records' }) ?? noProgress
  const bytes = createReadStream(path, { highWaterMark: 2 ** 18 })
  try {
    return await checkArchive(bytes, parsePortable, async (record) => {
      signal?.throwIfAborted()
      await take(record)
      bar.advance()
    })
  } finally {
    bytes.destroy()
    bar.end()
  }
}

/** Without making the store that is not there yet. */
async function existingIn(target: PortableStore, userIds: readonly string[]): Promise<string[]> {
  let reader: Awaited<ReturnType<typeof openPortableReader>>
  try {
    reader = await openPortableReader(target)
  } catch (error) {
    if (error instanceof PortableRefused && error.isEmpty) return []
    throw error
  }
  try {
    return await reader.existing(userIds)
  } finally {
    await reader.close()
  }
}

function refuseExisting(userIds: readonly string[]): void {
  if (userIds.length === 0) return
  const [first, ...more] = userIds
  const others = more.length === 0 ? '' : ` and ${more.length} more of the archive’s`
  throw new UsageError(
    `the store has a user ${JSON.stringify(first)}${others} already: forget them first, or use another store`,
  )
}

function reportOf(
  { header, end }: CheckedArchive,
  userIds: readonly string[],
  resumedAfter: number,
  dryRun: boolean,
): ArchiveReport {
  return {
    users: userIds.length,
    counts: end.counts,
    resumedAfter,
    mismatches: end.mismatches,
    withoutVectors: !header.vectors && (end.counts.version ?? 0) > 0,
    dryRun,
  }
}
