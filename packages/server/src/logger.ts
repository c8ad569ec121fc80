/** The service's log: JSON lines, and nothing in them that looks like a secret. */
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import { redact } from './core/redact.js'

export function openLogger(level: string, destination?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    serializers: { err: redactedError },
    hooks: {
      logMethod(values, log) {
        // What is logged is an object and a message, or a message alone.
        log.apply(this, values.map((value) => (typeof value === 'string' ? redact(value) : value)) as typeof values)
      },
    },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}

/** Pino's own view of an error, with its causes in message and stack; other members (a request, a body) are left out. */
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
