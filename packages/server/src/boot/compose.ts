import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/config.js'
import { skipExpressionBytecode } from '../core/expression-code.js'
import type { Deps } from '../service/deps.js'
import { closing } from './close.js'
import { loadModels } from './load-models.js'
import { open } from './open.js'
import type { Live } from './open-live.js'
import type { Overrides } from './overrides.js'
import { startUpkeep } from './upkeep.js'
import { type Wired, wire } from './wire.js'

export interface Service {
  readonly app: FastifyInstance
  readonly deps: Deps
  readonly live: Live
  /** For MCP connections that are not HTTP. */
  readonly mcp: Wired['mcp']
  listen(): Promise<AddressInfo>
  /** Loads the models in the background, before the first request needs them. Never rejects. */
  loadModels(): Promise<void>
  /** Continues in a new audit log if the old one was renamed. */
  reopenAuditLog(): Promise<void>
  /** See `close.ts`. */
  close(graceMs?: number): Promise<void>
}

/** The whole service in this process. It answers requests once `listen` is called. */
export async function compose(config: Config, overrides: Overrides = {}): Promise<Service> {
  const opened = await open(config, overrides)
  const wired = await wire(config, overrides, opened)
  const upkeep = await startUpkeep(config, overrides, wired)
  const { app, deps, live, mcp } = wired
  return {
    app,
    deps,
    live,
    mcp,
    listen: () => listen(app, config),
    loadModels() {
      skipExpressionBytecode()
      return loadModels(opened, wired)
    },
    reopenAuditLog: () => opened.audit.reopen(),
    close: closing(opened, wired, upkeep),
  }
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<AddressInfo> {
  await app.listen({ host, port })
  // Before the first request, but after the start: Node's own modules and threads load faster with V8's usual flags.
  skipExpressionBytecode()
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('listening without an address')
  return address
}
