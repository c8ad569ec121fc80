/** The MCP interface over standard input and output: one server per connection, which belongs to one user. */
import type { Readable, Writable } from 'node:stream'
import type { Server, ServerEvent } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { notFound } from '../core/errors.js'
import type { Log } from '../core/log.js'
import type { Begun, Session } from './operations.js'
import { canFollow } from './resources.js'
import { type ServerParts, serverFor } from './server.js'
import {
  listenMethod,
  methodOf,
  mostSubscriptions,
  publishChanges,
  requireAtMost,
  withoutUnannounced,
} from './subscriptions.js'

interface ConnectionOptions extends ServerParts {
  /** The longest message, the same as the longest body over HTTP. */
  readonly maxMessageBytes: number
  /** Called for every message that arrives. */
  readonly heard: () => void
}

export interface Connection {
  /** Resolves when the other end, or `close`, has closed it. */
  readonly closed: Promise<void>
  close(): void
}

/** Serves a connection until its other end closes. */
export function serveStreams(
  input: Readable,
  output: Writable,
  { maxMessageBytes, heard, ...parts }: ConnectionOptions,
  begin: (message: Begun) => Session,
): Connection {
  const onerror = (error: Error) => parts.log.info({ kind: error.name }, 'an MCP message could not be answered')
  const changes = new ChangesOf(begin, parts.log)
  const transport = new StdioServerTransport(input, output, { maxBufferSize: maxMessageBytes })
  const handle = serveStdio(
    ({ era }) => {
      const announces = era === 'modern' ? { listen: true as const } : changes.legacy
      return changes.toldBy(serverFor(parts, begin, announces), era)
    },
    { transport, maxSubscriptions: mostSubscriptions, onerror },
  )
  const { onmessage: deliver, onclose: tidyUp } = transport
  transport.onmessage = (message) => {
    heard()
    if (methodOf(message) !== listenMethod) return deliver?.(message)
    // Acknowledged only once changes are followed.
    void changes.follow().then(() => deliver?.(withoutUnannounced(message) as typeof message))
  }
  const closed = new Promise<void>((resolve) => {
    transport.onclose = () => {
      changes.close()
      tidyUp?.()
      resolve()
    }
  })
  return { closed, close: () => void handle.close() }
}

/** Follows the user's memories from the first subscription on, and tells the client. */
class ChangesOf {
  readonly #begin: (message: Begun) => Session
  readonly #log: Log
  readonly #subscribed = new Set<string>()
  #following: Promise<() => void> | undefined
  #server: { readonly server: Server; readonly isModern: boolean } | undefined
  #isClosed = false
  readonly legacy = {
    subscribe: async (uri: string): Promise<void> => {
      if (!canFollow(uri)) throw notFound('Resource')
      requireAtMost(this.#subscribed.size + 1)
      await this.follow()
      this.#subscribed.add(uri)
    },
    unsubscribe: (uri: string): void => void this.#subscribed.delete(uri),
  }

  constructor(begin: (message: Begun) => Session, log: Log) {
    this.#begin = begin
    this.#log = log
  }

  /** A server that was made to answer a probe may be replaced; the last one serves the connection. */
  toldBy(server: Server, era: 'legacy' | 'modern'): Server {
    this.#server = { server, isModern: era === 'modern' }
    return server
  }

  /** Never rejects: without the service, every other request fails too, and says why. */
  async follow(): Promise<void> {
    this.#following ??= this.#open()
    await this.#following.catch((error: unknown) => {
      this.#following = undefined
      this.#log.warn({ err: error }, 'changes of memories could not be followed')
    })
  }

  close(): void {
    this.#isClosed = true
    void this.#following?.then((close) => close()).catch(() => undefined)
  }

  async #open(): Promise<() => void> {
    const follower = await this.#begin({ method: listenMethod }).follow()
    if (this.#isClosed) follower.close()
    void publishChanges(follower, (event) => this.#tell(event)).finally(() => {
      this.#following = undefined
    })
    return () => follower.close()
  }

  #tell(event: ServerEvent): void {
    const { server, isModern = false } = this.#server ?? {}
    // A connection of the newer revision passes on what its subscriptions ask for.
    const sent =
      event.kind === 'resource_updated' && (isModern || this.#subscribed.has(event.uri))
        ? server?.sendResourceUpdated({ uri: event.uri })
        : event.kind === 'resources_list_changed' && isModern
          ? server?.sendResourceListChanged()
          : undefined
    sent?.catch((error: unknown) => this.#log.info({ err: error }, 'a change could not be announced'))
  }
}
