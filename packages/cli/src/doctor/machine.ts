/** Checks of this machine that work whether a service runs or not: runtime, settings, model files and data directory. */

import { accessSync, constants, existsSync, lstatSync, type Stats, statfsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { exitCodes, type Io } from '../command.js'
import { counted } from '../output.js'
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
  /** Undefined if the settings are invalid. */
  readonly dataDir: string | undefined
  readonly isPostgres: boolean
}

/** Checks the environment only: no command but `serve` reads a `.env`. */
export async function checkSettings(io: Io): Promise<Settings> {
  const { ConfigError, loadConfig } = await import('@keepsake/server/config')
  try {
    const { config, warnings } = loadConfig(io.env ?? {})
    const concerns = warnings.map((text) => warning('settings', text, 'docs/configuration.md lists every setting'))
    const findings = concerns.length === 0 ? [ok('settings', 'all values are valid')] : concerns
    return { findings, dataDir: config.dataDir, isPostgres: config.databaseUrl !== undefined }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const finding = fault('settings', error.message, 'fix it in the environment', exitCodes.unusable)
    return { findings: [finding], dataDir: undefined, isPostgres: false }
  }
}

export async function checkModels(): Promise<Finding[]> {
  const { examineModels } = await import('@keepsake/server/examine')
  const reports = await examineModels()
  const damaged = reports.flatMap(({ name, problem }) =>
    problem === undefined
      ? []
      : [fault('model files', `${name}: ${problem}`, 'npm ci and git checkout restore the files')],
  )
  const names = reports.map(({ name }) => name).join(', ')
  return damaged.length > 0 ? damaged : [ok('model files', `${names}: all present, SHA-256 checksums match`)]
}

/** The user who runs the command. Windows has no numeric user ids. */
const ownId = process.getuid?.()

export async function checkDirectory(path: string, userId: number | undefined = ownId): Promise<Finding[]> {
  const directory = resolve(path)
  let stats: Stats
  try {
    stats = statSync(directory)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') return missingDirectory(directory)
    return [fault('data directory', `${directory} can’t be read (${String(code)})`, 'check its owner and mode')]
  }
  if (!stats.isDirectory()) {
    return [fault('data directory', `${directory} is not a directory`, 'SERVICE_DATA_DIR must name one')]
  }
  return [permissions(directory, stats), diskSpace(directory), ...(await storeFindings(directory, stats, userId))]
}

/** Whether the first start can create the directory: nothing is created here, so the nearest folder above must allow it. */
function missingDirectory(directory: string): Finding[] {
  const cannot = (why: string) => [
    fault(
      'data directory',
      `${directory} does not exist and can’t be created: ${why}`,
      'choose another one with SERVICE_DATA_DIR',
    ),
  ]
  let above = directory
  while (!existsSync(above)) {
    // A link to nothing exists, but not as a folder.
    if (lstatSync(above, { throwIfNoEntry: false }) !== undefined) return cannot(`${above} is a link to nothing`)
    above = dirname(above)
  }
  if (!statSync(above).isDirectory()) return cannot(`${above} is not a directory`)
  try {
    accessSync(above, constants.W_OK | constants.X_OK)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return cannot(error.code === 'EROFS' ? `${above} is read-only` : `${above} is not writable for you`)
  }
  // File systems of the kernel, such as /proc, have no room for files.
  if (statfsSync(above).blocks === 0) return cannot(`${above} is on a file system without room for files`)
  return [ok('data directory', `${directory} does not exist yet; the first start creates it`), diskSpace(above)]
}

function permissions(directory: string, { mode, uid }: Stats): Finding {
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    return fault(
      'permissions',
      `${directory} belongs to user ${uid} and is not writable for you`,
      `chown it, or run as user ${uid}`,
    )
  }
  const open = (mode & 0o077).toString(8).padStart(2, '0')
  if ((mode & 0o077) === 0) return ok('permissions', `only its owner can access ${directory}`)
  return warning('permissions', `others can access ${directory} (mode …${open})`, `chmod 700 ${directory}`)
}

function diskSpace(directory: string): Finding {
  const { bavail, bsize } = statfsSync(directory)
  return spaceFinding(Math.floor((bavail * bsize) / megabyte))
}

export function spaceFinding(free: number): Finding {
  const next = 'free some space: stored memories stay readable, but new ones are refused when the disk is full'
  if (free < 100) return fault('disk space', `${free} MB free`, next)
  return free < 1024
    ? warning('disk space', `${free} MB free`, next)
    : ok('disk space', `${Math.floor(free / 1024)} GB free`)
}

async function storeFindings(directory: string, { uid }: Stats, userId: number | undefined): Promise<Finding[]> {
  if (userId === 0 && uid !== 0) {
    // Reading may create a file beside the store. It would belong to root and lock the service out.
    return [warning('store', `not checked: it belongs to user ${uid}`, `run this as that user: sudo -u '#${uid}' …`)]
  }
  const { directoryHolder, examineStore } = await import('@keepsake/server/examine')
  const holder = directoryHolder(directory)
  const lock = ok('lock', holder ?? 'free: no service is using the directory')
  const store = examineStore(directory)
  if (store === undefined) return [lock, ok('store', 'empty: nothing has been stored yet')]
  const { integrity, users, memories, versions, mismatches } = store
  if (integrity !== 'ok') {
    return [lock, fault('store', `damaged: ${integrity}`, 'stop the service and restore a backup as keepsake.db')]
  }
  const size = `${counted(memories, 'memory', 'memories')} of ${counted(users, 'user')}`
  if (mismatches === 0)
    return [
      lock,
      ok(
        'store',
        `${size}; the structure and ${versions === 1 ? 'its checksum' : `all ${versions} checksums`} are valid`,
      ),
    ]
  const next = 'recall leaves them out; restore a backup, or erase them'
  return [lock, fault('store', `${size}; the text of ${mismatches} was changed outside the service`, next)]
}
