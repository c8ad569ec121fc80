/** The MCP interface, loaded with the first message: most services get none, and its library and schemas are large. */
import type { Log } from '../core/log.js'
import type { McpHandler } from '../http/mcp/mcp-handler.js'
import type { McpDoor } from '../mcp/door.js'

export function lazyMcp(version: string, log: Log): McpHandler {
  let opening: Promise<McpDoor> | undefined
  const door = () => {
    opening ??= open(version, log)
    return opening
  }
  return {
    limitGroupOf: async (message) => (await door()).limitGroupOf(message),
    answer: async (...given) => (await door()).answer(...given),
    close: async () => (await opening)?.close(),
  }
}

async function open(version: string, log: Log): Promise<McpDoor> {
  const [{ openMcpDoor }, { operationCatalogue }] = await Promise.all([
    import('../mcp/door.js'),
    import('../http/mcp/catalogue.js'),
  ])
  return openMcpDoor({ version, operations: operationCatalogue(), log })
}
