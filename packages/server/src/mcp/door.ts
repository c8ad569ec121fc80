/** The MCP door: the same server over HTTP, a new one for each request, and over standard input and output. */

import type { Readable, Writable } from 'node:stream'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { type StdioServerHandle, StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Log } from '../core/log.js'
import type { OperationCatalogue, Session } from './operations.js'
import { promptOperation } from './prompts.js'
import { serverFor } from './server.js'
import { toolsOver } from './tools.js'

export interface McpDoor {
  /** The operation that a message stands for, where it stands for one: its limit is the one that counts. */
  operationOf(message: unknown): string | undefined
  /** One message over HTTP. Nothing is kept between two, so any instance may answer any of them. */
  answer(request: Request, message: unknown, session: Session): Promise<Response>
  /** A connection until its other end closes. */
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
  /** A message over standard input may be this long, as a body over HTTP. */
  readonly maxMessageBytes: number
}

export function openMcpDoor({ version, operations, log, maxMessageBytes }: DoorOptions): McpDoor {
  const tools = toolsOver(operations)
  const parts = { version, tools, log }
  // An SDK error may quote what was sent, so its kind alone is logged.
  const onerror = (error: Error) => log.info({ kind: error.name }, 'an MCP message was not answered as asked')
  // Nothing is announced as changing, so there is nothing to subscribe to.
  const noSubscriptions = { maxSubscriptions: 0, onerror }
  const handler = createMcpHandler(
    ({ authInfo }) => serverFor(parts, () => sessionIn(authInfo?.extra)),
    noSubscriptions,
  )
  return {
    operationOf(message) {
      const { method, name } = readMessage(message)
      if (method === 'prompts/get') return promptOperation
      return method === 'tools/call' && name !== undefined ? tools.get(name)?.operationId : undefined
    },
    answer: (request, message, session) =>
      handler.fetch(request, {
        parsedBody: message,
        // The SDK's way to hand something of the caller to the server. The key itself stays outside.
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
  // Put there by `answer` above, and by nobody else.
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
