/** A session of the OpenAI Agents SDK (`@openai/agents`) that lasts: its items are kept in Keepsake. */
import { ItemLog } from './item-log.js'
import type { Keepsake } from './keepsake.js'
import { requireScope } from './memory-tools.js'

/** The interface `Session` of `@openai/agents`; `Entry` is its `AgentInputItem`. */
export interface KeepsakeSession<Entry> {
  getSessionId(): Promise<string>
  getItems(limit?: number): Promise<Entry[]>
  addItems(items: Entry[]): Promise<void>
  popItem(): Promise<Entry | undefined>
  clearSession(): Promise<void>
}

/** `keepsakeSession<AgentInputItem>(client, { sessionId })`, for `run(agent, input, { session })`. */
export function keepsakeSession<Entry>(
  client: Keepsake,
  { sessionId }: { readonly sessionId: string },
): KeepsakeSession<Entry> {
  requireScope(client)
  const log = new ItemLog(client, 'agent-sessions', sessionId)
  return {
    getSessionId: async () => sessionId,
    // Only `addItems` writes them.
    getItems: async (limit) => (await log.entries(limit)) as Entry[],
    addItems: (items) => log.append(items),
    // As above.
    popItem: async () => (await log.pop()) as Entry | undefined,
    clearSession: () => log.clear(),
  }
}
