import { type Io, UsageError } from './command.js'
import { readAnswer } from './input.js'
import { oneLine } from './terminal-text.js'

/** Asks on standard error, so that standard output holds only the result. Without a terminal it throws instead of assuming a yes. */
export async function confirmed(question: string, io: Io): Promise<boolean> {
  if (io.stdin.isTTY !== true) throw new UsageError('can’t ask for confirmation without a terminal: pass --yes')
  io.stderr.write(`${oneLine(question)} [y/N] `)
  return /^y(es)?$/i.test(await readAnswer(io.stdin))
}
