import { z } from 'zod'
import { entityTypes, relationshipTypes } from '../../core/entity.js'
import {
  count,
  cursor,
  formatted,
  nextCursor,
  optionalPage,
  pageNumber,
  pageSize,
  project,
  shownPage,
  space,
  timestamp,
  userId,
} from './common.js'
import { memory } from './memory.js'

export const entity = z.strictObject({
  id: z.string(),
  user_id: z.string(),
  name: z.string(),
  type: z.enum(entityTypes),
  aliases: z.array(z.string()),
  memory_count: count,
  first_seen: timestamp,
  last_seen: timestamp,
})

export const relationship = z.strictObject({
  id: z.string(),
  source: z.string().describe('Name of the source entity'),
  source_id: z.string(),
  target: z.string().describe('Name of the target entity'),
  target_id: z.string(),
  type: z.enum(relationshipTypes),
  properties: z.record(z.string(), z.string()),
  valid_from: timestamp,
  valid_to: timestamp.nullable(),
  memory_ids: z.array(z.string()).describe('Memories that support it'),
})

const asOf = formatted('timestamp', 'The state at that moment; names and merges are the current ones')

export const entityListQuery = z.strictObject({
  user_id: userId.optional(),
  space: space.optional(),
  project: project.optional(),
  type: z.enum(entityTypes).optional(),
  q: z.string().min(1).max(256).describe('Only entities whose name or alias contains this text').optional(),
  as_of: asOf.optional(),
  limit: pageSize(50, 500),
  page: pageNumber,
})

export const entityListAnswer = z.strictObject({
  entities: z.array(entity).describe('Most recently seen first'),
  total: count,
  page: z.int().min(1),
  limit: z.int().min(1),
})

export const entityQuery = z.strictObject({
  user_id: userId.optional(),
  space: space.optional(),
  as_of: asOf.optional(),
})

export const entityAnswer = z.strictObject({ entity })

export const relationshipsQuery = z.strictObject({
  user_id: userId.optional(),
  space: space.optional(),
  as_of: formatted('timestamp', 'Only relationships that were valid at that moment').optional(),
  include_history: z.boolean().default(false).describe('Include relationships that are no longer valid'),
})

export const relationshipsAnswer = z.strictObject({
  entity,
  relationships: z.array(relationship).describe('In both directions'),
  total: count,
})

export const entityMemoriesQuery = z.strictObject({
  user_id: userId.optional(),
  space: space.optional(),
  as_of: asOf.optional(),
  limit: pageSize(50, 500),
  page: optionalPage,
  cursor: cursor.optional(),
})

export const entityMemoriesAnswer = z.strictObject({
  entity,
  memories: z.array(memory).describe('Newest first'),
  total: count,
  page: shownPage,
  limit: z.int().min(1),
  next_cursor: nextCursor,
})

const mostEntities = 2000

export const graphQuery = z.strictObject({
  user_id: userId.optional(),
  space: space.optional(),
  project: project.optional(),
  as_of: asOf.optional(),
  limit: z.int().min(1).max(mostEntities).default(500).describe(`Maximum number of entities, up to ${mostEntities}`),
})

export const graphAnswer = z.strictObject({
  entities: z.array(entity).describe('Entities with the most memories first'),
  relationships: z.array(relationship).describe('Relationships between these entities, each once; at most 10,000'),
  total_entities: count.describe('Number of all entities, including those beyond limit'),
  total_relationships: count,
})
