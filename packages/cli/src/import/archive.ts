/**
 * Imports an archive into a store. The archive is read twice: first to check it and to make sure that the store has none of
 * its users, then to write it. An interrupted import continues where it stopped, because the store records its progress.
 */
import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  ArchiveSecrets,
  openPortableReader,
  openPortableWriter,
  type PortableRecord,
  PortableRefused,
  type PortableStore,
  parsePortable,
  type RedactedKind,
  type SecretPolicy,
} from '@keepsake/server/portable'
import { type CheckedArchive, type Counts, checkArchive } from '../archive/lines.js'
import { RecordBatches } from '../archive/record-batches.js'
import { UsageError } from '../command.js'
import type { Progress, ProgressOptions } from '../progress.js'

export interface ArchiveImport {
  readonly target: PortableStore
  /** Checks everything and writes nothing. */
  readonly dryRun?: boolean
  /** If false, an interrupted import is refused instead of continued. */
  readonly resume?: boolean
  /** What happens to secrets in texts; by default they are replaced. */
  readonly secrets?: SecretPolicy
  readonly progress?: (options: ProgressOptions) => Progress
  readonly signal?: AbortSignal
}

export interface ArchiveReport {
  readonly users: number
  readonly counts: Counts
  /** Number of records that an earlier run wrote. */
  readonly resumedAfter: number
  /** Versions whose content does not match its checksum. They did not match in the exported store either. */
  readonly mismatches: number
  /** The service embeds the memories after its next start; until then it finds them only by keyword. */
  readonly withoutVectors: boolean
  readonly dryRun: boolean
  /** Secrets that were replaced by marks. */
  readonly redacted: readonly RedactedKind[]
}

export type ArchiveSource = { readonly path: string } | { readonly stream: AsyncIterable<Uint8Array> }

const noProgress: Progress = { advance: () => undefined, end: () => undefined }

export async function importArchive(options: ArchiveSource & ArchiveImport): Promise<ArchiveReport> {
  if ('path' in options) return importFile(options.path, options)
  // The archive is read twice, so a stream is saved to a temporary file.
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
  const { target, dryRun = false, resume = true, secrets: policy = 'redact' } = options
  const secrets = policy === 'keep' ? undefined : new ArchiveSecrets()
  const userIds: string[] = []
  const checked = await passOver(path, options, { label: 'checking', total: null }, (record) => {
    if (record.record === 'user') userIds.push(record.id)
    secrets?.survey(record)
  })
  const redacted = secrets?.found ?? []
  if (policy === 'refuse' && redacted.length > 0) throw new UsageError(refusalOf(redacted))
  if (dryRun) {
    refuseExisting(await existingIn(target, userIds))
    return { ...reportOf(checked, userIds, 0, true), redacted }
  }
  const writer = await openPortableWriter(target)
  try {
    const resumedAfter = await writer.begin(checked.end.sha256)
    if (resumedAfter > 0 && !resume) {
      throw new UsageError('this archive was partly imported before: pass --resume to continue')
    }
    if (resumedAfter === 0) refuseExisting(await writer.existing(userIds))
    await write(path, options, checked, new RecordBatches(writer, resumedAfter, secrets))
    await writer.finish()
    return { ...reportOf(checked, userIds, resumedAfter, false), redacted }
  } finally {
    await writer.close()
  }
}

async function write(
  path: string,
  options: ArchiveImport,
  { end }: CheckedArchive,
  batches: RecordBatches,
): Promise<void> {
  const total = Object.values(end.counts).reduce((sum, count) => sum + count, 0)
  const again = await passOver(path, options, { label: 'importing', total }, (record) => batches.add(record))
  if (again.end.sha256 !== end.sha256) throw new UsageError('the archive changed while it was read')
  await batches.flush()
}

function refusalOf(redacted: readonly RedactedKind[]): string {
  const kinds = redacted.map(({ kind, count }) => `${kind} (${count})`).join(', ')
  return `the archive contains secrets: ${kinds}; SERVICE_SECRETS=redact replaces them, keep imports them`
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

/** Does not create the store if it does not exist. */
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
  const others = more.length === 0 ? '' : ` and ${more.length} more of the archive`
  throw new UsageError(
    `the store already has the user ${JSON.stringify(first)}${others}: erase them first, or use another store`,
  )
}

function reportOf(
  { header, end }: CheckedArchive,
  userIds: readonly string[],
  resumedAfter: number,
  dryRun: boolean,
): Omit<ArchiveReport, 'redacted'> {
  return {
    users: userIds.length,
    counts: end.counts,
    resumedAfter,
    mismatches: end.mismatches,
    withoutVectors: !header.vectors && (end.counts.version ?? 0) > 0,
    dryRun,
  }
}
