/** What can be seen on this machine, whether a service runs or not: the runtime, settings, model files and the data directory. */
import { accessSync, constants, readFileSync, type Stats, statfsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { exitCodes, type Io } from '../command.js'
import { type Finding, fault, ok, warning } from './finding.js'

const oldestNode = [20, 12] as const
const megabyte = 1024 * 1024

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number)
  const isOld = major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1])
  if (isOld) return fault('node', `Node ${version}`, `Keepsake needs ${oldestNode.join('.')} or newer`)
  return ok('node', `Node ${version}`)
}

export interface Settings {
  readonly findings: readonly Finding[]
  /** Undefined where settings are wrong. */
  readonly dataDir: string | undefined
  readonly isPostgres: boolean
}

/** As a service that is started here would read them. */
export async function checkSettings(io: Io, directory: string): Promise<Settings> {
  const { ConfigError, loadConfig } = await import('@keepsake/server/config')
  try {
    const { config, warnings } = loadConfig(io.env ?? {}, dotEnv(directory))
    const concerns = warnings.map((text) => warning('settings', text, 'docs/configuration.md has every setting'))
    const findings = concerns.length === 0 ? [ok('settings', 'all values can be read')] : concerns
    return { findings, dataDir: config.dataDir, isPostgres: config.databaseUrl !== undefined }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const finding = fault('settings', error.message, 'mend it in the environment or in .env', exitCodes.unusable)
    return { findings: [finding], dataDir: undefined, isPostgres: false }
  }
}

function dotEnv(directory: string): string {
  try {
    return readFileSync(join(directory, '.env'), 'utf8')
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return ''
    throw error
  }
}

export async function checkModels(): Promise<Finding[]> {
  const { examineModels } = await import('@keepsake/server/examine')
  const reports = await examineModels()
  const damaged = reports.flatMap(({ name, problem }) =>
    problem === undefined
      ? []
      : [fault('model files', `${name}: ${problem}`, 'npm ci and git checkout bring files back')],
  )
  const names = reports.map(({ name }) => name).join(', ')
  return damaged.length > 0 ? damaged : [ok('model files', `${names}: all there, and their SHA-256 sums are right`)]
}

/** Who looks: on Windows nobody has a number. */
const ownId = process.getuid?.()

export async function checkDirectory(path: string, userId: number | undefined = ownId): Promise<Finding[]> {
  const directory = resolve(path)
  let stats: Stats
  try {
    stats = statSync(directory)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') return [ok('data directory', `${directory} is not there yet; the first start makes it`)]
    return [fault('data directory', `${directory} can’t be read (${String(code)})`, 'look at its owner and mode')]
  }
  if (!stats.isDirectory()) {
    return [fault('data directory', `${directory} is not a directory`, 'SERVICE_DATA_DIR must name one')]
  }
  return [permissions(directory, stats), diskSpace(directory), ...(await storeFindings(directory, stats, userId))]
}

function permissions(directory: string, { mode, uid }: Stats): Finding {
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    return fault(
      'permissions',
      `${directory} belongs to user ${uid} and can’t be written here`,
      `chown it, or run as ${uid}`,
    )
  }
  const open = (mode & 0o077).toString(8).padStart(2, '0')
  if ((mode & 0o077) === 0) return ok('permissions', `${directory} is for its owner alone`)
  return warning('permissions', `others may enter ${directory} (mode …${open})`, `chmod 700 ${directory}`)
}

function diskSpace(directory: string): Finding {
  const { bavail, bsize } = statfsSync(directory)
  return spaceFinding(Math.floor((bavail * bsize) / megabyte))
}

export function spaceFinding(free: number): Finding {
  const next = 'make room: what is stored stays readable, new memories are refused when the disk is full'
  if (free < 100) return fault('disk space', `${free} MB free`, next)
  return free < 1024
    ? warning('disk space', `${free} MB free`, next)
    : ok('disk space', `${Math.floor(free / 1024)} GB free`)
}

async function storeFindings(directory: string, { uid }: Stats, userId: number | undefined): Promise<Finding[]> {
  if (userId === 0 && uid !== 0) {
    // Reading may make a file beside the store, which would then belong to root and lock the service out.
    return [
      warning('store', `not looked into: it belongs to user ${uid}`, `run this as that user: sudo -u '#${uid}' …`),
    ]
  }
  const { directoryHolder, examineStore } = await import('@keepsake/server/examine')
  const holder = directoryHolder(directory)
  const lock = ok('lock', holder ?? 'free: no service uses the directory')
  const store = examineStore(directory)
  if (store === undefined) return [lock, ok('store', 'empty: nothing was stored yet')]
  const { integrity, users, memories, versions, mismatches } = store
  if (integrity !== 'ok') {
    return [lock, fault('store', `damaged: ${integrity}`, 'stop the service and restore a backup as keepsake.db')]
  }
  const size = `${memories} memories of ${users} users`
  if (mismatches === 0) return [lock, ok('store', `${size}; structure and all ${versions} checksums are right`)]
  const next = 'they stay out of recall; restore a backup, or erase them'
  return [lock, fault('store', `${size}; the text of ${mismatches} was changed behind the service’s back`, next)]
}
