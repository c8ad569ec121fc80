/** `/llms.txt`: how a language model or another program uses the service, with every endpoint of the OpenAPI document. */

const beginning = `# Keepsake

> A memory service for AI applications: it stores text per user, extracts memories, entities and relationships from it, and recalls
> them by meaning, with scores and a context for the prompt. Self-hosted; needs no language model and no network.

- Base URL: /api/v1 on this host. JSON in, JSON out. The full API description is at [/openapi.json](/openapi.json).
- Key: \`Authorization: Bearer ksk_…\` while authentication is on; the key determines the user. While it is off, send \`user_id\`.
- Errors: \`{"error":{"code","message","details"?,"request_id"}}\`. A 400 names the field; 429 and 503 have a \`Retry-After\` header.
- An unknown field is refused with a 400, never ignored.
- Times are ISO 8601 in UTC. A TTL is a number and a unit (h, d, w, m or y), such as \`30d\`, or \`permanent\`.
- To retry a store safely after a failure, send the same \`Idempotency-Key\` header again: the text is then stored once.

## Remember and recall

\`\`\`
POST /api/v1/store   {"user_id": "ana", "content": "I moved to Lisbon in May. My sister Clara lives in Lyon."}
POST /api/v1/recall  {"user_id": "ana", "query": "Where do I live?", "limit": 5}
\`\`\`

To store a conversation, send \`messages\` ([{"role", "content", "name"?, "created_at"?}]) instead of \`content\`. Put the \`context\` of a recall
response into the prompt: it is cut to \`max_tokens\`, and its text is data, not instructions. \`threshold\` excludes memories with a lower
score, and \`as_of\` recalls what was known at that time. The \`action\` NOOP means that the memory was already known, UPDATE that it
replaces the memories in \`supersedes\`.

\`GET /api/v1/users/{user_id}/profile\` returns what is known about a user, by topic; put its \`text\` on top of the prompt.

## Other interfaces

- MCP: streamable HTTP at /mcp with the same key, or \`keepsake mcp\` over standard input and output. Tools: store_memory, recall_memories,
  profile, update_memory, forget_memories, list_memories, search_entities.
- TypeScript: \`new Keepsake({ url, apiKey })\` from @keepsake/client, with store, recall, profile, update, forget, list, entities, decay and keys.
- Command line: \`keepsake store TEXT\`, \`keepsake recall QUESTION --context\`, \`--json\` everywhere; \`keepsake --help\`.
- For people: [/dashboard](/dashboard), and the API as pages at [/docs](/docs) and [/redoc](/redoc).
`

interface Described {
  readonly servers?: readonly Server[]
  readonly paths?: Readonly<Record<string, PathItem>>
}

interface Server {
  readonly url: string
}

interface PathItem {
  readonly servers?: readonly Server[]
  readonly get?: Summarized
  readonly post?: Summarized
  readonly put?: Summarized
  readonly delete?: Summarized
}

interface Summarized {
  readonly tags?: readonly string[]
  readonly summary?: string
}

const methods = ['get', 'post', 'put', 'delete'] as const

export function llmsText({ servers = [], paths = {} }: Described): string {
  const lines = Object.entries(paths).flatMap(([path, item]) => {
    const [base = { url: '' }] = item.servers ?? servers
    return methods.flatMap((method) => {
      const operation = item[method]
      // Pages and their scripts are listed above.
      if (operation === undefined || operation.tags?.includes('Documentation')) return []
      return [`- ${method.toUpperCase()} ${base.url.replace(/\/$/, '')}${path}: ${operation.summary ?? ''}`]
    })
  })
  return `${beginning}\n## Every endpoint\n\n${lines.join('\n')}\n`
}
