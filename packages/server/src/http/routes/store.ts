import { invalid } from '../../core/errors.js'
import { type StoreInput, store } from '../../service/store.js'
import { scopeForStoring } from '../authenticate.js'
import { endpoint } from '../endpoint.js'
import { memoryExample } from '../examples.js'
import { readMetadata, readPast, readTtl } from '../request-values.js'
import { type StoreRequest, storeAnswer, storeRequest } from '../schemas/memory.js'
import { charactersExceed, maxContentCharacters } from '../text-formats.js'
import { storedMemoryView } from '../views.js'

export const storeEndpoint = endpoint({
  method: 'POST',
  path: '/store',
  operationId: 'storeMemories',
  summary: 'Store memories',
  description:
    'The text is split into self-contained memories; entities and relationships are extracted. Exactly one of content and messages. Text that looks like injected instructions is refused with the trust score and the kinds of finding.',
  tag: 'Memories',
  access: 'user',
  limit: 'store',
  body: storeRequest,
  answer: storeAnswer,
  example: {
    request: { content: 'John works at Acme Corp', user_id: 'alice', metadata: { topic: 'people' }, ttl: '365d' },
    answer: {
      status: 'success',
      memories: [
        {
          id: memoryExample.id,
          content: memoryExample.content,
          action: 'ADD',
          entities: memoryExample.entities,
          project: null,
          created_at: memoryExample.created_at,
          expires_at: memoryExample.expires_at,
          trust_score: 1,
          checksum: memoryExample.checksum,
          source: 'api',
        },
      ],
      entities_extracted: 2,
      relationships_created: 1,
    },
  },
  async handle({ deps, actor, caller, body }) {
    const scope = scopeForStoring(caller, body.user_id, body.project)
    const stored = await store(deps, actor, scope, readInput(body, deps.clock.now()))
    return {
      status: 'success' as const,
      memories: stored.memories.map(storedMemoryView),
      entities_extracted: stored.entitiesExtracted,
      relationships_created: stored.relationshipsCreated,
      ...(stored.degraded.length === 0 ? {} : { degraded: [...stored.degraded] }),
    }
  },
})

function readInput(body: StoreRequest, now: number): StoreInput {
  return {
    text: readText(body, now),
    metadata: readMetadata(body.metadata ?? {}),
    ttl: readTtl(body.ttl),
    createdAt: body.created_at === undefined ? undefined : readPast('created_at', body.created_at, now),
    source: body.source,
  }
}

function readText({ content, messages }: StoreRequest, now: number): StoreInput['text'] {
  if (content !== undefined && messages !== undefined)
    throw invalid('messages', 'must not be given together with content')
  if (content !== undefined) return { content: content.trim() }
  if (messages === undefined) throw invalid('content', 'is required (or messages)')
  const trimmed = messages.map((message) => message.content.trim())
  if (charactersExceed(trimmed.join(''), maxContentCharacters)) {
    throw invalid('messages', `must have at most ${maxContentCharacters.toLocaleString('en-US')} characters together`)
  }
  return {
    messages: messages.map(({ role, name, created_at: createdAt }, index) => ({
      role,
      content: trimmed[index] ?? '',
      ...(name === undefined ? {} : { name }),
      ...(createdAt === undefined ? {} : { createdAt: readPast(`messages[${index}].created_at`, createdAt, now) }),
    })),
  }
}
