import { isBlank } from '../../core/blank-text.js'
import { invalid } from '../../core/errors.js'
import { groupedDigits } from '../../core/grouped-digits.js'
import { allows } from '../../core/key-access.js'
import type { Json } from '../../core/memory.js'
import { type Once, onceOf } from '../../core/once.js'
import type { UserScope } from '../../core/scope.js'
import { store } from '../../service/store/store.js'
import type { StoreInput } from '../../service/store/store-input.js'
import { storeOnce } from '../../service/store/store-once.js'
import type { Stored } from '../../service/store/stored.js'
import { type Caller, scopeForOneUser, scopeForStoring, scopeIn } from '../access/caller-scope.js'
import { replayedHeader } from '../body/idempotency-key.js'
import { readMetadata, readPast, readTtl } from '../body/request-values.js'
import { blank, charactersExceed, maxContentCharacters } from '../body/text-formats.js'
import { endpoint } from '../endpoint.js'
import { memoryExample } from '../openapi/examples.js'
import { type StoreRequest, storeAnswer, storeRequest } from '../schemas/memory.js'
import { storedMemoryView } from '../views.js'

export const storeEndpoint = endpoint({
  method: 'POST',
  path: '/store',
  operationId: 'storeMemories',
  summary: 'Store memories',
  description:
    'Splits the text into self-contained memories and extracts entities and relationships. Send either content or messages; a transcript in content is read like messages. Greetings, thanks, reactions, questions that state nothing and the filler of an assistant make no memory, so the list may be empty. Text that looks like injected instructions is refused, with the trust score and the kinds of findings. With an Idempotency-Key the request can be retried safely: for 24 hours the same key and body return the same response, and nothing is stored twice.',
  tag: 'Memories',
  access: 'user',
  needs: 'store',
  forApplications: 'all',
  limit: 'store',
  idempotent: true,
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
  async handle({ deps, actor, caller, body, idempotencyKey, setHeader }) {
    const scope = await scopeIn({ deps, caller }, body, 'writer', scopeForStoring)
    const input = readInput(body, deps.clock.now())
    const stored =
      idempotencyKey === undefined
        ? { ...(await store(deps, actor, scope, input)), isReplayed: false }
        : await storeOnce(deps, actor, scope, input, onceFor(caller, scope, body, idempotencyKey))
    if (stored.isReplayed) setHeader(replayedHeader, 'true')
    return storedView(caller, stored)
  },
})

/** The response to a store, as far as the key of the caller may see it. */
export function storedView(caller: Caller, stored: Stored) {
  return {
    status: 'success' as const,
    ...(caller.kind === 'user' && !allows(caller.access, 'read') ? nothingShown : shown(stored)),
    ...(stored.degraded.length === 0 ? {} : { degraded: [...stored.degraded] }),
    ...(stored.redacted.length === 0 ? {} : { redacted: [...stored.redacted] }),
  }
}

function shown({ memories, entitiesExtracted, relationshipsCreated }: Stored) {
  return {
    memories: memories.map(storedMemoryView),
    entities_extracted: entitiesExtracted,
    relationships_created: relationshipsCreated,
  }
}

/** For a key that may not read: a memory in the response may repeat what was known before, and even the action says whether it was. */
const nothingShown = { memories: [], entities_extracted: 0, relationships_created: 0 }

/** How a store with an idempotency key is remembered. */
export function onceFor(caller: Caller, scope: UserScope, body: StoreRequest, key: string): Once {
  return onceOf(ownKey(caller, body, key), asJson({ ...body, user_id: scope.userId }))
}

/** Members of a space choose their keys independently, so the same key of two members is not the same request. */
function ownKey(caller: Caller, { user_id: userId, space }: StoreRequest, key: string): string {
  if (space === undefined) return key
  const member = scopeForOneUser(caller, userId)
  return JSON.stringify([member.kind === 'user' ? member.userId : null, key])
}

/** The body comes from the JSON reader, and fields that its schema types as undefined are absent. */
function asJson(body: StoreRequest): Json {
  return body as unknown as Json
}

/** @throws ServiceError for values that no schema can check. */
export function readInput(body: StoreRequest, now: number): StoreInput {
  return {
    text: readText(body, now),
    metadata: readMetadata(body.metadata ?? {}),
    ttl: readTtl(body.ttl),
    createdAt: body.created_at === undefined ? undefined : readPast('created_at', body.created_at, now),
    source: body.source,
    conversationId: body.conversation_id,
    remembersAssistant: body.remember_assistant,
  }
}

function readText({ content, messages }: StoreRequest, now: number): StoreInput['text'] {
  if (content !== undefined && messages !== undefined) throw invalid('messages', 'cannot be combined with content')
  if (content !== undefined) return { content: content.trim() }
  if (messages === undefined) throw invalid('content', 'is required (or messages)')
  if (messages.every((message) => isBlank(message.content))) throw invalid('messages[0].content', blank)
  const trimmed = messages.map((message) => message.content.trim())
  if (charactersExceed(trimmed.join(''), maxContentCharacters)) {
    throw invalid('messages', `must have at most ${groupedDigits(maxContentCharacters)} characters in total`)
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
