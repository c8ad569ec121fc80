/** A bash session that runs the blocks of a page one after another. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const curl = fileURLToPath(new URL('curl.mjs', import.meta.url))

export interface Shell {
  /** Runs one block. Variables it sets are there for the next one. */
  run(commands: string): Promise<{ readonly code: number; readonly output: string }>
  close(): void
}

export interface ShellOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The service of the pages, which is at port 8787 there. */
  readonly url: string
  /** Functions in bash that take the place of programs. */
  readonly functions?: string
}

export function openShell({ cwd, env, url, functions = '' }: ShellOptions): Shell {
  const bash = spawn('bash', ['--norc'], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] })
  // Where there is no curl, fetch does its work.
  bash.stdin.write(`command -v curl > /dev/null || curl() { "${process.execPath}" "${curl}" "$@"; }\n${functions}\n`)

  return {
    run: (commands) =>
      new Promise((resolve) => {
        let output = ''
        const collect = (chunk: Buffer) => {
          output += chunk
          const ended = /<ended with (\d+)>$/.exec(output)
          if (ended === null) return
          bash.stdout.off('data', collect)
          resolve({ code: Number(ended[1]), output: output.slice(0, ended.index) })
        }
        bash.stdout.on('data', collect)
        const here = commands.replaceAll('http://127.0.0.1:8787', url)
        bash.stdin.write(`{\n${here}\n} < /dev/null\nprintf '<ended with %d>' $?\n`)
      }),
    close: () => void bash.kill(),
  }
}
