/** A service as `npm start` starts it, real models included, and a bash session in the repository that talks to it. */
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runService } from '../support/running-service.js'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const curl = fileURLToPath(new URL('curl.mjs', import.meta.url))

/** Where there is no curl, fetch does its work. `npx` would look for updates first. */
const functions = `
command -v curl > /dev/null || curl() { "${process.execPath}" "${curl}" "$@"; }
npx() { shift; "${process.execPath}" packages/cli/keepsake.mjs "$@"; }
npm() { echo 'npm is not run here' >&2; return 1; }
`

export interface Terminal {
  /** Runs one block. Variables it sets are there for the next one. */
  run(commands: string): Promise<{ readonly code: number; readonly output: string }>
  close(): Promise<void>
}

export async function openTerminal(settings: Readonly<Record<string, string>>): Promise<Terminal> {
  const directory = await mkdtemp(join(tmpdir(), 'keepsake-pages-'))
  const data = { SERVICE_DATA_DIR: directory, ...settings }
  // The demo alone sends 28 of the 30 stores that the default limit allows per minute.
  const service = await runService({ ...data, SERVICE_RATE_LIMIT_STORE: '100/minute' })
  const bash = spawn('bash', ['--norc'], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: directory, KEEPSAKE_URL: service.url, ...data },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  bash.stdin.write(functions)

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
        const here = commands.replaceAll('http://127.0.0.1:8787', service.url)
        bash.stdin.write(`{\n${here}\n} < /dev/null\nprintf '<ended with %d>' $?\n`)
      }),
    async close() {
      bash.kill()
      service.process.kill('SIGTERM')
      await service.finished
      await rm(directory, { recursive: true, force: true })
    },
  }
}
