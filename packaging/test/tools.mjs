import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The environment without the settings that `npm run` passes on, such as this repository's `ignore-scripts`. */
export function environment({ registry, programDirectory, cache } = {}) {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))
  const settings = {
    ...(registry === undefined ? {} : { npm_config_registry: registry }),
    ...(cache === undefined ? {} : { npm_config_cache: cache }),
  }
  const path = [programDirectory, process.env.PATH].filter((each) => each !== undefined).join(delimiter)
  return { ...Object.fromEntries(own), ...settings, PATH: path, npm_config_audit: 'false', npm_config_fund: 'false' }
}

/** Runs npm in a folder, and returns its output. */
export function npmIn(folder, how) {
  const run = (...words) => runToEnd('npm', words, { cwd: folder, env: environment(how) })
  return Object.assign(run, { folder, environment: environment(how) })
}

/** Not spawnSync: the registry answers in this process. */
export async function runToEnd(program, words, options) {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], timeout: 180_000, ...options })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', (chunk) => {
      output[name] += chunk
    })
  }
  const [status, signal] = await once(child, 'close')
  if (status === 0) return output.stdout
  throw new Error(`${program} ${words.join(' ')} ended with ${status ?? signal}\n${output.stdout}\n${output.stderr}`)
}

/** Megabytes on disk, of blocks like `du`. */
export function sizeOf(folder) {
  const bytes = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => lstatSync(join(entry.parentPath, entry.name)))
    .reduce((sum, { size }) => sum + Math.ceil(size / 4096) * 4096, 0)
  return Math.round(bytes / 1024 / 1024)
}
