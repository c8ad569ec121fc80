import { z } from 'zod'
import { groupedDigits } from '../../core/grouped-digits.js'
import { matches } from '../../core/match.js'
import { actions } from '../../core/memory.js'
import { notReturnedReasons } from '../../service/recall/not-returned.js'
import { maxContentCharacters, maxQueryCharacters } from '../body/text-formats.js'
import {
  count,
  cursor,
  formatted,
  metadata,
  nextCursor,
  optionalPage,
  pageSize,
  project,
  score,
  searchedIn,
  shownPage,
  signal,
  space,
  success,
  timestamp,
  userId,
} from './common.js'

export const degraded = z
  .array(z.string())
  .describe('Parts that failed and were skipped; omitted when nothing failed')
  .optional()

export const redacted = z
  .array(z.strictObject({ kind: z.string().describe('Such as GitHub token'), count: count.describe('How many') }))
  .describe('Secrets that were replaced by a mark such as [redacted: GitHub token]; omitted when there were none')
  .optional()

export const outdatedPart = z.strictObject({
  text: z.string().describe('The words that no longer hold'),
  start: count.describe('Where they begin in the content, in UTF-16 code units'),
  end: count.describe('Where they end: the first code unit after them'),
  since: timestamp,
  by: z.string().nullable().describe('Id of the memory that replaced them; null if it was deleted'),
})

const outdated = z
  .array(outdatedPart)
  .describe(
    'Parts of the content that no longer hold, because a later memory changed them; omitted when there are none',
  )
  .optional()

/* ------------------------------------------------------------------ store */

const maxMessages = 200
const contentLimit = groupedDigits(maxContentCharacters)
const content = formatted('memory-text', `1 to ${contentLimit} characters after trimming`)
export const ttl = formatted(
  'ttl',
  'Time to live: a positive integer and a unit (min minutes, h hours, d days, w weeks, m or mo months of 30 days, y years of 365), such as 7d; or permanent',
)
const createdAt = formatted('timestamp', 'When it was said, for importing the past; not in the future')
const source = z
  .string()
  .min(1)
  .max(256)
  .meta({ format: 'label', description: 'Where the text comes from; by default api' })
const conversationId = z.string().min(1).max(200).meta({
  format: 'label',
  description:
    'Turns of one conversation that are sent one by one: each is understood as if the previous ones, up to six hours earlier, had been in the same request; by default all turns with the same source',
})
const ownProject = project.meta({
  format: 'identifier',
  description: 'The project that it belongs to; by default none',
})

export const message = z.strictObject({
  role: z.enum(['user', 'assistant', 'system', 'tool']),
  content: formatted(
    'message-text',
    `At most ${contentLimit} characters after trimming; a blank message is skipped, but one must not be blank`,
  ),
  name: z.string().min(1).max(128).meta({ format: 'label', description: 'Name of the speaker' }).optional(),
  created_at: createdAt.optional(),
})

export type StoreRequest = z.infer<typeof storeRequest>
export const storeRequest = z.strictObject({
  content: content.optional(),
  messages: z
    .array(message)
    .min(1)
    .max(maxMessages)
    .describe(`A conversation instead of content; at most ${contentLimit} characters in total`)
    .optional(),
  user_id: userId.optional(),
  space: space.optional(),
  project: ownProject.optional(),
  metadata: metadata.optional(),
  ttl: ttl.optional(),
  created_at: createdAt.optional(),
  source: source.optional(),
  conversation_id: conversationId.optional(),
  remember_assistant: z
    .boolean()
    .describe(
      'Store everything that the assistant says; by default its questions, offers and repetitions of what the user just said make no memory',
    )
    .optional(),
})

export const storedMemory = z.strictObject({
  id: z.string(),
  content: z.string(),
  action: z
    .enum(actions)
    .describe('NOOP: the user already has this memory; UPDATE: it replaces the memories in supersedes'),
  entities: z.array(z.string()),
  project: z.string().nullable(),
  created_at: timestamp,
  expires_at: timestamp.nullable(),
  trust_score: score,
  checksum: z.string().describe('SHA-256 of the content'),
  source: z.string(),
  flagged: z
    .boolean()
    .describe('True if content protection flagged it: it is kept, but not recalled; omitted otherwise')
    .optional(),
  supersedes: z
    .array(z.string())
    .describe('Ids of the memories that it replaces; omitted when there are none')
    .optional(),
  outdated,
})

