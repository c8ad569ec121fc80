import { z } from 'zod'
import { topics } from '../../core/fact.js'
import { count, formatted, project, score, space, timestamp, userId } from './common.js'

export const profileParams = z.strictObject({
  user_id: userId.describe('The user. With an API key, `me` is the user of the key'),
})

export const profileQuery = z.strictObject({
  space: space.optional(),
  project: project.optional(),
  max_tokens: z.int().min(1).max(128_000).default(400).describe('Maximum size of `text`, in tokens'),
  as_of: formatted('timestamp', 'The state at that moment: what was known then').optional(),
  topics: z
    .string()
    .min(1)
    .max(256)
    .describe(`Only these topics, separated by commas; by default all: ${topics.join(', ')}`)
    .optional(),
})

export const profileLine = z.strictObject({
  text: z.string().describe('The words of the memory that state the fact'),
  memory_id: z.string(),
  created_at: timestamp.describe('When the memory was created'),
  confidence: score.describe('How sure it is a lasting fact'),
  subject: z.string().nullable().describe('Name of the person it is about; null: the user'),
})

export const profileAnswer = z.strictObject({
  user_id: z.string(),
  as_of: timestamp,
  topics: z
    .array(z.strictObject({ topic: z.enum(topics), lines: z.array(profileLine) }))
    .describe('The topics of which something is known, in a fixed order; in each, the surest and newest facts first'),
  text: z.string().describe('The same for a prompt: a heading per topic and a line per fact'),
  tokens: count.describe('Size of `text`'),
})
