import { z } from 'zod'
import { eventActions, eventTypes } from '../../core/memory-event.js'
import { formatted, pageSize, project, timestamp, userId } from './common.js'

export const eventType = z.enum(eventTypes)

export const memoryEvent = z.strictObject({
  id: z.string().describe('Unique per user; later events have higher ids'),
  type: eventType,
  action: z.enum(eventActions),
  user_id: z.string(),
  memory_id: z.string().nullable().describe('Null for an item'),
  item: z
    .strictObject({
      namespace: z.string(),
      key: z.string(),
      version: z.int().nullable().describe('Null if it was deleted'),
    })
    .nullable()
    .describe('The item. Null for a memory, and with item.deleted if all items were erased: list them again'),
  project: z.string().nullable().describe('Null if the memory or item has no project, or the memory was forgotten'),
  checksum: z.string().nullable().describe('Checksum of the content after the event'),
  related_memory_ids: z
    .array(z.string())
    .describe('The memories that it supersedes, or the memory that superseded it or made a part of it outdated'),
  time: timestamp,
})

export const eventsQuery = z.strictObject({
  user_id: userId.optional(),
  project: project.optional(),
  since: formatted(
    'event-id',
    'Only events after this one; 0 for all events that are kept. The Last-Event-ID header takes precedence',
  ).optional(),
  limit: pageSize(100, 1000),
})

export const eventsAnswer = z.strictObject({
  events: z.array(memoryEvent),
  next: z.string().describe('Pass this as `since` in the next request'),
  more: z.boolean(),
  missed: z.boolean().describe('Some events after `since` are no longer kept: list the memories again'),
})
