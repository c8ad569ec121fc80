/** The MCP interface: one server per request over HTTP, and one per connection over standard input and output. */

import type { Readable, Writable } from 'node:stream'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { type StdioServerHandle, StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Log } from '../core/log.js'
import type { LimitGroup, OperationCatalogue, Session } from './operations.js'
import { serverFor } from './server.js'
import { toolsOver } from './tools.js'

export interface McpDoor {
  /** The limit group of the operation that a message calls. Undefined where it calls none. */
  limitGroupOf(message: unknown): LimitGroup | undefined
  /** Answers one message over HTTP. No state is kept between messages, so any instance may answer any of them. */
  answer(request: Request, message: unknown, session: Session): Promise<Response>
  /** Serves a connection until its other end closes. */
  serveStreams(
    input: Readable,
    output: Writable,
    begin: () => Session,
  ): { readonly closed: Promise<void>; close(): void }
  close(): Promise<void>
}

interface DoorOptions {
  readonly version: string
  readonly operations: OperationCatalogue
  readonly log: Log
  /** The longest message over standard input, the same as the longest body over HTTP. */
  readonly maxMessageBytes: number
}

export function openMcpDoor({ version, operations, log, maxMessageBytes }: DoorOptions): McpDoor {
  const tools = toolsOver(operations)
  const parts = { version, tools, log }
  // An error of the SDK may quote the message, so only its kind is logged.
  const onerror = (error: Error) => log.info({ kind: error.name }, 'an MCP message could not be answered')
  // The server announces no changes, so there is nothing to subscribe to.
  const noSubscriptions = { maxSubscriptions: 0, onerror }
  const handler = createMcpHandler(
    ({ authInfo }) => serverFor(parts, () => sessionIn(authInfo?.extra)),
    noSubscriptions,
  )
  return {
    limitGroupOf(message) {
      const { method, name } = readMessage(message)
      if (method === 'prompts/get') return operations.recallMemories.limitGroup
      return method === 'tools/call' && name !== undefined ? tools.get(name)?.limitGroup : undefined
    },
    answer: (request, message, session) =>
      handler.fetch(request, {
        parsedBody: message,
        // The SDK's way to pass something about the caller to the server. The key itself is not passed.
        authInfo: { token: '', clientId: 'keepsake', scopes: [], extra: { session } },
      }),
    serveStreams: (input, output, begin) => {
      const transport = new StdioServerTransport(input, output, { maxBufferSize: maxMessageBytes })
      const handle: StdioServerHandle = serveStdio(() => serverFor(parts, begin), { transport, ...noSubscriptions })
      const tidyUp = transport.onclose
      const closed = new Promise<void>((resolve) => {
        transport.onclose = () => {
          tidyUp?.()
          resolve()
        }
      })
      return { closed, close: () => void handle.close() }
    },
    close: () => handler.close(),
  }
}

function sessionIn(extra: Readonly<Record<string, unknown>> | undefined): Session {
  // Only `answer` above puts it there.
  const session = extra?.session as Session | undefined
  if (session === undefined) throw new Error('an MCP request without a session')
  return session
}

function readMessage(message: unknown): { readonly method?: unknown; readonly name?: string } {
  if (typeof message !== 'object' || message === null || !('method' in message)) return {}
  const params = 'params' in message ? message.params : undefined
  const name = typeof params === 'object' && params !== null && 'name' in params ? params.name : undefined
  return { method: message.method, ...(typeof name === 'string' ? { name } : {}) }
}
