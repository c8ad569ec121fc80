import { type Io, UsageError } from './command.js'
import { readAnswer } from './input.js'
import { oneLine } from './terminal-text.js'

/** Asks on standard error, so that standard output holds the answer only. Where nobody can be asked, nothing is taken for a yes. */
export async function confirmed(question: string, io: Io): Promise<boolean> {
  if (io.stdin.isTTY !== true) throw new UsageError('nobody is there to be asked: --yes says yes')
  io.stderr.write(`${oneLine(question)} [y/N] `)
  return /^y(es)?$/i.test(await readAnswer(io.stdin))
}
