/**
 * Who did what, one JSON object a line: `time`, `event` and its details, `ip`, `request_id`, `outcome`,
 * and the two members of the chain (`audit-chain.ts` describes it for those who check a log).
 */
import { type FileHandle, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Clock, isoTimestamp } from '../core/clock.js'
import { appendQueue } from './append-queue.js'
import { chainLine, firstPrevHash } from './audit-chain.js'
import type { AuditLog } from './audit-log.js'
import { type AuditTail, readAuditTail } from './audit-tail.js'

export interface OpenAuditLog extends AuditLog {
  /** Writes that failed; a failed one is tried again. */
  writeErrors(): number
}

export interface AuditLogOptions {
  /** Absent: standard output, or `write`. */
  readonly file?: string
  readonly clock: Clock
  /** Takes one line, without a line feed, instead of standard output. */
  readonly write?: (line: string) => void
  readonly onError?: (error: unknown) => void
}

/** The operator can mend it, and needs no stack for that. */
export class AuditLogError extends Error {
  override readonly name = 'AuditLogError'
  readonly operatorMessage = true
}

/** Where finished lines go, without their line feeds. */
interface Sink {
  /** False: it can't take the line now. */
  push(line: string): boolean
  close(): Promise<void>
}

export async function openAuditLog(options: AuditLogOptions): Promise<OpenAuditLog> {
  let writeErrors = 0
  const onError = (error: unknown): void => {
    writeErrors += 1
    options.onError?.(error)
  }
  const log =
    options.file === undefined
      ? chainedLog(options.write ? callSink(options.write, onError) : outputSink(onError), options.clock, firstPrevHash)
      : await fileLog(options.file, options.clock, onError)
  return { record: log.record, close: log.close, writeErrors: () => writeErrors }
}

interface ChainedLog extends AuditLog {
  append(entry: Readonly<Record<string, unknown>>): void
}

function chainedLog(sink: Sink, clock: Clock, lastHash: string): ChainedLog {
  let prevHash = lastHash
  let lost = 0

  /** A line that was not taken is not in the chain either. */
  function push(entry: Readonly<Record<string, unknown>>): boolean {
    const line = chainLine({ time: isoTimestamp(clock.now()), ...entry }, prevHash)
    const taken = sink.push(line.text)
    if (taken) prevHash = line.hash
    return taken
  }

  function append(entry: Readonly<Record<string, unknown>>): void {
    if (lost > 0 && push({ event: 'audit.lost', lines: lost, ...noRequest, outcome: 'failed' })) lost = 0
    if (lost > 0 || !push(entry)) lost += 1
  }

  return {
    append,
    record: ({ ip, requestId }, event, outcome) => append({ ...event, ip, request_id: requestId, outcome }),
    close: () => sink.close(),
  }
}

const noRequest = { ip: null, request_id: null }

async function fileLog(path: string, clock: Clock, onError: (error: unknown) => void): Promise<ChainedLog> {
  const { file, tail } = await openFile(path)
  const queue = appendQueue({ write: async (bytes) => (await file.write(bytes)).bytesWritten, onError })
  const sink: Sink = {
    push: (line) => queue.push(`${line}\n`),
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
  if (!tail.endsWithLineFeed) queue.push('\n')
  const log = chainedLog(sink, clock, tail.lastHash)
  if (tail.torn) {
    const { lines, sha256 } = tail.torn
    log.append({ event: 'audit.resumed', torn_lines: lines, torn_sha256: sha256, ...noRequest, outcome: 'success' })
  }
  return log
}

async function openFile(path: string): Promise<{ readonly file: FileHandle; readonly tail: AuditTail }> {
  let file: FileHandle | undefined
  try {
    const known = await stat(path).catch(() => undefined)
    // Opening a pipe would wait for a reader, and a device has no end to continue from.
    if (known && !known.isFile()) throw new Error('it is not a regular file; leave the setting out for standard output')
    // Who did what is nobody else's business: 0600.
    file = await open(path, 'a+', 0o600)
    return { file, tail: await readAuditTail(file) }
  } catch (error) {
    await file?.close()
    throw new AuditLogError(`The audit log ${path} can't be used: ${reasonOf(error, path)}`, { cause: error })
  }
}

function reasonOf(error: unknown, path: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT' || code === 'ENOTDIR') return `the directory ${dirname(path)} does not exist; create it first`
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return 'this process may not write there'
  return error instanceof Error ? error.message : String(error)
}

function callSink(write: (line: string) => void, onError: (error: unknown) => void): Sink {
  return {
    push(line) {
      try {
        write(line)
        return true
      } catch (error) {
        onError(error)
        return false
      }
    },
    close: async () => undefined,
  }
}

/**
 * A reader of standard output that went away must not end the service. Writing to a pipe waits until its bytes are taken,
 * and may give the processor to whoever reads them: the lines of one turn go out together, after the answers of that turn.
 */
function outputSink(onError: (error: unknown) => void): Sink {
  let waiting = ''
  const flush = (): void => {
    const lines = waiting
    waiting = ''
    if (lines !== '') process.stdout.write(lines)
  }
  process.stdout.on('error', onError)
  process.on('exit', flush)
  return {
    push(line) {
      if (waiting === '') setImmediate(flush)
      waiting += `${line}\n`
      return true
    },
    async close() {
      flush()
      process.off('exit', flush)
      await new Promise<void>((resolve) => process.stdout.write('', () => resolve()))
      process.stdout.off('error', onError)
    },
  }
}
