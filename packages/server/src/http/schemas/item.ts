import { z } from 'zod'
import { groupedDigits } from '../../core/grouped-digits.js'
import { longestKey, longestNamespace, longestValue, mostIndexedFields } from '../../core/item.js'
import { maxQueryCharacters } from '../body/text-formats.js'
import { count, formatted, pageSize, score, space, success, timestamp, userId } from './common.js'
import { degraded, redacted, ttl } from './memory.js'

const namespace = z.string().min(1).max(longestNamespace).meta({
  format: 'namespace',
  description: 'Labels separated by dots, such as users.42.settings',
})
const key = z.string().min(1).max(longestKey).meta({
  format: 'item-key',
  description: 'The name of the item in its namespace. In a URL, / is written %2F',
})
const prefix = namespace.meta({ format: 'namespace', description: 'This namespace and those below it' })
const project = z.string().min(1).max(128).meta({
  format: 'identifier',
  description: 'The project that the items belong to; by default those outside every project',
})
const value = z
  .unknown()
  .describe(`Any JSON: a text, an object, a list. At most ${groupedDigits(longestValue)} characters as JSON`)
const version = z.int().min(1).describe('Grows with every change; numbers have gaps')
const ifVersion = z
  .int()
  .min(0)
  .max(Number.MAX_SAFE_INTEGER)
  .describe('Only if the item has this version, else 409; 0: only if there is no such item')
const owner = { user_id: userId.optional(), space: space.optional(), project: project.optional() }
const itemCursor = z.string().min(1).max(4_000).describe('next_cursor of the previous page')
const nextCursor = z.string().nullable().describe('The next page begins here; null on the last page')

export const item = z.strictObject({
  namespace: z.string(),
  key: z.string(),
  project: z.string().nullable(),
  value,
  version,
  trust_score: score,
  flagged: z.boolean().describe('Content protection flagged it: a search leaves it out'),
  created_at: timestamp,
  updated_at: timestamp,
  expires_at: timestamp.nullable(),
})

export const itemParams = z.strictObject({ namespace, key })
export const itemOwnerQuery = z.strictObject(owner)
export const getItemQuery = z.strictObject({
  ...owner,
  as_of: formatted('timestamp', 'The item as it was then; a deleted item has no past').optional(),
})
export const deleteItemQuery = z.strictObject({ ...owner, if_version: ifVersion.optional() })
export const putItemRequest = z.strictObject({
  value,
  ttl: ttl.optional(),
  index: z
    .union([z.boolean(), z.array(z.string().min(1).max(200)).max(mostIndexedFields)])
    .describe(
      'What a search looks at: true (the default) for all of the value, false for nothing, or paths such as title, chapters[*].text and $',
    )
    .optional(),
  if_version: ifVersion.optional(),
})
export const listItemsQuery = z.strictObject({
  ...owner,
  namespace: namespace.optional(),
  prefix: prefix.optional(),
  limit: pageSize(50, 500),
  cursor: itemCursor.optional(),
})
export const namespacesQuery = z.strictObject({
  ...owner,
  prefix: prefix.optional(),
  limit: pageSize(100, 1_000),
  cursor: itemCursor.optional(),
})
export const deleteItemsQuery = z.strictObject({
  ...owner,
  namespace: namespace.optional(),
  prefix: prefix.optional(),
})
export const searchItemsRequest = z.strictObject({
  ...owner,
  query: formatted(
    'query-text',
    `1 to ${groupedDigits(maxQueryCharacters)} characters; by default, the latest changes are returned`,
  ).optional(),
  namespace: namespace.optional(),
  prefix: prefix.optional(),
  filter: z
    .looseObject({})
    .describe('Conditions on the value, as in a recall: {"value.status": "open", "value.priority": {"gte": 3}}')
    .optional(),
  threshold: score.describe('Minimum score; 0 by default').optional(),
  include_flagged: z.boolean().describe('Also items that content protection flagged').optional(),
  limit: z.int().min(1).max(100).describe('Maximum number of items; 10 by default').optional(),
  offset: z.int().min(0).max(10_000).describe('Number of items to skip').optional(),
})

export const itemAnswer = z.strictObject({ item })
export const putItemAnswer = z.strictObject({
  status: success,
  created: z.boolean().describe('False: there was such an item'),
  item,
  redacted,
})
export const deleteItemAnswer = z.strictObject({ status: success, deleted: count.describe('Number of deleted items') })
export const itemVersionsAnswer = z.strictObject({
  versions: z
    .array(
      z.strictObject({
        version,
        value,
        valid_from: timestamp,
        valid_to: timestamp.nullable().describe('Null: current'),
      }),
    )
    .describe('The newest first, at most 20'),
})
export const itemsAnswer = z.strictObject({
  items: z.array(item).describe('By namespace and key'),
  limit: z.int().min(1),
  next_cursor: nextCursor,
})
export const namespacesAnswer = z.strictObject({
  namespaces: z.array(z.strictObject({ namespace: z.string(), items: count.describe('Number of items') })),
  limit: z.int().min(1),
  next_cursor: nextCursor,
})
export const searchItemsAnswer = z.strictObject({
  items: z.array(
    z.strictObject({ ...item.shape, score: score.nullable().describe('Relevance to the query; null without one') }),
  ),
  degraded,
})
