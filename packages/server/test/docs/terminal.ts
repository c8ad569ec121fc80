/** A service as `npm start` starts it, real models included, and a bash session in the repository that talks to it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runService } from '../support/running-service.js'
import { openShell, type Shell } from './shell.js'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

/** `npx` would look for updates first. */
const functions = `
npx() { shift; "${process.execPath}" packages/cli/keepsake.mjs "$@"; }
npm() { echo 'npm is not run here' >&2; return 1; }
`

export interface Terminal {
  run: Shell['run']
  close(): Promise<void>
}

export async function openTerminal(settings: Readonly<Record<string, string>>): Promise<Terminal> {
  const directory = await mkdtemp(join(tmpdir(), 'keepsake-pages-'))
  const data = { SERVICE_DATA_DIR: directory, ...settings }
  // The demo alone sends 28 of the 30 stores that the default limit allows per minute.
  const service = await runService({ ...data, SERVICE_RATE_LIMIT_STORE: '100/minute' })
  const env = { PATH: process.env.PATH, HOME: directory, KEEPSAKE_URL: service.url, ...data }
  const shell = openShell({ cwd: root, env, url: service.url, functions })

  return {
    run: shell.run,
    async close() {
      shell.close()
      service.process.kill('SIGTERM')
      await service.finished
      await rm(directory, { recursive: true, force: true })
    },
  }
}
