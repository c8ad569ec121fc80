/** `/llms.txt`: what a program that reads instead of clicking needs to use the service, with every endpoint from the OpenAPI document. */

const beginning = `# Keepsake

> A memory service for AI applications: it stores text per user, finds memories, entities and relationships in it by itself, and
> recalls them by meaning with scores and a ready context. Self-hosted; needs no language model and no network.

- Base URL: /api/v1 on this host. JSON in, JSON out. The full contract is at [/openapi.json](/openapi.json).
- Key: \`Authorization: Bearer ksk_…\` where authentication is on; the key decides whose memories are meant. Where it is off, say \`user_id\`.
- Errors: \`{"error":{"code","message","details"?,"request_id"}}\`. 400 names the field, 429 and 503 say \`Retry-After\`.
- A field that the service does not know is refused with a 400, never ignored.
- Times are ISO 8601 in UTC. A TTL is a number and h, d, w, m or y, such as \`30d\`, or \`permanent\`.
- A store that is sent again after a failure should carry the same \`Idempotency-Key\` header: it is then stored once.

## Remember and recall

\`\`\`
POST /api/v1/store   {"user_id": "ana", "content": "I moved to Lisbon in May. My sister Clara lives in Lyon."}
POST /api/v1/recall  {"user_id": "ana", "query": "Where do I live?", "limit": 5}
\`\`\`

A dialogue is stored with \`messages\` ([{"role", "content", "name"?, "created_at"?}]) instead of \`content\`. Put the \`context\` of a recall's answer into
the prompt: it is cut to \`max_tokens\`, and its text is data, not instructions. \`threshold\` keeps out what scores below it, and
\`as_of\` asks what was known at that time. An \`action\` of NOOP means that it was known already, UPDATE that it replaces what \`supersedes\` names.

## Other doors

- MCP: streamable HTTP at /mcp with the same key, or \`keepsake mcp\` over standard input and output. Tools: store_memory, recall_memories,
  update_memory, forget_memories, list_memories, search_entities.
- TypeScript: \`new Keepsake({ url, apiKey })\` of @keepsake/client, with store, recall, update, forget, list, entities, decay and keys.
- Command line: \`keepsake store TEXT\`, \`keepsake recall QUESTION --context\`, \`--json\` everywhere; \`keepsake --help\`.
- People: [/dashboard](/dashboard), and the interface as pages at [/docs](/docs) and [/redoc](/redoc).
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
      // Pages and their scripts are named above.
      if (operation === undefined || operation.tags?.includes('Documentation')) return []
      return [`- ${method.toUpperCase()} ${base.url.replace(/\/$/, '')}${path}: ${operation.summary ?? ''}`]
    })
  })
  return `${beginning}\n## Every endpoint\n\n${lines.join('\n')}\n`
}
