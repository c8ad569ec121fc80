/** The service's log: JSON or readable lines, without anything that looks like a secret. */
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import type { Config } from '../config/config.js'
import { redact } from '../core/redact.js'
import { textLine } from './log-text.js'
import type { Overrides } from './overrides.js'

type Format = Config['logFormat']

interface Output {
  /** Undefined for a pipe or a file. */
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** Readable lines on a terminal, JSON elsewhere, unless the setting says otherwise. `destination` is that of `output`. */
export function logOutput(
  format: Format,
  output: Output,
  destination: DestinationStream = pino.destination(1),
): DestinationStream {
  const isText = format === 'text' || (format === 'auto' && output.isTTY === true)
  return heldLines(isText ? { write: (lines) => destination.write(asText(lines)) } : destination)
}

/** A terminal gets the audit log in the form of the log. A file or a pipe always gets JSON, which can be verified. */
export function writeAuditLine(format: Format, output: Output): Pick<Overrides, 'writeAuditLine'> {
  if (output.isTTY !== true || format === 'json') return {}
  return { writeAuditLine: (line) => void output.write(textLine(line)) }
}

function asText(lines: string): string {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map(textLine)
    .join('')
}

/** The default destination is standard output, as JSON. */
export function openLogger(level: string, destination: DestinationStream = logOutput('json', process.stdout)): Logger {
  const options: LoggerOptions = {
    level,
    serializers: { err: redactedError },
    hooks: {
      logMethod(values, log) {
        // The arguments are an object and a message, or a message alone.
        log.apply(this, values.map((value) => (typeof value === 'string' ? redact(value) : value)) as typeof values)
      },
    },
  }
  return pino(options, destination)
}

/** Pino's number for warnings. */
const warnLevel = 40
const mostHeldMs = 20
const mostHeldCharacters = 16_384

/**
 * Holds lines for a moment and writes them together. A write to a pipe takes a tenth of the time of a recall, and may give the processor
 * to the reader just when the next request arrives. Warnings and errors are written at once: they may be the last lines.
 */
export function heldLines(output: DestinationStream): DestinationStream {
  let waiting = ''
  let timer: NodeJS.Timeout | undefined
  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    const lines = waiting
    waiting = ''
    if (lines !== '') output.write(lines)
  }
  process.once('exit', flush)
  const held = {
    // Asks pino for the level of each line.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string): void {
      waiting += line
      if (held.lastLevel >= warnLevel || waiting.length >= mostHeldCharacters) flush()
      else timer ??= setTimeout(flush, mostHeldMs).unref()
    },
  }
  return held
}

/** Pino's form of an error, with its causes in message and stack; other members (a request, a body) are left out. */
function redactedError(error: unknown): object {
  const seen: unknown = error instanceof Error ? pino.stdSerializers.err(error) : { message: String(error) }
  const { type, message, stack, code } = seen as Readonly<Record<string, unknown>>
  return {
    ...(type === undefined ? {} : { type }),
    message: redact(String(message)),
    ...(stack === undefined ? {} : { stack: redact(String(stack)) }),
    ...(code === undefined ? {} : { code }),
  }
}
