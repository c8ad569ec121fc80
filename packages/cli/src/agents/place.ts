/** Where the agents’ memory lives on this machine. Hooks load this file, so it imports as little as possible. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

export type Environment = Readonly<Record<string, string | undefined>>

export interface Place {
  readonly directory: string
  /** Which service, user and key agents use. Contains secrets: readable by the owner only. */
  readonly settings: string
  /** The running service that hooks started. */
  readonly running: string
  /** Where that service answers hooks. */
  readonly socket: string
  readonly lock: string
  readonly log: string
  readonly auditLog: string
  /** What install changed, per program. */
  readonly records: string
}

export interface AgentSettings {
  /** A service that somebody else runs. Without it, hooks start their own. */
  readonly url?: string
  readonly apiKey?: string
  readonly user: string
  readonly dataDir: string
  readonly port: number
  readonly masterKey?: string
}

/** A service to send requests to. */
export interface Service {
  readonly url: string
  readonly apiKey?: string
  readonly user: string
}

export function homeOf(env: Environment): string {
  return env.HOME || env.USERPROFILE || homedir()
}

export function placeIn(env: Environment): Place {
  const directory = env.KEEPSAKE_HOME || join(homeOf(env), '.keepsake')
  return {
    directory,
    settings: join(directory, 'agents.json'),
    running: join(directory, 'service.json'),
    socket: join(directory, 'hook.sock'),
    lock: join(directory, 'service.lock'),
    log: join(directory, 'service.log'),
    auditLog: join(directory, 'audit.log'),
    records: join(directory, 'installed'),
  }
}

/** Whether any program is installed. */
export function hasPrograms({ records }: Place): boolean {
  return existsSync(records) && readdirSync(records).length > 0
}

/** Undefined if nothing is installed, or if the file is damaged. */
export function settingsIn(place: Place): AgentSettings | undefined {
  const found = objectIn(place.settings)
  if (found === undefined || typeof found.user !== 'string' || typeof found.dataDir !== 'string') return undefined
  return {
    user: found.user,
    dataDir: found.dataDir,
    port: typeof found.port === 'number' ? found.port : 0,
    ...(typeof found.url === 'string' ? { url: found.url } : {}),
    ...(typeof found.apiKey === 'string' ? { apiKey: found.apiKey } : {}),
    ...(typeof found.masterKey === 'string' ? { masterKey: found.masterKey } : {}),
  }
}

/**
 * The service to use now. Undefined if ours is not running. Only a process of this user counts: nothing is sent to a stranger who
 * listens on the same port.
 */
export function serviceOf(place: Place, settings: AgentSettings): Service | undefined {
  const { apiKey, user } = settings
  const key = apiKey === undefined ? {} : { apiKey }
  if (settings.url !== undefined) return { url: settings.url, user, ...key }
  const running = objectIn(place.running)
  if (typeof running?.pid !== 'number' || typeof running.url !== 'string' || apiKey === undefined) return undefined
  return isOurs(running.pid) ? { url: running.url, user, ...key } : undefined
}

/** Whether the process runs and belongs to this user: a signal to another user’s process is refused. */
export function isOurs(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

export function objectIn(file: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'))
    // An array has none of the fields that callers read.
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : undefined
  } catch {
    // Missing or damaged: both mean that nothing is known.
    return undefined
  }
}
