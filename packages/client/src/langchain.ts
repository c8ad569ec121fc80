/** A retriever with LangChain's interface: `invoke` takes a question and returns documents. */
import type { RecalledMemory } from './api-types.generated.js'
import { ItemLog } from './item-log.js'
import type { Keepsake } from './keepsake.js'
import { requireScope } from './memory-tools.js'
import type { RecallOptions } from './options.js'
import { markedContent } from './outdated.js'

export interface MemoryDocument {
  id: string
  pageContent: string
  /** The metadata of the memory, with the other fields of the memory under `keepsake`. */
  metadata: Record<string, unknown> & { keepsake: Omit<RecalledMemory, 'content' | 'metadata'> }
}

export interface MemoryRetriever {
  invoke(query: string, config?: { readonly signal?: AbortSignal | undefined }): Promise<MemoryDocument[]>
  batch(queries: readonly string[], config?: { readonly signal?: AbortSignal | undefined }): Promise<MemoryDocument[][]>
}

/** Searches the memories of the client's user and project. */
export function memoryRetriever(
  client: Keepsake,
  options: Omit<RecallOptions, 'userId' | 'project' | 'signal'> = {},
): MemoryRetriever {
  requireScope(client)
  const invoke: MemoryRetriever['invoke'] = async (query, { signal } = {}) => {
    const { memories } = await client.recall(query, { ...options, signal })
    return memories.map(documentOf)
  }
  return {
    invoke,
    // Sequential, because a burst would only hit the rate limit.
    async batch(queries, config) {
      const results: MemoryDocument[][] = []
      for (const query of queries) results.push(await invoke(query, config))
      return results
    },
  }
}

function documentOf({ content, metadata, ...keepsake }: RecalledMemory): MemoryDocument {
  return {
    id: keepsake.id,
    pageContent: markedContent({ content, outdated: keepsake.outdated }),
    metadata: { ...metadata, keepsake },
  }
}

type AnyClass<Instance> = abstract new (...args: never[]) => Instance

/**
 * A retriever of LangChain's own class, so that it has callbacks, tracing, `pipe` and `stream`: `keepsakeRetriever(BaseRetriever,
 * client)` with the `BaseRetriever` of `@langchain/core/retrievers`.
 */
export function keepsakeRetriever<Retriever extends object>(
  BaseRetriever: AnyClass<Retriever>,
  client: Keepsake,
  options: Omit<RecallOptions, 'userId' | 'project' | 'signal'> = {},
): Retriever {
  requireScope(client)
  // Its constructor needs no arguments.
  const Base = BaseRetriever as unknown as new () => object
  class KeepsakeRetriever extends Base {
    lc_namespace = ['keepsake', 'retrievers']

    async _getRelevantDocuments(query: string): Promise<MemoryDocument[]> {
      const { memories } = await client.recall(query, options)
      return memories.map(documentOf)
    }
  }
  // It has what `BaseRetriever` has.
  return new KeepsakeRetriever() as Retriever
}

/** From `@langchain/core/chat_history` and `@langchain/core/messages`. */
export interface HistoryParts<History, Message, Stored> {
  readonly BaseListChatMessageHistory: AnyClass<History>
  readonly mapChatMessagesToStoredMessages: (messages: Message[]) => Stored[]
  readonly mapStoredMessagesToChatMessages: (stored: Stored[]) => Message[]
}

/** The messages of one conversation, kept as items, for `RunnableWithMessageHistory`. */
export function keepsakeChatHistory<History extends object, Message, Stored>(
  parts: HistoryParts<History, Message, Stored>,
  client: Keepsake,
  { sessionId }: { readonly sessionId: string },
): History {
  requireScope(client)
  const log = new ItemLog(client, 'chats', sessionId)
  // Its constructor needs no arguments.
  const Base = parts.BaseListChatMessageHistory as unknown as new () => object
  class KeepsakeChatHistory extends Base {
    lc_namespace = ['keepsake', 'chat_history']

    async getMessages(): Promise<Message[]> {
      // Only `addMessages` writes them.
      return parts.mapStoredMessagesToChatMessages((await log.entries()) as Stored[])
    }

    async addMessage(message: Message): Promise<void> {
      await this.addMessages([message])
    }

    async addMessages(messages: Message[]): Promise<void> {
      await log.append(parts.mapChatMessagesToStoredMessages(messages))
    }

    async clear(): Promise<void> {
      await log.clear()
    }
  }
  // It has what `BaseListChatMessageHistory` has.
  return new KeepsakeChatHistory() as History
}
