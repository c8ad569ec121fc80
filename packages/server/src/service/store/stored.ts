/** The response to a store, and how it is kept for a repeated request with the same idempotency key. */
import { z } from 'zod'
import { type Action, actions } from '../../core/memory.js'
import { type Once, rememberedMs } from '../../core/once.js'
import type { OutdatedPart } from '../../core/outdated.js'
import { parsedJson } from '../../core/parsed-json.js'
import type { RedactedKind } from '../../core/redacted-kind.js'
import type { KeptAnswer, NewAnswer } from '../../storage/ports/answers.js'

export interface StoredMemory {
  readonly id: string
  readonly action: Action
  readonly content: string
  readonly entities: readonly string[]
  readonly project: string | null
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly trustScore: number
  /** Stored, but left out of recall: see content protection. */
  readonly flagged: boolean
  readonly checksum: string
  readonly source: string
  readonly supersedes: readonly string[]
  readonly outdated?: readonly OutdatedPart[] | undefined
}

/** If the caller names no source. */
export const defaultSource = 'api'

export interface Stored {
  readonly memories: readonly StoredMemory[]
  readonly entitiesExtracted: number
  readonly relationshipsCreated: number
  /** Parts that failed and were skipped: `llm`. */
  readonly degraded: readonly string[]
  /** Secrets that were replaced before anything was stored. */
  readonly redacted: readonly RedactedKind[]
}

/** The part of a response that is known before the commit, which adds the canonical entity names of new memories. */
export type Outline = Omit<Stored, 'relationshipsCreated'>

export function completed(
  outline: Outline,
  relationshipsCreated: number,
  entityNames: readonly (readonly string[] | null | undefined)[],
): Stored {
  const { memories, entitiesExtracted, degraded, redacted } = outline
  return {
    memories: memories.map((memory, index) => ({ ...memory, entities: entityNames[index] ?? memory.entities })),
    entitiesExtracted,
    relationshipsCreated,
    degraded,
    redacted,
  }
}

export function toKeep(
  once: Once,
  { memories, entitiesExtracted, degraded, redacted }: Outline,
  now: number,
): NewAnswer {
  return {
    ...once,
    after: now - rememberedMs,
    summary: JSON.stringify({ entitiesExtracted, degraded, redacted }),
    items: memories.map((memory) => ({ memoryId: memory.id, payload: JSON.stringify(storedMemory.parse(memory)) })),
  }
}

/** The original response, without memories that were erased since. */
export function fromKept(kept: KeptAnswer): Stored {
  const outline = { ...summary.parse(parsedJson(kept.summary)), memories: kept.items.map(readItem) }
  const names = kept.items.map(({ entityNames }) => entityNames)
  return completed(outline, kept.relationshipsCreated, names)
}

function readItem({ payload }: { readonly payload: string }): StoredMemory {
  return storedMemory.parse(parsedJson(payload))
}

export const redactedKind = z.object({ kind: z.string(), count: z.number() })

const summary = z.object({
  entitiesExtracted: z.number(),
  degraded: z.array(z.string()),
  /** Absent in responses that an earlier release kept. */
  redacted: z.array(redactedKind).default([]),
})

const outdatedPart = z.object({ start: z.number(), end: z.number(), since: z.number(), by: z.string().nullable() })

const storedMemory = z.object({
  id: z.string(),
  action: z.enum(actions),
  content: z.string(),
  entities: z.array(z.string()).readonly(),
  project: z.string().nullable(),
  createdAt: z.number(),
  expiresAt: z.number().nullable(),
  trustScore: z.number(),
  flagged: z.boolean(),
  checksum: z.string(),
  source: z.string(),
  supersedes: z.array(z.string()).readonly(),
  outdated: z.array(outdatedPart).readonly().optional(),
})
