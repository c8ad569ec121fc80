import { ConfigError } from '../config/config.js'
import { redact } from '../core/redact.js'

/** One line with the setting to change where the operator can fix it; the stack only where the fault is ours. */
export function startFailure(error: unknown): string {
  return `keepsake: ${redact(lineFor(error))}`
}

function lineFor(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { message } = error
  if (error instanceof ConfigError || 'operatorMessage' in error) return message
  // Errors of the operating system (a port in use, a path that is not a directory) have a `syscall`.
  if (!('syscall' in error)) return error.stack ?? message
  if ('code' in error && error.code === 'EADDRINUSE')
    return `SERVICE_PORT: another process is listening there (${message}); for example SERVICE_PORT=8788`
  if (error.syscall === 'mkdir')
    return `SERVICE_DATA_DIR: must be a directory that can be created and written to (${message}); for example SERVICE_DATA_DIR=./data`
  return message
}
