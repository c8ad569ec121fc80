import { z } from 'zod'
import { count, formatted, success, userId } from './common.js'
import { errorBody } from './error.js'
import { storeAnswer, storeRequest } from './memory.js'

const mostBatchItems = 1_000

export type StoreItem = z.infer<typeof storeItem>
export const storeItem = storeRequest.omit({ user_id: true }).extend({
  idempotency_key: formatted(
    'idempotency-key',
    'Like the Idempotency-Key of a single store, for this item; by default the header of the batch, if there is one, with the index of the item',
  ).optional(),
})

export const storeBatchRequest = z.strictObject({
  user_id: userId.optional(),
  items: z
    .array(storeItem)
    .min(1)
    .max(mostBatchItems)
    .describe(
      'Texts with the fields of a single store, in the order in which they were said; all items together at most 1 MiB',
    ),
})

export const batchResult = z.strictObject({
  index: count.describe('Of the item in the request'),
  status: z
    .enum(['stored', 'refused', 'failed'])
    .describe('refused: sending it again would not help; failed: send it again, with the same idempotency key'),
  replayed: z
    .boolean()
    .describe('True if an earlier request with the same key has stored it; omitted otherwise')
    .optional(),
  result: storeAnswer.describe('Only if it is stored: the response of a single store').optional(),
  error: errorBody.describe('Only if it is not stored: the error of a single store').optional(),
})

export const storeBatchAnswer = z.strictObject({
  status: success,
  stored: count,
  refused: count,
  failed: count,
  results: z.array(batchResult).describe('One per item, in order'),
})
