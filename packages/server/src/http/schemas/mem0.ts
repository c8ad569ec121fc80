/** What clients of mem0 send. Fields that have no effect here are marked; an unknown one is a 400, because ignoring it might return, or delete, too much. */
import { z } from 'zod'

const text = z.string().min(1).max(10_000)
const name = z.string().min(1).max(256)
const anyObject = z.record(z.string(), z.unknown())

const scopes = { user_id: name.optional(), agent_id: name.optional(), app_id: name.optional(), run_id: name.optional() }

/** Accepted without an effect: the service always does this, or the shape of the answer depends on the version in the path. */
const withoutEffect = {
  version: z.string().max(10).optional(),
  api_version: z.string().max(10).optional(),
  async_mode: z.boolean().optional(),
  enable_graph: z.boolean().optional(),
  keyword_search: z.boolean().optional(),
  latest_only: z.boolean().optional(),
  source: z.string().max(128).optional(),
}

export const mem0Add = z.strictObject({
  messages: z.union([
    z.string(),
    z.array(z.strictObject({ role: z.string(), content: z.unknown(), name: name.optional() })),
  ]),
  ...scopes,
  metadata: anyObject.nullable().optional(),
  infer: z.boolean().optional(),
  timestamp: z.int().min(0).max(1e11).optional(),
  expiration_date: name.nullable().optional(),
  output_format: name.optional(),
  ...withoutEffect,
})

export const mem0Search = z.strictObject({
  query: text,
  ...scopes,
  filters: anyObject.optional(),
  metadata: anyObject.optional(),
  top_k: z.int().min(1).max(100).optional(),
  limit: z.int().min(1).max(100).optional(),
  threshold: z.number().min(0).max(1).nullable().optional(),
  rerank: z.boolean().optional(),
  fields: z.array(name).max(20).optional(),
  show_expired: z.literal(false).optional(),
  output_format: name.optional(),
  ...withoutEffect,
})

export const mem0List = z.strictObject({
  ...scopes,
  filters: anyObject.optional(),
  start_date: name.optional(),
  end_date: name.optional(),
  show_expired: z.boolean().optional(),
  output_format: name.optional(),
  ...withoutEffect,
})

export const mem0Page = z.strictObject({
  page: z.int().min(1).max(1_000_000).optional(),
  page_size: z.int().min(1).max(500).optional(),
})

/** The first version of the protocol lists by query. */
export const mem0ListQuery = z.strictObject({ ...scopes, ...mem0Page.shape, top_k: z.int().min(1).max(500).optional() })

export const mem0Update = z.strictObject({
  text: z.string().optional(),
  metadata: anyObject.nullable().optional(),
  expiration_date: name.nullable().optional(),
})

export const mem0DeleteQuery = z.strictObject({ delete_linked: z.literal(false).optional() })
export const mem0DeleteAllQuery = z.strictObject(scopes)
export const mem0EntityParams = z.strictObject({ type: z.string(), name: z.string() })

export type Mem0Scopes = z.infer<typeof mem0DeleteAllQuery>
