/** The MCP interface over HTTP: one server per request. `stdio-door.ts` serves connections. */
import { createMcpHandler } from '@modelcontextprotocol/server'
import type { Log } from '../core/log.js'
import { type Listening, listen } from './listening.js'
import type { LimitGroup, OperationCatalogue, Session } from './operations.js'
import { serverFor } from './server.js'
import { listenMethod, methodOf, requireFew, wantsChanges, withoutUnannounced } from './subscriptions.js'
import { toolsOver } from './tools.js'

export interface McpDoor {
  /** The limit group of the operation that a message calls. Undefined where it calls none. */
  limitGroupOf(message: unknown): LimitGroup | undefined
  /** Answers one message. No state is kept between messages, so any instance may answer any of them. */
  answer(request: Request, message: unknown, session: Session): Promise<Response>
  /** Ends the streams of subscriptions. */
  close(): Promise<void>
}

interface DoorOptions {
  readonly version: string
  readonly operations: OperationCatalogue
  readonly log: Log
}

export function openMcpDoor({ version, operations, log }: DoorOptions): McpDoor {
  const tools = toolsOver(operations)
  const parts = { version, tools: async () => tools, log }
  const onerror = reportTo(log)
  const factory = ({ era, authInfo }: { readonly era: string; readonly authInfo?: { readonly extra?: unknown } }) =>
    // Without sessions, an earlier revision has no stream for notifications.
    serverFor(parts, () => sessionIn(authInfo?.extra), era === 'modern' ? { listen: true } : {})
  const handler = createMcpHandler(factory, { onerror })
  const listening = new Set<Listening>()
  return {
    limitGroupOf(message) {
      const { method, name } = readMessage(message)
      if (method === 'prompts/get') return operations.recallMemories.limitGroup
      return method === 'tools/call' && name !== undefined ? tools.get(name)?.limitGroup : undefined
    },
    async answer(request, message, session) {
      // The SDK's way to pass something about the caller to the server. The key itself is not passed.
      const authInfo = { token: '', clientId: 'keepsake', scopes: [], extra: { session } }
      if (methodOf(message) !== listenMethod) return handler.fetch(request, { parsedBody: message, authInfo })
      requireFew(message)
      const parsedBody = withoutUnannounced(message)
      // Acknowledged and ended at once: nothing else ever changes.
      if (!wantsChanges(parsedBody)) return handler.fetch(request, { parsedBody, authInfo })
      const opened = await listen(request, { parsedBody, authInfo }, factory, await session.follow(), onerror)
      listening.add(opened)
      void opened.ended.then(() => listening.delete(opened))
      return opened.response
    },
    async close() {
      await Promise.all([...listening].map((each) => each.close()))
      await handler.close()
    },
  }
}

/** An error of the SDK may quote the message, so only its kind is logged. */
function reportTo(log: Log): (error: Error) => void {
  return (error) => log.info({ kind: error.name }, 'an MCP message could not be answered')
}

function sessionIn(extra: unknown): Session {
  // Only `answer` above puts it there.
  const { session } = (extra ?? {}) as { readonly session?: Session }
  if (session === undefined) throw new Error('an MCP request without a session')
  return session
}

function readMessage(message: unknown): { readonly method?: unknown; readonly name?: string } {
  if (typeof message !== 'object' || message === null || !('method' in message)) return {}
  const params = 'params' in message ? message.params : undefined
  const name = typeof params === 'object' && params !== null && 'name' in params ? params.name : undefined
  return { method: message.method, ...(typeof name === 'string' ? { name } : {}) }
}
