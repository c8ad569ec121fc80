import { z } from 'zod'
import { actions } from '../../core/memory.js'
import { notReturnedReasons } from '../../service/recall/not-returned.js'
import { maxContentCharacters, maxQueryCharacters } from '../body/text-formats.js'
import { count, formatted, metadata, pageSize, project, score, success, timestamp, userId } from './common.js'

const degraded = z
  .array(z.string())
  .describe('Parts that failed and were done without; left out when all went well')
  .optional()

/* ------------------------------------------------------------------ store */

const maxMessages = 200
const contentLimit = maxContentCharacters.toLocaleString('en-US')
const content = formatted('memory-text', `1 to ${contentLimit} characters after trimming`)
const ttl = formatted('ttl', 'How long it lives: a positive integer and h, d, w, m or y, such as 7d; or permanent')
const createdAt = formatted('timestamp', 'When it was said, for an import of the past; not in the future')
const source = z.string().min(1).max(256).meta({ format: 'label', description: 'Where it comes from; api by default' })
const ownProject = project.meta({ format: 'identifier', description: 'The project it belongs to; without it, none' })

export const message = z.strictObject({
  role: z.enum(['user', 'assistant', 'system', 'tool']),
  content,
  name: z.string().min(1).max(128).meta({ format: 'label', description: 'Who speaks' }).optional(),
  created_at: createdAt.optional(),
})

export type StoreRequest = z.infer<typeof storeRequest>
export const storeRequest = z.strictObject({
  content: content.optional(),
  messages: z
    .array(message)
    .min(1)
    .max(maxMessages)
    .describe(`A conversation instead of content, at most ${contentLimit} characters together`)
    .optional(),
  user_id: userId.optional(),
  project: ownProject.optional(),
  metadata: metadata.optional(),
  ttl: ttl.optional(),
  created_at: createdAt.optional(),
  source: source.optional(),
})

export const storedMemory = z.strictObject({
  id: z.string(),
  content: z.string(),
  action: z.enum(actions).describe('NOOP: the user has it already; UPDATE: it replaces what supersedes names'),
  entities: z.array(z.string()),
  project: z.string().nullable(),
  created_at: timestamp,
  expires_at: timestamp.nullable(),
  trust_score: score,
  checksum: z.string().describe('SHA-256 of the content'),
  source: z.string(),
  flagged: z.boolean().describe('True: kept, but out of recall; left out otherwise').optional(),
  supersedes: z
    .array(z.string())
    .describe('Ids of the memories that it replaces; left out when there are none')
    .optional(),
})

export const storeAnswer = z.strictObject({
  status: success,
  memories: z.array(storedMemory),
  entities_extracted: count,
  relationships_created: count,
  degraded,
})

/* ------------------------------------------------------------------ recall */

const queryLimit = maxQueryCharacters.toLocaleString('en-US')
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()])

export const recallRequest = z.strictObject({
  query: formatted('query-text', `1 to ${queryLimit} characters after trimming`),
  user_id: userId.optional(),
  project: project.optional(),
  limit: z.int().min(1).max(100).default(10).describe('At most this many memories'),
  threshold: z.number().min(0).max(1).default(0).describe('Nothing that scores below it is returned'),
  max_tokens: z.int().min(1).max(128_000).default(4000).describe('Size of the context at most'),
  enable_hybrid: z
    .boolean()
    .default(true)
    .describe('Search by words and by the graph of entities as well as by meaning'),
  enable_rerank: z.boolean().default(false).describe('Look at the best candidates a second time'),
  as_of: formatted('timestamp', 'The state of that moment, with the content that memories had then').optional(),
  filters: z
    .record(z.string(), scalar)
    .describe('Only memories whose metadata has these values, at most 20')
    .optional(),
  entity: z
    .string()
    .min(1)
    .max(256)
    .meta({ format: 'label', description: 'Only memories that mention this entity: its id or a name' })
    .optional(),
  include_history: z.boolean().default(false).describe('Also what was superseded'),
  include_flagged: z
    .boolean()
    .default(false)
    .describe('Also what content protection flagged; never part of the context'),
  explain: z.boolean().default(false).describe('Show what each signal contributed'),
  explain_memory_ids: z
    .array(z.string().max(256))
    .min(1)
    .max(20)
    .describe('Memories to tell of why they were not returned; those that were are left out')
    .optional(),
})

const signal = z
  .strictObject({ score, rank: z.int().min(1).nullable().describe('Place that it gave, 1 is best') })
  .describe('What one signal says of a memory')

export const explanation = z.strictObject({
  semantic: signal.nullable(),
  keyword: signal.nullable(),
  graph: signal.nullable(),
  speaker: signal.nullable().describe('Whether those said it whom the query is about'),
  time: signal.nullable().describe('Whether it is of the time that the query speaks of'),
  reply: signal.nullable().describe('Whether it answers somebody who asked much the same'),
  statement: signal.nullable().describe('Whether it tells something, rather than asks'),
  rerank: signal.nullable(),
  decay: signal,
  trust: signal.describe('How far content protection trusts it'),
})

