import { parseArgs } from 'node:util'
import { type Command, exitCodes, UsageError } from '../command.js'
import { completionScript, shells } from '../completion-scripts.js'

/** The table is given later: this command is an entry of it. */
export function completionsFor(commands: () => readonly Command[]): Command {
  return {
    name: 'completions',
    summary: 'a script that completes commands and options',
    usage: shells.join('|'),
    operands: shells,
    help: 'Prints a script for your shell, made from the commands and options that --help shows.',
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
