/**
 * Who did what, one JSON object per line: `time`, `event` and its details, `ip`, `request_id`, `outcome`,
 * and the two members of the chain (`audit-chain.ts` describes it for those who verify a log).
 */
import { type Clock, isoTimestamp } from '../core/clock.js'
import { chainLine, firstPrevHash, tornHash } from './audit-chain.js'
import { type AuditFile, openAuditFile } from './audit-file.js'
import type { AuditLog } from './audit-log.js'

export interface OpenAuditLog extends AuditLog {
  /** The number of failed writes; each is retried. */
  writeErrors(): number
  /** Continues in a new file if the old one was renamed; otherwise, and without a file, does nothing. */
  reopen(): Promise<void>
}

export interface AuditLogOptions {
  /** Absent: standard output, or `write`. */
  readonly file?: string
  /** A file of this size is renamed, and a new one begun. Absent: never. */
  readonly maxFileBytes?: number
  readonly clock: Clock
  /** Receives each line, without a line feed, instead of standard output. */
  readonly write?: (line: string) => void
  readonly onError?: (error: unknown) => void
}

/** The destination of complete lines, without their line feeds. */
interface Sink {
  /** False: it cannot take the line now. */
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
      : await fileLog(options.file, options, onError)
  return { ...log, writeErrors: () => writeErrors }
}

interface ChainedLog extends AuditLog {
  reopen(): Promise<void>
  append(entry: Readonly<Record<string, unknown>>): void
}

function chainedLog(sink: Sink, clock: Clock, lastHash: string): ChainedLog {
  let prevHash = lastHash
  let lost = 0

  /** A line that was not taken is not part of the chain. */
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
    reopen: async () => undefined,
    close: () => sink.close(),
  }
}

const noRequest = { ip: null, request_id: null }

const rotated = { event: 'audit.rotated', ...noRequest, outcome: 'success' }

async function fileLog(
  path: string,
  { clock, maxFileBytes: maxBytes }: AuditLogOptions,
  onError: (error: unknown) => void,
): Promise<ChainedLog> {
  const file = await openAuditFile({ path, clock, maxBytes, onError })
  const log = chainedLog(file, clock, file.lastHash ?? firstPrevHash)
  tellOfTheStart(file, log)
  return {
    ...log,
    record(...event) {
      if (file.isFull()) {
        file.rotate()
        log.append(rotated)
      }
      log.record(...event)
    },
    reopen: () => file.reopen(() => log.append(rotated)),
  }
}

function tellOfTheStart({ torn, continuesRotated }: AuditFile, { append }: ChainedLog): void {
  if (torn.length > 0) {
    const cut = { torn_lines: torn.length, torn_sha256: tornHash(torn) }
    append({ event: 'audit.resumed', ...cut, ...noRequest, outcome: 'success' })
  } else if (continuesRotated) append(rotated)
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
 * A reader of standard output that goes away must not stop the service. A write to a pipe waits until its bytes are taken, and may
 * give the processor to the reader: the lines of one turn of the event loop are written together, after its responses.
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