export const recalledMemory = z.strictObject({
  id: z.string(),
  content: z.string(),
  score: score.describe('Relevance to the query, comparable between queries'),
  created_at: timestamp,
  project: z.string().nullable(),
  metadata,
  source: z.string(),
  trust_score: score,
  expires_at: timestamp.nullable(),
  superseded_at: timestamp.nullable().describe('With include_history').optional(),
  flagged: z.boolean().describe('With include_flagged').optional(),
  explain: explanation.optional(),
})

export const unreturnedMemory = z.strictObject({
  id: z.string(),
  reason: z
    .enum(notReturnedReasons)
    .describe('not_found: the user has none with this id; not_a_candidate: others were nearer to the query'),
  score: score.describe('What it got, or would have got as a candidate; left out where it was not searched').optional(),
  rank: z.int().min(1).describe('The place that its score gives it').optional(),
  explain: explanation.optional(),
})

export const recallAnswer = z.strictObject({
  memories: z.array(recalledMemory).describe('Highest score first'),
  context: z
    .string()
    .describe(
      'The memories as text, one a line: [YYYY-MM-DD] content; (low trust) stands before the text of one that content protection doubts',
    ),
  total: count,
  context_tokens: count.describe('With explain: the size of the context').optional(),
  degraded,
  not_returned: z.array(unreturnedMemory).describe('With explain_memory_ids').optional(),
})

/* ------------------------------------------------------------------ list, read, update, forget */

export const memory = z.strictObject({
  id: z.string(),
  user_id: z.string(),
  content: z.string(),
  action: z.enum(['ADD', 'UPDATE']).describe('What made it: UPDATE where it replaced what supersedes names'),
  score: score.nullable().describe('Relevance to a query: null where there is none'),
  project: z.string().nullable(),
  metadata,
  checksum: z.string().describe('SHA-256 of the content'),
  trust_score: score,
  source: z.string(),
  entities: z.array(z.string()),
  created_at: timestamp,
  updated_at: timestamp,
  expires_at: timestamp.nullable(),
  last_accessed: timestamp.nullable(),
  access_count: count,
  decay_score: score,
  flagged: z.boolean(),
  superseded_at: timestamp.nullable(),
  superseded_by: z.string().nullable().describe('Id of the memory that replaced it'),
  supersedes: z
    .array(z.string())
    .describe('Ids of the memories that it replaced; left out when there are none')
    .optional(),
  expired: z.boolean().describe('With include_expired').optional(),
})

export const listQuery = z.strictObject({
  user_id: userId.optional(),
  project: project.optional(),
  limit: pageSize(50, 500),
  page: z.int().min(1).max(1_000_000).describe('Page, from 1 (the default); not together with cursor').optional(),
  cursor: formatted('cursor', 'next_cursor of the page before').optional(),
  include_expired: z.boolean().default(false).describe('Also what has expired and was not cleaned up yet'),
  q: z.string().min(1).max(256).describe('Only memories whose content has this text, whatever the case').optional(),
  as_of: formatted('timestamp', 'The state of that moment, with the content that memories had then').optional(),
  sort: z
    .enum(['created_at', 'expires_at'])
    .default('created_at')
    .describe('created_at: newest first. expires_at: only what expires, soonest first; not together with cursor'),
})

export const listAnswer = z.strictObject({
  memories: z.array(memory).describe('Newest first, unless sorted otherwise'),
  total: count,
  page: z.int().min(1).nullable().describe('Null when a cursor was given'),
  limit: z.int().min(1),
  next_cursor: z.string().nullable(),
})

export const memoryAnswer = z.strictObject({ memory })

export const memoryVersion = z.strictObject({
  version: z.int().min(1),
  content: z.string(),
  checksum: z.string(),
  metadata,
  project: z.string().nullable(),
  trust_score: score,
  valid_from: timestamp,
  valid_to: timestamp.nullable(),
  expires_at: timestamp.nullable(),
})

export const provenance = z.strictObject({
  document_id: z.string(),
  source: z.string(),
  stored_at: timestamp,
  text: z.string().describe('What was submitted and yielded or repeated the memory'),
})

export const historyAnswer = z.strictObject({
  memory_id: z.string(),
  versions: z.array(memoryVersion).describe('Oldest first'),
  provenance: z.array(provenance),
})

export const updateRequest = z.strictObject({
  content: content.optional(),
  metadata: metadata.optional(),
  ttl: formatted('ttl', 'Counts from now; permanent clears it').optional(),
  project: ownProject.nullable().describe('Moves it there; null moves it out of any project').optional(),
  user_id: userId.describe('The owner, checked if given').optional(),
})

export const updateAnswer = z.strictObject({ status: success, memory, degraded })

export const maxForgottenIds = 1000

export const forgetRequest = z.strictObject({
  memory_ids: z.array(z.string().max(256)).min(1).max(maxForgottenIds).describe('Delete these memories').optional(),
  all: z.literal(true).describe('Delete all memories of the user, or of the project').optional(),
  user_id: userId.optional(),
  project: project.optional(),
})

export const forgetQuery = z.strictObject({
  memory_ids: z.string().min(1).describe('Delete these memories: ids with commas between them').optional(),
  all: z.literal(true).describe('Delete all memories of the user, or of the project').optional(),
  user_id: userId.optional(),
  project: project.optional(),
})

export const forgetAnswer = z.strictObject({
  status: success,
  deleted: count,
  memory_ids: z.array(z.string()).describe('What was deleted'),
})
