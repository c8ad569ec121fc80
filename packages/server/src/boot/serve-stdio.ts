/**
 * MCP over standard input and output, for clients that start their servers: the whole service in this process, without a port. A
 * connection belongs to one user and has the rights of that user's key.
 */
import { randomUUID } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import { readConfig } from '../config/config.js'
import type { Caller } from '../http/access/caller-scope.js'
import { compose } from './compose.js'
import { openLogger } from './logger.js'
import { startFailure } from './start-failure.js'

export interface StdioOptions {
  /** Instead of `SERVICE_MCP_USER`. */
  readonly user?: string
  /** Instead of `SERVICE_DATA_DIR`. */
  readonly dataDir?: string
}

export interface Streams {
  readonly stdin: Readable
  /** Carries protocol messages only; logs go to `stderr`. */
  readonly stdout: Writable
  readonly stderr: { write(text: string): unknown }
}

/** Runs until the client closes its end or a signal arrives. False: it could not start, and printed why. */
export async function serveMcpOverStdio(options: StdioOptions, streams: Streams): Promise<boolean> {
  const { stdin, stdout, stderr } = streams
  const opened = await open(options, stderr)
  if (opened === undefined) return false
  const { service, user } = opened
  const { performFor } = service.mcp
  const door = await service.mcp.door()
  const caller: Caller = { kind: 'user', keyId: 'stdio', userId: user, access: 'full', project: null }
  const connection = door.serveStreams(stdin, stdout, () => {
    const requestId = randomUUID()
    const actor = { role: 'user' as const, keyId: null, ip: 'stdio', requestId }
    return { perform: performFor({ caller, actor }), defaultUser: undefined, requestId, mayCall: () => true }
  })
  void service.loadModels()
  process.on('SIGTERM', connection.close)
  process.on('SIGINT', connection.close)
  await connection.closed
  await service.close()
  // Only now: clients send a signal soon after they close their end, while the service is still writing.
  process.off('SIGTERM', connection.close)
  process.off('SIGINT', connection.close)
  return true
}

async function open({ user, dataDir }: StdioOptions, stderr: Streams['stderr']) {
  try {
    // Only this user may read memories, as with the service itself.
    process.umask(0o077)
    const { config, warnings } = readConfig()
    const logger = openLogger(config.logLevel, { write: (line) => void stderr.write(line) })
    for (const warning of warnings) logger.warn(warning)
    const service = await compose(
      { ...config, ...(dataDir === undefined ? {} : { dataDir }) },
      {
        logger,
        ...(config.auditLog === undefined ? { writeAuditLine: (line: string) => void stderr.write(`${line}\n`) } : {}),
      },
    )
    return { service, user: user ?? config.mcpUser }
  } catch (error) {
    const inUse = error instanceof Error && error.name === 'DataDirectoryInUse'
    const hint = inUse ? '; its MCP address is http://127.0.0.1:8787/mcp unless it was set otherwise' : ''
    stderr.write(`${startFailure(error)}${hint}\n`)
    return undefined
  }
}
