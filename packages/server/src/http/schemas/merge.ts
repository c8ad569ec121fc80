import { z } from 'zod'
import { entityTypes } from '../../core/entity.js'
import { mergeRules } from '../../storage/ports/entity-merges.js'
import { count, space, success, timestamp, userId } from './common.js'
import { entity } from './entity.js'

export const mergedName = z.strictObject({ id: z.string(), name: z.string(), type: z.enum(entityTypes) })

export const merge = z.strictObject({
  id: z.string(),
  user_id: z.string(),
  from: mergedName,
  into: mergedName,
  rule: z
    .enum(mergeRules)
    .describe(
      'stated: a text says so; full_name, short_form, company_name: the name fits only this person or organisation; ' +
        'same_name: a product has the name of an organisation; manual: a user merged them',
    ),
  why: z.string().describe('The reason in plain English'),
  created_at: timestamp,
  reverted_at: timestamp.nullable(),
  reverted_by: z
    .enum(['user', 'rule'])
    .nullable()
    .describe('rule: the reason no longer applies, for example because the name now fits a second person'),
})

export const mergeRequest = z.strictObject({
  user_id: userId.optional(),
  space: space.optional(),
  into: z.string().min(1).max(64).describe('The id of the entity to merge it into'),
})

export const mergesAnswer = z.strictObject({ entity, merges: z.array(merge).describe('Newest first'), total: count })
export const mergeAnswer = z.strictObject({ status: success, merge })
