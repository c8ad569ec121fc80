/**
 * The file of the audit log, and its rotation. The chain continues from file to file:
 *
 * - By signal: someone (such as logrotate) renames the file and asks to reopen it. Lines recorded until then go into the renamed file,
 *   later ones into a new file at the old path.
 * - By size: the service renames the file to `<path>.<time>` and continues in a new one. It never deletes a file.
 *
 * Each new file begins with `audit.rotated` at once, so it is never empty and a restart finds the chain in it. If a rotation was
 * interrupted before that line, the next start looks for the newest renamed file.
 */
import { type FileHandle, open, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Clock, isoTimestamp } from '../core/clock.js'
import { AppendQueue } from './append-queue.js'
import { readAuditTail, readRotatedTail } from './audit-tail.js'

export interface AuditFile {
  /** The end of the chain: the hash that the first line must follow from, and the cut lines that it must account for. */
  readonly lastHash: string | undefined
  readonly torn: readonly string[]
  /** The chain continues from another file: the first line must say so. */
  readonly continuesRotated: boolean
  /** Takes a line without its line feed; false if it cannot. */
  push(line: string): boolean
  /** If the file was renamed: calls `begin`, which writes the first lines of a new file, and resolves when that is in use. */
  reopen(begin: () => void): Promise<void>
  /** Renames the file; the next line is the first of a new one. */
  rotate(): void
  /** Whether it is time to rotate. */
  isFull(): boolean
  close(): Promise<void>
}

export interface AuditFileOptions {
  readonly path: string
  readonly clock: Clock
  readonly maxBytes: number | undefined
  readonly onError: (error: unknown) => void
}

/** The operator can fix it, and does not need a stack trace. */
export class AuditLogError extends Error {
  override readonly name = 'AuditLogError'
  readonly operatorMessage = true
}

export async function openAuditFile(options: AuditFileOptions): Promise<AuditFile> {
  const { path, clock, maxBytes = Number.POSITIVE_INFINITY, onError } = options
  const { tail, continuesRotated, ...opened } = await openExisting(path)
  let { file, size: bytes } = opened
  const queue = new AppendQueue({ write: async (lines) => (await file.write(lines)).bytesWritten, onError })
  if (!tail.endsWithLineFeed) queue.push('\n')

  /** If no new file can be opened, the old one stays in use: nothing is lost. */
  async function replaceFile(renameFirst: boolean): Promise<void> {
    try {
      if (await isAt(path, file)) {
        if (!renameFirst) return
        await renameIfThere(path, await unusedName(`${path}.${fileTime(clock)}`))
      }
      const old = file
      file = await openEmpty(path)
      await old.datasync()
      await old.close()
    } catch (error) {
      onError(error)
    }
  }

  function goOnInNewFile(renameFirst: boolean): Promise<void> {
    // Waiting lines are counted too. After a failure the next attempt comes after another full file.
    bytes = 0
    return new Promise((resolve) => queue.between(() => replaceFile(renameFirst).then(resolve)))
  }

  return {
    lastHash: tail.lastHash,
    torn: tail.torn,
    continuesRotated,
    push(line) {
      const taken = queue.push(`${line}\n`)
      if (taken) bytes += line.length + 1
      return taken
    },
    async reopen(begin) {
      if (await isAt(path, file)) return
      const done = goOnInNewFile(false)
      begin()
      await done
    },
    rotate: () => void goOnInNewFile(true),
    isFull: () => bytes >= maxBytes,
    async close() {
      await queue.close()
      try {
        await file.datasync()
        await file.close()
      } catch (error) {
        onError(error)
      }
    },
  }
}

/** Whether the open file is still the one at its path. */
async function isAt(path: string, file: FileHandle): Promise<boolean> {
  const there = await stat(path).catch(() => undefined)
  const { dev, ino } = await file.stat()
  return there?.dev === dev && there.ino === ino
}

/** File names sort by time, so `<path>.*` lists rotated files in the order of the chain. */
function fileTime(clock: Clock): string {
  return isoTimestamp(clock.now()).replace(/[-:]/g, '')
}

async function unusedName(name: string): Promise<string> {
  for (let more = 0; ; more += 1) {
    const candidate = more === 0 ? name : `${name}-${String(more).padStart(3, '0')}`
    if ((await stat(candidate).catch(() => undefined)) === undefined) return candidate
  }
}

async function openEmpty(path: string): Promise<FileHandle> {
  const file = await openRegularFile(path)
  if ((await file.stat()).size === 0) return file
  await file.close()
  throw new Error('the file that replaced the audit log is not empty')
}

/** Someone else may have renamed it since the check: then there is nothing left to do. */
async function renameIfThere(path: string, to: string): Promise<void> {
  try {
    await rename(path, to)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
}

async function openExisting(path: string) {
  let file: FileHandle | undefined
  try {
    file = await openRegularFile(path)
    const { size } = await file.stat()
    const own = await readAuditTail(file)
    const rotated = own.lastHash === undefined ? await readRotatedTail(path) : undefined
    const tail = rotated ? { ...own, lastHash: rotated.lastHash, torn: [...rotated.torn, ...own.torn] } : own
    return { file, size, tail, continuesRotated: rotated !== undefined }
  } catch (error) {
    await file?.close()
    throw new AuditLogError(`The audit log ${path} can't be used: ${reasonOf(error, path)}`, { cause: error })
  }
}

async function openRegularFile(path: string): Promise<FileHandle> {
  const known = await stat(path).catch(() => undefined)
  // Opening a pipe would wait for a reader, and a device has no end to append to.
  if (known && !known.isFile()) throw new Error('it is not a regular file; leave the setting out for standard output')
  // Only the owner may read who did what: 0600.
  return open(path, 'a+', 0o600)
}

function reasonOf(error: unknown, path: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT' || code === 'ENOTDIR') return `the directory ${dirname(path)} does not exist; create it first`
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return 'this process may not write there'
  return error instanceof Error ? error.message : String(error)
}
