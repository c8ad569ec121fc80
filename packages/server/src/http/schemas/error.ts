import { z } from 'zod'
import { type ErrorCode, errorTable } from '../../core/errors.js'

// The keys of a constant object are exactly the keys of its type, but Object.keys returns strings.
const codes = Object.keys(errorTable) as ErrorCode[]

export const problem = z
  .looseObject({
    path: z.string().describe('The field, such as metadata.tags[2]; empty for the whole request'),
    message: z.string(),
  })
  .describe(
    'One problem with the request. If content protection refused the text, it also has trust_score and findings.',
  )

export const errorBody = z.strictObject({
  code: z.enum(codes),
  message: z.string(),
  details: z.array(problem).optional(),
  request_id: z.string().describe('Identifies the request in the log of the service'),
})

export const errorAnswer = z.strictObject({ error: errorBody })
export type ErrorAnswer = z.infer<typeof errorAnswer>
