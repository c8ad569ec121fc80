import { parseArgs } from 'node:util'
import { type Command, exitCodes, UsageError } from '../command.js'
import { completionScript, shells } from '../completion-scripts.js'

/** Takes a function because this command is itself an entry of the table. */
export function completionsFor(commands: () => readonly Command[]): Command {
  return {
    name: 'completions',
    summary: 'print a script that completes commands and options',
    usage: shells.join('|'),
    operands: shells,
    help: 'Prints a completion script for your shell, generated from the commands and options that --help shows.',
    examples: [
      'source <(keepsake completions bash)                                    # bash, in ~/.bashrc',
      'keepsake completions zsh > ~/.zfunc/_keepsake                          # zsh, with ~/.zfunc in fpath',
      'keepsake completions fish > ~/.config/fish/completions/keepsake.fish   # fish',
    ],

    async run(args, io) {
      const { positionals } = parseArgs({ args: [...args], options: {}, allowPositionals: true })
      const shell = shells.find((each) => each === positionals[0])
      if (shell === undefined || positionals.length > 1) throw new UsageError(`name a shell: ${shells.join(', ')}`)
      io.stdout.write(completionScript(shell, commands()))
      return exitCodes.fine
    },
  }
}
