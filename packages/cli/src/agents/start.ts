/** Starts processes that outlive the hook. The hook never waits for them. */
import { spawn } from 'node:child_process'
import { mkdirSync, openSync, statSync, truncateSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isOurs, objectIn, type Place } from './place.js'

/** After a failed start, the next one waits this long. */
const pauseMs = 30_000
const maxLogBytes = 5 * 1024 * 1024

export function startService(place: Place): void {
  if (isStarting(place)) return
  mkdirSync(place.directory, { recursive: true, mode: 0o700 })
  if ((statSync(place.log, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes) truncateSync(place.log)
  const log = openSync(place.log, 'a', 0o600)
  detached('service.js', ['ignore', log, log])
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

export function isStarting(place: Place): boolean {
  const taken = statSync(place.lock, { throwIfNoEntry: false })
  if (taken === undefined) return false
  const pid = objectIn(place.lock)?.pid
  return (typeof pid === 'number' && isOurs(pid)) || Date.now() - taken.mtimeMs < pauseMs
}

function detached(script: string, stdio: ('ignore' | 'pipe' | number)[]) {
  // Next to this file, wherever it is: compiled, `dist/agents`.
  const path = fileURLToPath(new URL(`./${script}`, import.meta.url))
  const child = spawn(process.execPath, [path], { detached: true, stdio, windowsHide: true, env: process.env })
  child.once('error', () => undefined)
  child.unref()
  return child
}
