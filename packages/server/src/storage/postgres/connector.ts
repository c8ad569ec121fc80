/** Opens connections to the host of a database URL, or to the primary if the URL names several hosts. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type DatabaseHost, databaseHosts } from '../../core/database-hosts.js'
import type { Known } from './choose-primary.js'
import { Connection, type ConnectionOptions } from './connection.js'
import { codeOf } from './errors.js'
import { type HostFacts, hostQuestion, Primary } from './primary.js'

export interface Connector {
  connect(limits: Omit<ConnectionOptions, 'url'>): Connection
  /** Undefined if there is one host only. */
  readonly connectToStandby: ((limits: Omit<ConnectionOptions, 'url'>) => Connection) | undefined
  /** From now on, also notices without a new connection that the primary has moved. */
  watch(): void
  /** Connections that are in use stay open. */
  close(): Promise<void>
}

/** A server that takes longer counts as silent. */
const askLimits = { connectTimeoutMs: 1_500, statementTimeoutMs: 1_000, graceMs: 0 }

export function connectorTo(
  url: string,
  log: (message: string) => void = () => undefined,
  timelineFile?: string,
): Connector {
  const hosts = databaseHosts(url) ?? []
  if (hosts.length < 2) {
    const done = async (): Promise<void> => undefined
    return {
      connect: (limits) => new Connection({ ...limits, url }),
      connectToStandby: undefined,
      watch: () => undefined,
      close: done,
    }
  }
  const questions = new Questions()
  const primary = new Primary({
    hosts,
    ask: (host) => questions.ask(host),
    log,
    remembered: timelineFile === undefined ? undefined : readTimeline(timelineFile),
    remember: (known) => {
      try {
        if (timelineFile !== undefined) writeTimeline(timelineFile, known)
      } catch (error) {
        // It still holds in memory, until this process ends.
        log(`${timelineFile} cannot be written (${codeOf(error)}): a restart would not recognise an outdated primary`)
      }
    },
  })
  return {
    connect: (limits) => new Connection({ ...limits, url: () => primary.find() }),
    connectToStandby: (limits) => new Connection({ ...limits, url: () => primary.findStandby() }),
    watch: () => primary.watch(),
    close: async () => {
      primary.stop()
      await questions.close()
    },
  }
}

/** Keeps one connection per host, because a new one every two seconds would cost the server a process. */
class Questions {
  readonly #connections = new Map<string, Connection>()
  #isClosed = false

  async ask({ name, url }: DatabaseHost): Promise<HostFacts> {
    if (this.#isClosed) throw new Error('the connector is closed')
    const kept = this.#connections.get(name)
    const connection = kept === undefined || kept.isDead ? new Connection({ ...askLimits, url }) : kept
    this.#connections.set(name, connection)
    try {
      const [facts] = (await connection.query<HostFacts>(hostQuestion)).rows
      if (facts === undefined) throw new Error('the host gave no answer')
      return facts
    } catch (error) {
      connection.destroy()
      throw error
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#connections.values()].map((connection) => connection.close()))
  }
}

/** Undefined if there is none yet. A file that cannot be read stops the start: it may be all that tells an outdated server. */
function readTimeline(path: string): Known | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  const known: unknown = JSON.parse(text)
  const isKnown =
    typeof known === 'object' &&
    known !== null &&
    'system' in known &&
    typeof known.system === 'string' &&
    'timeline' in known &&
    typeof known.timeline === 'number'
  if (!isKnown) throw new Error(`${path} is damaged: delete it once you are sure which host is the primary`)
  return { system: String(known.system), timeline: Number(known.timeline) }
}

function writeTimeline(path: string, known: Known): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.new`, `${JSON.stringify(known)}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}
