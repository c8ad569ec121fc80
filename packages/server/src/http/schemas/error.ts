import { z } from 'zod'
import { type ErrorCode, errorTable } from '../../core/errors.js'

// The keys of a constant object are exactly its type's keys; Object.keys forgets that.
const codes = Object.keys(errorTable) as ErrorCode[]

export const problem = z
  .looseObject({
    path: z.string().describe('The field, such as metadata.tags[2]; empty for the whole'),
    message: z.string(),
  })
  .describe('One thing that is wrong. A refusal by content protection adds trust_score and findings.')

export const errorBody = z.strictObject({
  code: z.enum(codes),
  message: z.string(),
  details: z.array(problem).optional(),
  request_id: z.string().describe('Finds the request in the log of the service'),
})

export const errorAnswer = z.strictObject({ error: errorBody })
export type ErrorAnswer = z.infer<typeof errorAnswer>