export const storeAnswer = z.strictObject({
  status: success,
  memories: z.array(storedMemory).describe('Empty if the text states nothing: greetings, thanks, reactions, questions'),
  entities_extracted: count,
  relationships_created: count,
  degraded,
  redacted,
})

/* ------------------------------------------------------------------ recall */

const queryLimit = groupedDigits(maxQueryCharacters)
const filter = z.looseObject({}).meta({
  description: 'Only memories that pass this filter: fields with conditions, and, or, not',
  example: { 'metadata.run_id': { in: [7, 8] } },
})
const contextSize =
  'Maximum size of the context, in tokens; by default 4000. Given without limit, the context holds all memories that fit'
const filterText = z.string().min(2).max(12_000).describe('Only memories that pass this filter: JSON, as in a recall')
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()])

export const recallRequest = z.strictObject({
  query: formatted('query-text', `1 to ${queryLimit} characters after trimming`),
  user_id: userId.optional(),
  spaces: z
    .array(space)
    .min(1)
    .max(10)
    .describe('Search these spaces instead of the memories of the user; own stands for the memories of the user')
    .optional(),
  project: project.optional(),
  limit: z.int().min(1).max(100).describe('Maximum number of memories; by default 10').optional(),
  threshold: z.number().min(0).max(1).default(0).describe('Minimum score of a returned memory'),
  max_tokens: z.int().min(1).max(128_000).describe(contextSize).optional(),
  enable_hybrid: z.boolean().default(true).describe('Search by keywords and by the entity graph as well as by meaning'),
  enable_rerank: z.boolean().default(false).describe('Rerank the best candidates with a second model'),
  as_of: formatted('timestamp', 'The state at that moment, with the content that memories had then').optional(),
  filters: z
    .record(z.string(), scalar)
    .describe('Only memories whose metadata has these values; at most 20 keys')
    .optional(),
  entity: z
    .string()
    .min(1)
    .max(256)
    .meta({ format: 'label', description: 'Only memories that mention this entity; its id or one of its names' })
    .optional(),
  filter: filter.optional(),
  include_history: z.boolean().default(false).describe('Include superseded memories'),
  include_flagged: z
    .boolean()
    .default(false)
    .describe('Include memories that content protection flagged; they are never part of the context'),
  explain: z.boolean().default(false).describe('Show what each signal contributed'),
  explain_memory_ids: z
    .array(z.string().max(256))
    .min(1)
    .max(20)
    .describe('Explain why these memories were not returned; memories that were returned are omitted')
    .optional(),
})

export const explanation = z.strictObject({
  semantic: signal.nullable(),
  keyword: signal.nullable(),
  graph: signal.nullable(),
  speaker: signal.nullable().describe('Whether a person whom the query is about said it'),
  subject: signal.nullable().describe('Whether a note of the user is about the person whom the query is about'),
  time: signal.nullable().describe('Whether it is from the time that the query mentions'),
  reply: signal.nullable().describe('Whether it answers somebody who asked a similar question'),
  statement: signal.nullable().describe('Whether it states something rather than asks'),
  rerank: signal.nullable(),
  decay: signal,
  trust: signal.describe('How much content protection trusts it'),
})

export const recalledMemory = z.strictObject({
  id: z.string(),
  content: z.string(),
  score: score.describe('Relevance to the query, comparable across queries'),
  match: z.enum(matches).describe('The score in words: strong from 0.5, possible from 0.15, weak from 0.05'),
  space: z
    .string()
    .nullable()
    .describe('Only with spaces: where it comes from; null: the memories of the user')
    .optional(),
  created_at: timestamp,
  project: z.string().nullable(),
  metadata,
  source: z.string(),
  trust_score: score,
  expires_at: timestamp.nullable(),
  superseded_at: timestamp.nullable().describe('Only with include_history').optional(),
  flagged: z.boolean().describe('Only with include_flagged').optional(),
  outdated,
  explain: explanation.optional(),
})

export const unreturnedMemory = z.strictObject({
  id: z.string(),
  reason: z
    .enum(notReturnedReasons)
    .describe(
      'not_found: the user has no memory with this id; not_a_candidate: other memories were closer to the query',
    ),
  score: score
    .describe('The score it got, or would have got as a candidate; omitted if it was not searched')
    .optional(),
  rank: z.int().min(1).describe('The rank by this score').optional(),
  explain: explanation.optional(),
})

