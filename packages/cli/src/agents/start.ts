/** Starts processes that outlive the hook. The hook never waits for them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, mkdirSync, openSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isOurs, objectIn, type Place } from './place.js'

/** After a failed start, the next one waits this long. */
const pauseMs = 30_000
const maxLogBytes = 5 * 1024 * 1024

/** The name of the variable by which the new process proves that it holds the lock. */
export const tokenVariable = 'KEEPSAKE_START'

/** Does nothing if another hook has just done it. */
export function startService(place: Place): void {
  mkdirSync(place.directory, { recursive: true, mode: 0o700 })
  const token = randomUUID()
  if (!takeLock(place, token)) return
  if ((statSync(place.log, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes) truncateSync(place.log)
  const log = openSync(place.log, 'a', 0o600)
  detached('service.js', ['ignore', log, log], { [tokenVariable]: token })
  closeSync(log)
}

function takeLock(place: Place, token: string): boolean {
  for (const isRetry of [false, true]) {
    try {
      writeFileSync(place.lock, JSON.stringify({ token }), { flag: 'wx', mode: 0o600 })
      return true
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
      if (isRetry || isStarting(place)) return false
      rmSync(place.lock, { force: true })
    }
  }
  return false
}

/** Hands a text to a process of its own and resolves as soon as that process has it. */
export function startStoring(payload: object): Promise<void> {
  const child = detached('remember.js', ['pipe', 'ignore', 'ignore'])
  return new Promise((resolve) => {
    child.once('error', () => resolve())
    child.stdin?.once('error', () => resolve())
    child.stdin?.end(JSON.stringify(payload), () => resolve())
  })
}

/** The process that holds the lock is running, or has failed a moment ago. */
function isStarting(place: Place): boolean {
  const taken = statSync(place.lock, { throwIfNoEntry: false })
  if (taken === undefined) return false
  const pid = objectIn(place.lock)?.pid
  return (typeof pid === 'number' && isOurs(pid)) || Date.now() - taken.mtimeMs < pauseMs
}

function detached(
  script: string,
  stdio: ('ignore' | 'pipe' | number)[],
  variables: Readonly<Record<string, string>> = {},
): ChildProcess {
  // Next to this file, wherever it is: compiled, `dist/agents`.
  const path = fileURLToPath(new URL(`./${script}`, import.meta.url))
  const child = spawn(process.execPath, [path], {
    detached: true,
    stdio,
    windowsHide: true,
    env: { ...process.env, ...variables },
  })
  child.once('error', () => undefined)
  child.unref()
  return child
}
