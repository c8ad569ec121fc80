/** Runs one command and reports its errors in one line. Loads what only errors need on demand: some commands are waited for. */
import type { Command, Io } from './command.js'

export async function runCommand(command: Command, args: readonly string[], io: Io): Promise<number> {
  if (command.options && 'api-key' in command.options) {
    const { oldNameNote } = await import('./connection.js')
    const note = oldNameNote(io)
    if (note !== undefined) io.stderr.write(`keepsake ${command.name}: ${note}\n`)
  }
  try {
    return await command.run(args, io)
  } catch (error) {
    const { failureOf } = await import('./failures.js')
    const failure = failureOf(error)
    if (failure === undefined) throw error
    io.stderr.write(`keepsake ${command.name}: ${failure.line}\n`)
    return failure.code
  }
}
