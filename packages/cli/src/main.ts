/** The command line: finds the command, runs it, and tells of what went wrong in one line. */
import { readFileSync } from 'node:fs'
import { type Command, exitCodes, type Io, UsageError } from './command.js'
import { auditVerify } from './commands/audit-verify.js'

import { backup } from './commands/backup.js'
import { mcp } from './commands/mcp.js'

const commands: readonly Command[] = [mcp, backup, auditVerify]

export async function main(args: readonly string[], io: Io): Promise<number> {
  if (args.length === 0 || args[0] === '--help' || args[0] === '-h' || args[0] === 'help') {
    io.stdout.write(overview())
    return args.length === 0 ? exitCodes.unusable : exitCodes.fine
  }
  if (args[0] === '--version') {
    io.stdout.write(`${version()}\n`)
    return exitCodes.fine
  }
  const command = commands.find(({ name }) => name.split(' ').every((word, index) => args[index] === word))
  if (command === undefined) {
    io.stderr.write(`keepsake: there is no command ${quoted(args.slice(0, 2).join(' '))}; see keepsake --help\n`)
    return exitCodes.unusable
  }
  const rest = args.slice(command.name.split(' ').length)
  if (rest.includes('--help') || rest.includes('-h')) {
    io.stdout.write(`keepsake ${command.name} ${command.usage}\n\n${command.help}\n`)
    return exitCodes.fine
  }
  return run(command, rest, io)
}

async function run(command: Command, args: readonly string[], io: Io): Promise<number> {
  try {
    return await command.run(args, io)
  } catch (error) {
    if (!isOperators(error)) throw error
    io.stderr.write(`keepsake ${command.name}: ${error.message}\n`)
    return exitCodes.unusable
  }
}

/** What the caller can mend: a wrong call, the system's refusal of a file, which has a `syscall`, and what the service's parts say of themselves. */
function isOperators(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  const isBadOption = 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  return error instanceof UsageError || isBadOption || 'syscall' in error || 'operatorMessage' in error
}

function overview(): string {
  const widest = Math.max(...commands.map(({ name }) => name.length))
  return [
    'keepsake COMMAND [OPTIONS]',
    '',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(widest)}  ${summary}`),
    '',
    'keepsake COMMAND --help tells more. Exit codes: 0 fine, 1 not so, 2 a wrong call or a file that can’t be read.',
    '',
  ].join('\n')
}

function version(): string {
  const parsed: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return typeof parsed === 'object' && parsed !== null && 'version' in parsed ? String(parsed.version) : 'unknown'
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}
