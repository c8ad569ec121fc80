import { z } from 'zod'
import { contradictionStatuses } from '../../core/contradiction.js'
import {
  count,
  cursor,
  nextCursor,
  optionalPage,
  pageSize,
  project,
  shownPage,
  space,
  success,
  timestamp,
  userId,
} from './common.js'

/** Not a named component, because it is nullable: see `components.ts`. */
const reason = z.strictObject({
  slot: z.string().describe('The fact that has one value at a time'),
  old_value: z.string(),
  new_value: z.string(),
  rule: z
    .string()
    .describe(
      'The rule that found it: contradicted; refined, where the new memory only adds detail; judged, by the judging model; advised, by a language model; repeated, where consolidation found the same in other words; chatter, where consolidation retired a memory that says nothing, which is then on both sides',
    ),
})

/** Not a named component either. */
const part = z.strictObject({
  text: z.string().describe('The words of the old memory that it is about'),
  start: count.describe('Where they begin in the content, in UTF-16 code units'),
  end: count.describe('Where they end: the first code unit after them'),
})

export const contradictionSide = z.strictObject({
  id: z.string().describe('The memory'),
  content: z.string().describe('The content that contradicted; the memory may have changed since'),
  created_at: timestamp,
  expires_at: timestamp.nullable(),
  superseded_at: timestamp.nullable(),
  superseded_by: z.string().nullable(),
})

export const contradiction = z.strictObject({
  id: z.string(),
  user_id: z.string(),
  project: z.string().nullable(),
  status: z
    .enum(contradictionStatuses)
    .describe(
      'applied: the new memory replaced the old one, or a part of it; open: both are kept until somebody decides; accepted or reverted: somebody decided',
    ),
  why: z.string().describe('The reason in plain English'),
  reason: reason.nullable(),
  part: part.nullable().describe('The part of the old memory that it is about; null if it is about all of it'),
  old: contradictionSide,
  new: contradictionSide,
  created_at: timestamp,
  decided_at: timestamp.nullable(),
})

export const contradictionListQuery = z.strictObject({
  user_id: userId.optional(),
  space: space.optional(),
  project: project.optional(),
  status: z.enum(contradictionStatuses).optional(),
  include_expired: z.boolean().default(false).describe('Include contradictions with an expired memory'),
  limit: pageSize(50, 500),
  page: optionalPage,
  cursor: cursor.optional(),
})

export const contradictionListAnswer = z.strictObject({
  contradictions: z.array(contradiction).describe('Newest first'),
  total: count,
  page: shownPage,
  limit: z.int().min(1),
  next_cursor: nextCursor,
})

export const contradictionAnswer = z.strictObject({ contradiction })
export const decisionAnswer = z.strictObject({ status: success, contradiction })
