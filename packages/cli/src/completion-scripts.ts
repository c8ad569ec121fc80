/** Shell completion scripts, generated from the same table as `--help`. */
import type { Command, Option, Options } from './command.js'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

export function completionScript(shell: Shell, commands: readonly Command[]): string {
  return { bash, zsh, fish }[shell](commands)
}

/** Every name and alias, longest first, so that `entities show` matches before `entities`. */
function spellings(commands: readonly Command[]): { readonly typed: string; readonly command: Command }[] {
  return commands
    .flatMap((command) => [command.name, ...(command.also ?? [])].map((typed) => ({ typed, command })))
    .sort(
      (one, other) =>
        other.typed.split(' ').length - one.typed.split(' ').length || one.typed.localeCompare(other.typed),
    )
}

/** Each first word once, with the second words that may follow it. */
function wordTree(commands: readonly Command[]): Map<string, string[]> {
  const tree = new Map<string, string[]>()
  for (const { name } of commands) {
    const [first = '', second] = name.split(' ')
    tree.set(first, [...(tree.get(first) ?? []), ...(second === undefined ? [] : [second])])
  }
  return tree
}

function flags(options: Options): string[] {
  return [
    '--help',
    ...Object.entries(options).flatMap(([name, { short }]) => [`--${name}`, ...(short ? [`-${short}`] : [])]),
  ]
}

type Kind = 'file' | 'directory' | 'choice' | 'free' | 'none'

function kindOf({ type, value, choices }: Option): Kind {
  if (type === 'boolean') return 'none'
  if (choices !== undefined) return 'choice'
  return value === 'FILE' ? 'file' : value === 'DIRECTORY' ? 'directory' : 'free'
}

function takesFile({ usage }: Command): boolean {
  return /FILE|TARGET/.test(usage)
}

/** Makes text safe inside shell quotes. Names and choices come from our own table and need no escaping. */
function plain(text: string): string {
  return text.replace(/['’"\\`$]/g, '').replace(/[[\]:]/g, ' ')
}

/* ------------------------------------------------------------------ bash */

function bash(commands: readonly Command[]): string {
  const tree = wordTree(commands)
  const groups = [...tree].filter(([, seconds]) => seconds.length > 0)
  return `# bash completion for keepsake: source <(keepsake completions bash)
_keepsake() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local typed="\${COMP_WORDS[1]-} \${COMP_WORDS[2]-}" flags="" words="" files=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${[...tree.keys()].join(' ')} --help --version" -- "$current"))
    return
  fi
  if [ "$COMP_CWORD" -eq 2 ] && [ "\${current#-}" = "$current" ]; then
    case "\${COMP_WORDS[1]}" in
${groups.map(([first, seconds]) => `      ${first}) COMPREPLY=($(compgen -W "${seconds.join(' ')}" -- "$current")); return ;;`).join('\n')}
    esac
  fi
  case "$typed" in
${spellings(commands).map(bashCase).join('\n')}
  esac
  if [ "\${current#-}" != "$current" ]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  elif [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  elif [ -n "$files" ]; then
    compopt -o default 2>/dev/null
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -F _keepsake keepsake
`
}

function bashCase({ typed, command }: { readonly typed: string; readonly command: Command }): string {
  const pattern = typed.includes(' ') ? `"${typed}"` : `"${typed} "*`
  const options = command.options ?? {}
  const byValue = Object.entries(options).flatMap(([name, option]) => {
    const names = [`--${name}`, ...(option.short ? [`-${option.short}`] : [])].join('|')
    const reply = {
      none: undefined,
      file: 'COMPREPLY=($(compgen -f -- "$current")); return',
      directory: 'COMPREPLY=($(compgen -d -- "$current")); return',
      choice: `COMPREPLY=($(compgen -W "${(option.choices ?? []).join(' ')}" -- "$current")); return`,
      free: 'return',
    }[kindOf(option)]
    return reply === undefined ? [] : [`        ${names}) ${reply} ;;`]
  })
  return [
    `    ${pattern})`,
    ...(byValue.length === 0 ? [] : ['      case "$previous" in', ...byValue, '      esac']),
    `      flags="${flags(options).join(' ')}" words="${(command.operands ?? []).join(' ')}"${takesFile(command) ? ' files=1' : ''}`,
    '      ;;',
  ].join('\n')
}

/* ------------------------------------------------------------------ zsh */

function zsh(commands: readonly Command[]): string {
  const tree = wordTree(commands)
  const firsts = [...tree.keys()].map((first) => `'${first}:${plain(summaryOf(first, commands))}'`)
  const groups = [...tree].filter(([, seconds]) => seconds.length > 0)
  return `#compdef keepsake
# zsh completion for keepsake: keepsake completions zsh > ~/.zfunc/_keepsake, with ~/.zfunc in fpath
_keepsake() {
  local -a firsts
  firsts=(${firsts.join(' ')})
  if (( CURRENT == 2 )); then
    _describe 'command' firsts
    return
  fi
  if (( CURRENT == 3 )) && [[ "$words[CURRENT]" != -* ]]; then
    case "$words[2]" in
${groups.map(([first, seconds]) => `      ${first}) compadd -- ${seconds.join(' ')}; return ;;`).join('\n')}
    esac
  fi
  case "$words[2] $words[3]" in
${spellings(commands).map(zshCase).join('\n')}
  esac
}
if [ "$funcstack[1]" = "_keepsake" ]; then _keepsake "$@"; else compdef _keepsake keepsake; fi
`
}

