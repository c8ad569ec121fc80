import type { z } from 'zod'
import { contradiction, contradictionSide } from './contradiction.js'
import { entity, relationship } from './entity.js'
import { errorAnswer, errorBody, problem } from './error.js'
import { memoryEvent } from './event.js'
import { grant } from './grant.js'
import { item } from './item.js'
import { apiKey } from './key.js'
import {
  explanation,
  memory,
  memoryVersion,
  message,
  outdatedPart,
  provenance,
  recalledMemory,
  storeAnswer,
  storedMemory,
  unreturnedMemory,
} from './memory.js'
import { merge, mergedName } from './merge.js'
import { profileLine } from './profile.js'
import { member, space } from './space.js'
import { batchResult, storeItem } from './store-batch.js'
import { deadLetter, webhook } from './webhook.js'

/**
 * Nouns that the OpenAPI document defines once and refers to. None of them is nullable anywhere, because OpenAPI 3.0 has no
 * nullable references.
 */
export const componentSchemas: Readonly<Record<string, z.ZodType>> = {
  Error: errorAnswer,
  ErrorBody: errorBody,
  Problem: problem,
  Memory: memory,
  StoredMemory: storedMemory,
  StoreItem: storeItem,
  StoreMemoriesAnswer: storeAnswer,
  BatchResult: batchResult,
  RecalledMemory: recalledMemory,
  UnreturnedMemory: unreturnedMemory,
  MemoryVersion: memoryVersion,
  OutdatedPart: outdatedPart,
  Provenance: provenance,
  Message: message,
  Explanation: explanation,
  Contradiction: contradiction,
  ContradictionSide: contradictionSide,
  ProfileLine: profileLine,
  Entity: entity,
  EntityMerge: merge,
  MergedName: mergedName,
  Relationship: relationship,
  MemoryEvent: memoryEvent,
  Webhook: webhook,
  DeadLetter: deadLetter,
  Item: item,
  Space: space,
  Member: member,
  ApiKey: apiKey,
  Grant: grant,
}
