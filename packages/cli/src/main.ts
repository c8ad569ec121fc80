/** The command line: finds the command and runs it. */
import { readFileSync } from 'node:fs'
import { type Command, exitCodes, type Io } from './command.js'
import { commands } from './commands.js'
import { groupHelp, helpOf, overview } from './help.js'
import { runCommand } from './run-command.js'
import { oneLine } from './terminal-text.js'

export async function main(args: readonly string[], io: Io): Promise<number> {
  const words = isHelp(args[0] ?? '') || args[0] === 'help' ? [...args.slice(1), '--help'] : args
  if (args.length === 0 || (words.length === 1 && isHelp(words[0] ?? ''))) {
    io.stdout.write(overview(commands))
    return args.length === 0 ? exitCodes.unusable : exitCodes.fine
  }
  if (args[0] === '--version') {
    io.stdout.write(`${version()}\n`)
    return exitCodes.fine
  }
  const found = commandOf(words)
  if (found === undefined) return withoutCommand(words, io)
  const rest = words.slice(found.words)
  const own = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest
  if (own.some(isHelp)) {
    const group = found.isShort ? commands.filter(({ name }) => name.startsWith(`${words[0]} `)) : []
    io.stdout.write(group.length > 1 ? groupHelp(words[0] ?? '', group) : helpOf(found.command))
    return exitCodes.fine
  }
  return runCommand(found.command, rest, io)
}

/** Prefers the match with the most words: `entities show` before `entities`. */
function commandOf(args: readonly string[]): { command: Command; words: number; isShort: boolean } | undefined {
  const fitting = commands.flatMap((command) =>
    [command.name, ...(command.also ?? [])]
      .map((name) => ({ name, words: name.split(' ') }))
      .filter(({ words }) => words.every((word, at) => args[at] === word))
      .map(({ name, words: { length } }) => ({ command, words: length, isShort: name !== command.name })),
  )
  return fitting.sort((one, other) => other.words - one.words)[0]
}

function withoutCommand(args: readonly string[], io: Io): number {
  const [first = ''] = args
  const group = commands.filter(({ name }) => name.startsWith(`${first} `))
  if (group.length > 0 && args.slice(1).some(isHelp)) {
    io.stdout.write(groupHelp(first, group))
    return exitCodes.fine
  }
  const there = group.map(({ name }) => name).join(', ')
  const next = there === '' ? 'see keepsake --help' : `available: ${there}`
  io.stderr.write(`keepsake: unknown command ${quoted(args.slice(0, 2).join(' '))}; ${next}\n`)
  return exitCodes.unusable
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h'
}

function version(): string {
  const parsed: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return typeof parsed === 'object' && parsed !== null && 'version' in parsed ? String(parsed.version) : 'unknown'
}

function quoted(text: string): string {
  return oneLine(JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text))
}