function zshCase({ typed, command }: { readonly typed: string; readonly command: Command }): string {
  const words = typed.split(' ').length
  const pattern = words === 2 ? `'${typed}')` : `'${typed} '*)`
  const specs = Object.entries(command.options ?? {}).map(([name, option]) => {
    const action = { none: '', file: ':file:_files', directory: ':directory:_files -/', free: ':value: ', choice: '' }[
      kindOf(option)
    ]
    const chosen = option.choices === undefined ? action : `:value:(${option.choices.join(' ')})`
    return `'${option.multiple ? '*' : ''}--${name}[${plain(option.help)}]${chosen}'`
  })
  const operands = command.operands === undefined ? "'*: :'" : `'1:word:(${command.operands.join(' ')})'`
  const rest = [takesFile(command) ? "'*:file:_files'" : operands]
  return [
    `    ${pattern}`,
    `      shift ${words} words; (( CURRENT -= ${words} ))`,
    `      _arguments '--help[show help]' ${[...specs, ...rest].join(' \\\n        ')}`,
    '      ;;',
  ].join('\n')
}

function summaryOf(first: string, commands: readonly Command[]): string {
  const named = commands.filter(({ name }) => name === first || name.startsWith(`${first} `))
  const [only] = named
  if (named.length === 1 && only !== undefined) return only.summary
  return named.map(({ name }) => name.split(' ')[1] ?? '').join(', ')
}

/* ------------------------------------------------------------------ fish */

function fish(commands: readonly Command[]): string {
  const tree = wordTree(commands)
  const lines = [...tree].flatMap(([first, seconds]) => [
    `complete -c keepsake -n __fish_use_subcommand -f -a ${first} -d '${plain(summaryOf(first, commands))}'`,
    ...seconds.map((second) => {
      const summary = commands.find(({ name }) => name === `${first} ${second}`)?.summary ?? ''
      const condition = `'__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${seconds.join(' ')}'`
      return `complete -c keepsake -n ${condition} -f -a ${second} -d '${plain(summary)}'`
    }),
  ])
  return [
    '# fish completion for keepsake: keepsake completions fish > ~/.config/fish/completions/keepsake.fish',
    'complete -c keepsake -f',
    'complete -c keepsake -l help -d "show help"',
    ...lines,
    ...commands.flatMap(fishOptions),
    '',
  ].join('\n')
}

function fishOptions(command: Command): string[] {
  const condition = command.name
    .split(' ')
    .map((word) => `__fish_seen_subcommand_from ${word}`)
    .join('; and ')
  const files = takesFile(command) ? [`complete -c keepsake -n '${condition}' -F`] : []
  const words =
    command.operands === undefined
      ? []
      : [`complete -c keepsake -n '${condition}' -f -a '${command.operands.join(' ')}'`]
  return [
    ...Object.entries(command.options ?? {}).map(([name, option]) => {
      const short = option.short ? ` -s ${option.short}` : ''
      const values = {
        none: '',
        free: ' -x',
        file: ' -r -F',
        directory: " -x -a '(__fish_complete_directories)'",
        choice: ` -x -a '${(option.choices ?? []).join(' ')}'`,
      }[kindOf(option)]
      return `complete -c keepsake -n '${condition}' -l ${name}${short}${values} -d '${plain(option.help)}'`
    }),
    ...files,
    ...words,
  ]
}
