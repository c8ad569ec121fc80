import { recallAcross } from '../../service/recall/recall.js'
import { scopesForRecall } from '../access/caller-scope.js'
import { readFilter } from '../body/read-filter.js'
import { readAsOf, readFilters } from '../body/request-values.js'
import { endpoint } from '../endpoint.js'
import { memoryExample } from '../openapi/examples.js'
import { recallAnswer, recallRequest } from '../schemas/memory.js'
import { recalledMemoryView, unreturnedMemoryView } from '../views.js'

const usualLimit = 10
const usualTokens = 4000
/** If the caller bounds the context only by its size. */
const mostInContext = 60

export const recallEndpoint = endpoint({
  method: 'POST',
  path: '/recall',
  operationId: 'recallMemories',
  summary: 'Recall memories',
  description:
    'Returns memories by relevance, and their text as context for a language model. With as_of: the state at that moment. A returned memory counts as accessed, except with as_of. With explain_memory_ids: why those memories were not returned. With spaces: the memories of these spaces, each with the space that it comes from.',
  tag: 'Memories',
  access: 'user',
  needs: 'read',
  forApplications: 'all',
  limit: 'recall',
  body: recallRequest,
  answer: recallAnswer,
  example: {
    request: { query: 'Where does John work?', user_id: 'alice', limit: 5 },
    answer: {
      memories: [
        {
          id: memoryExample.id,
          content: memoryExample.content,
          score: 0.87,
          match: 'strong',
          created_at: memoryExample.created_at,
          project: null,
          metadata: { topic: 'people' },
          source: 'api',
          trust_score: 1,
          expires_at: null,
        },
      ],
      context: '[2026-03-01] John works at Acme Corp',
      total: 1,
    },
  },
  async handle({ deps, actor, caller, body }) {
    const scopes = await scopesForRecall({ deps, caller }, body, body.spaces)
    const recalled = await recallAcross(deps, actor, scopes, {
      text: body.query.trim(),
      limit: body.limit ?? usualLimit,
      threshold: body.threshold,
      maxTokens: body.max_tokens ?? usualTokens,
      mostInContext: body.limit === undefined && body.max_tokens !== undefined ? mostInContext : 0,
      hybrid: body.enable_hybrid,
      rerank: body.enable_rerank,
      includeHistory: body.include_history,
      includeFlagged: body.include_flagged,
      ...readAsOf(body.as_of),
      ...(body.filters === undefined ? {} : { filters: readFilters(body.filters) }),
      ...(body.entity === undefined ? {} : { entity: body.entity }),
      ...(body.filter === undefined ? {} : { filter: readFilter(body.filter) }),
      ...(body.explain_memory_ids === undefined ? {} : { explainMemoryIds: body.explain_memory_ids }),
    })
    const extras = {
      history: body.include_history,
      flagged: body.include_flagged,
      explain: body.explain,
      spaces: body.spaces !== undefined,
    }
    return {
      memories: recalled.memories.map((item) => recalledMemoryView(item, extras)),
      context: recalled.context,
      total: recalled.memories.length,
      ...(body.explain ? { context_tokens: deps.countTokens(recalled.context), searched_in: recalled.searchedIn } : {}),
      ...(recalled.degraded.length === 0 ? {} : { degraded: [...recalled.degraded] }),
      ...(recalled.notReturned ? { not_returned: recalled.notReturned.map(unreturnedMemoryView) } : {}),
    }
  },
})
