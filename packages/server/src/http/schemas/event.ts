import { z } from 'zod'
import { eventActions, eventTypes } from '../../core/memory-event.js'
import { formatted, pageSize, project, timestamp, userId } from './common.js'

export const eventType = z.enum(eventTypes)

export const memoryEvent = z.strictObject({
  id: z.string().describe('Within its user; later ones are higher'),
  type: eventType,
  action: z.enum(eventActions),
  user_id: z.string(),
  memory_id: z.string(),
  project: z.string().nullable().describe('Null also for what was forgotten'),
  checksum: z.string().nullable().describe('Of the content since'),
  related_memory_ids: z.array(z.string()).describe('What it supersedes, or what superseded it'),
  time: timestamp,
})

export const eventsQuery = z.strictObject({
  user_id: userId.optional(),
  project: project.optional(),
  since: formatted(
    'event-id',
    'Events after this one; 0: all that are kept. The header Last-Event-ID goes before it',
  ).optional(),
  limit: pageSize(100, 1000),
})

export const eventsAnswer = z.strictObject({
  events: z.array(memoryEvent),
  next: z.string().describe('Pass it as `since` next time'),
  more: z.boolean(),
  missed: z.boolean().describe('Some events after `since` are not kept any more: list the memories anew'),
})
