/** The text of `--help`, generated from the command table. */
import type { Command, Option, Options } from './command.js'
import { connectionOptions } from './connection.js'
import { columns } from './output.js'

const exitCodeLine =
  'Exit codes: 0 success, 1 failure, 2 usage error, 3 service unreachable, 4 refused, 5 not found, 6 rate limited.'

export function overview(commands: readonly Command[]): string {
  return [
    'keepsake COMMAND [OPTIONS]',
    '',
    ...columns(commands.map(({ name, summary }) => [`  ${name}`, summary])),
    '',
    'Run keepsake COMMAND --help for details and examples. KEEPSAKE_URL, KEEPSAKE_API_KEY, KEEPSAKE_USER and KEEPSAKE_PROJECT',
    'set the options of the same names.',
    exitCodeLine,
    '',
  ].join('\n')
}

/** Help for a group of commands that share a first word: `keepsake keys --help`. */
export function groupHelp(group: string, commands: readonly Command[]): string {
  const lines = columns(
    commands.map(({ name, also = [], summary }) => [
      `  ${name}`,
      also.includes(group) ? `${summary}; also ${group}` : summary,
    ]),
  )
  return [`keepsake ${group} …`, '', ...lines, '', 'Run keepsake COMMAND --help for details.', ''].join('\n')
}

export function helpOf(command: Command): string {
  const { name, usage, help, options = {}, examples = [] } = command
  const own = entries(options, (option) => !isConnection(option))
  const connection = entries(options, isConnection)
  return [
    `keepsake ${[name, own.length + connection.length > 0 ? '[OPTIONS]' : '', usage].filter(Boolean).join(' ')}`,
    '',
    help,
    ...section('Options', own),
    ...section('Connection', connection),
    ...(examples.length === 0 ? [] : ['', 'Examples:', '', ...examples.map((line) => `  ${line}`)]),
    ...(help.includes('Exit codes') ? [] : ['', exitCodeLine]),
    '',
  ].join('\n')
}

function isConnection(option: Option): boolean {
  return Object.values<Option>(connectionOptions).includes(option)
}

function entries(options: Options, isMeant: (option: Option) => boolean): string[] {
  const meant = Object.entries(options).filter(([, option]) => isMeant(option))
  return columns(meant.map(([name, option]) => [`  ${optionText(name, option)}`, option.help]))
}

function optionText(name: string, { short, value, multiple }: Option): string {
  const value_ = value === undefined ? '' : ` ${value}`
  return `${short === undefined ? '' : `-${short}, `}--${name}${value_}${multiple ? ' …' : ''}`
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `${title}:`, '', ...lines]
}
