/**
 * MCP over standard input and output, for clients that start their servers: the whole service in this process, without a port. A
 * connection belongs to one user and has the rights of that user's key.
 *
 * A client waits for the first answers before it shows anything, so these need neither the models nor the service: both are loaded when
 * the client pauses, or when a request needs them. Only modules that the first answers need are imported above.
 */
import { randomUUID } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import type { Logger } from 'pino'
import { type Config, readConfig } from '../config/config.js'
import type { Log } from '../core/log.js'
import type { Caller } from '../http/access/caller-scope.js'
import { maxBodyBytes } from '../http/body/json-body.js'
import type { Begun, CallerOperations, OperationInput, Session } from '../mcp/operations.js'
import { serveStreams } from '../mcp/stdio-door.js'
import type { Service } from './compose.js'
import { failureLine, LazyService } from './lazy-service.js'
import { packageVersion } from './package-version.js'

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

/** A pause after which a client has asked what it needs to show. */
const pauseMs = 50
/** A client that says nothing for this long gets the service anyway. */
const silenceMs = 500

/** Runs until the client closes its end or a signal arrives. False: it could not start, and printed why. */
export async function serveMcpOverStdio(options: StdioOptions, streams: Streams): Promise<boolean> {
  const { stdin, stdout, stderr } = streams
  const loaded = await settingsFor(options, stderr)
  if (loaded === undefined) return false
  const logger = once(async () => {
    const { openLogger } = await import('./logger.js')
    return openLogger(loaded.config.logLevel, { write: (line) => void stderr.write(line) })
  })
  const service = new LazyService(async () => open(loaded, await logger(), stderr), stderr)
  const tools = once(loadTools)
  // First what a client asks for first. Then it may take the processor.
  const start = () =>
    void tools().then(() =>
      setImmediate(() => {
        // It reports a failure itself.
        service.opened().catch(() => undefined)
      }),
    )
  let starting = setTimeout(start, silenceMs)
  const parts = {
    version: packageVersion(),
    tools,
    log: deferredLog(logger),
    maxMessageBytes: maxBodyBytes,
    heard: () => {
      clearTimeout(starting)
      starting = setTimeout(start, pauseMs)
    },
  }
  const connection = serveStreams(stdin, stdout, parts, (message) => sessionOf(loaded.user, service, message))
  // Requests that waited for the service get their errors first.
  void service.failed.then(() => setImmediate(connection.close))
  process.on('SIGTERM', connection.close)
  process.on('SIGINT', connection.close)
  await connection.closed
  clearTimeout(starting)
  const hasWorked = await service.close()
  // Only now: clients send a signal soon after they close their end, while the service is still writing.
  process.off('SIGTERM', connection.close)
  process.off('SIGINT', connection.close)
  return hasWorked
}

interface Loaded {
  readonly config: Config
  readonly warnings: readonly string[]
  readonly user: string
}

/** Undefined: a setting is not valid, and this was printed. */
async function settingsFor({ user, dataDir }: StdioOptions, stderr: Streams['stderr']): Promise<Loaded | undefined> {
  try {
    const { config, warnings } = readConfig()
    return {
      config: { ...config, ...(dataDir === undefined ? {} : { dataDir }) },
      warnings,
      user: user ?? config.mcpUser,
    }
  } catch (error) {
    stderr.write(`${await failureLine(error)}\n`)
    return undefined
  }
}

async function loadTools() {
  const [{ operationCatalogue }, { toolsOver }] = await Promise.all([
    import('../http/mcp/catalogue.js'),
    import('../mcp/tools.js'),
  ])
  return toolsOver(operationCatalogue())
}

async function open({ config, warnings }: Loaded, logger: Logger, stderr: Streams['stderr']): Promise<Service> {
  // Only this user may read memories, as with the service itself.
  process.umask(0o077)
  for (const warning of warnings) logger.warn(warning)
  const { compose } = await import('./compose.js')
  const writeAuditLine = (line: string) => void stderr.write(`${line}\n`)
  const service = await compose(config, { logger, ...(config.auditLog === undefined ? { writeAuditLine } : {}) })
  void service.loadModels()
  return service
}

/** One request of the connection. */
function sessionOf(user: string, service: LazyService<Service>, message: Begun): Session {
  const requestId = randomUUID()
  const caller: Caller = { kind: 'user', keyId: 'stdio', userId: user, access: 'full', project: null }
  const actor = { role: 'user' as const, keyId: null, ip: 'stdio', requestId }
  const trace = { mcp: { ...message, isAlone: true as const } }
  const as = (name: keyof CallerOperations) => async (input: OperationInput) =>
    (await service.opened()).mcp.performFor({ caller, actor, trace })[name](input)
  return {
    perform: {
      storeMemories: as('storeMemories'),
      recallMemories: as('recallMemories'),
      updateMemory: as('updateMemory'),
      deleteMemories: as('deleteMemories'),
      listMemories: as('listMemories'),
      getMemory: as('getMemory'),
      getProfile: as('getProfile'),
      listEntities: as('listEntities'),
      listSpaces: as('listSpaces'),
      getEntityRelationships: as('getEntityRelationships'),
      putItem: as('putItem'),
      getItem: as('getItem'),
      searchItems: as('searchItems'),
    },
    defaultUser: undefined,
    requestId,
    mayCall: () => true,
    follow: async () => (await service.opened()).mcp.follow(caller, actor),
  }
}

/** Loads the logger with the first line. */
function deferredLog(logger: () => Promise<Logger>): Log {
  const at = (level: keyof Log) => (fields: object, message: string) =>
    void logger().then((log) => log[level](fields, message))
  return { info: at('info'), warn: at('warn'), error: at('error') }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}
