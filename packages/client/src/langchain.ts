/** A retriever with LangChain's interface: `invoke` takes a question and returns documents. */
import type { RecalledMemory } from './api-types.generated.js'
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