export const recallAnswer = z.strictObject({
  memories: z.array(recalledMemory).describe('Highest score first'),
  context: z
    .string()
    .describe(
      'The memories as text, one per line: [YYYY-MM-DD] content; (low trust) precedes the text of a memory that content protection doubts; (outdated since YYYY-MM-DD: …) marks a part that no longer holds',
    ),
  total: count,
  context_tokens: count.describe('Size of the context in tokens; only with explain').optional(),
  searched_in: searchedIn.optional(),
  degraded,
  not_returned: z.array(unreturnedMemory).describe('Only with explain_memory_ids').optional(),
})

/* ------------------------------------------------------------------ list, read, update, forget */

export const memory = z.strictObject({
  id: z.string(),
  user_id: z.string().describe('The owner; for a memory of a space, the id of the space'),
  content: z.string(),
  action: z.enum(['ADD', 'UPDATE']).describe('How it was created: UPDATE if it replaced the memories in supersedes'),
  score: score.nullable().describe('Relevance to a query; null where there is no query'),
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
    .describe('Ids of the memories that it replaced; omitted when there are none')
    .optional(),
  outdated,
  expired: z.boolean().describe('Only with include_expired').optional(),
})

export const listQuery = z.strictObject({
  user_id: userId.optional(),
  space: space.optional(),
  project: project.optional(),
  limit: pageSize(50, 500),
  page: optionalPage,
  cursor: cursor.optional(),
  include_expired: z.boolean().default(false).describe('Include expired memories that are not purged yet'),
  flagged: z
    .boolean()
    .describe('true: only memories that content protection flagged; false: only the others')
    .optional(),
  q: z.string().min(1).max(256).describe('Only memories whose content contains this text, ignoring case').optional(),
  filter: filterText.optional(),
  as_of: formatted('timestamp', 'The state at that moment, with the content that memories had then').optional(),
  sort: z
    .enum(['created_at', 'expires_at'])
    .default('created_at')
    .describe(
      'created_at: newest first. expires_at: only memories that expire, soonest first. A cursor continues the same order',
    ),
})

export const listAnswer = z.strictObject({
  memories: z.array(memory).describe('Newest first, unless sort says otherwise'),
  total: count,
  page: shownPage,
  limit: z.int().min(1),
  next_cursor: nextCursor,
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
  outdated,
})

export const provenance = z.strictObject({
  document_id: z.string(),
  source: z.string(),
  stored_at: timestamp,
  text: z.string().describe('The submitted text that the memory was extracted from, or that repeated it'),
})

export const historyQuery = z.strictObject({
  user_id: userId.optional(),
  space: space.optional(),
  limit: z.int().min(1).max(500).default(500).describe('Versions and texts per page, at most 500'),
  cursor: cursor.optional(),
})

export const historyAnswer = z.strictObject({
  memory_id: z.string(),
  versions: z.array(memoryVersion).describe('Oldest first'),
  provenance: z.array(provenance).describe('Oldest first; after the last version'),
  next_cursor: nextCursor,
})

export const updateRequest = z.strictObject({
  content: content.optional(),
  metadata: metadata.optional(),
  ttl: formatted('ttl', 'Time to live from now; permanent removes the expiry').optional(),
  project: ownProject
    .nullable()
    .describe('Moves the memory to this project; null removes it from its project')
    .optional(),
  user_id: userId.describe('The owner of the memory; checked if given').optional(),
  space: space.optional(),
})

export const updateAnswer = z.strictObject({ status: success, memory, degraded, redacted })

export const releaseAnswer = z.strictObject({ status: success, memory })

export const maxForgottenIds = 1000

export const forgetRequest = z.strictObject({
  memory_ids: z.array(z.string().max(256)).min(1).max(maxForgottenIds).describe('Delete these memories').optional(),
  filter: filter.describe('Delete the memories that pass this filter').optional(),
  all: z.literal(true).describe('Delete all memories of the user, or of the project').optional(),
  user_id: userId.optional(),
  space: space.optional(),
  project: project.optional(),
})

export const forgetQuery = z.strictObject({
  memory_ids: z.string().min(1).describe('Delete these memories: ids separated by commas').optional(),
  filter: filterText.describe('Delete the memories that pass this filter: JSON').optional(),
  all: z.literal(true).describe('Delete all memories of the user, or of the project').optional(),
  user_id: userId.optional(),
  space: space.optional(),
  project: project.optional(),
})

export const forgetAnswer = z.strictObject({
  status: success,
  deleted: count,
  memory_ids: z.array(z.string()).describe('Ids of the deleted memories'),
})
