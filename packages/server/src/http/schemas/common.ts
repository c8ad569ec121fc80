/** Fields that several nouns share. Every schema here is a strict object: an unknown field is an error. */
import { z } from 'zod'
import type { TextFormat } from '../body/text-formats.js'

/** A string whose format `text-formats.ts` checks. */
export function formatted(format: TextFormat, description: string): z.ZodString {
  return z.string().meta({ format, description })
}

export const timestamp = z.string().meta({ format: 'date-time', example: '2026-03-01T09:30:00.000Z' })
export const score = z.number().min(0).max(1)
export const count = z.int().min(0)

export const userId = z
  .string()
  .min(1)
  .max(256)
  .meta({
    format: 'identifier' satisfies TextFormat,
    description: 'The owner of the memories; by default the user of the API key',
  })
export const project = z
  .string()
  .min(1)
  .max(128)
  .meta({
    format: 'identifier' satisfies TextFormat,
    description: 'Only memories of this project; by default all projects',
  })
export const space = z
  .string()
  .max(64)
  .describe('The id of a space: its memories instead of those of the user. Without a membership it does not exist')
export const metadata = z
  .looseObject({})
  .meta({ description: 'Any keys and values: at most 16 KiB as JSON, 8 levels deep' })
export const pageNumber = z.int().min(1).max(1_000_000).default(1).describe('Page number, from 1')
/** For lists that have a cursor too. */
export const optionalPage = z
  .int()
  .min(1)
  .max(1_000_000)
  .describe('Page number, from 1 (the default); cannot be combined with cursor')
  .optional()
export const shownPage = z.int().min(1).nullable().describe('Null when a cursor was given')
export const cursor = formatted('cursor', 'next_cursor of the previous page')
export const nextCursor = z
  .string()
  .nullable()
  .describe('The next page begins here; null on the last page. Follow it if a page ended early because of its size')

export function pageSize(fallback: number, most: number) {
  return z.int().min(1).max(most).default(fallback).describe(`Items per page, at most ${most}`)
}

export const noFields = z.strictObject({})
export const idParams = z.strictObject({ id: z.string().describe('The identifier') })
export const userQuery = z.strictObject({ user_id: userId.optional() })
const owner = z.strictObject({ user_id: userId.optional(), space: space.optional() })
/** In the query, or in the body. */
export const ownerQuery = owner
export const ownerBody = z.strictObject(owner.shape)
export const success = z.literal('success')

export const searchedIn = z
  .enum(['memory', 'storage'])
  .describe(
    'Where the search looked; only with explain. storage: a user has too many memories for an index in memory, so their stored index was read slice by slice',
  )

export const signal = z
  .strictObject({ score, rank: z.int().min(1).nullable().describe('The rank by this signal; 1 is best') })
  .describe('The score of a memory by one signal')
