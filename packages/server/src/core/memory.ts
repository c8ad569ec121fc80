import { hash } from 'node:crypto'
import { normalForm } from './normal-form.js'
import type { OutdatedPart } from './outdated.js'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
export type Metadata = { readonly [key: string]: Json }

export const actions = ['ADD', 'NOOP', 'UPDATE'] as const
export type Action = (typeof actions)[number]

/** A memory as it is now, or was at a given time: one version joined with the fields that all versions share. */
export interface Memory {
  readonly id: string
  readonly userId: string
  readonly project: string | null
  readonly content: string
  /** The parts of the content that no longer hold. */
  readonly outdated: readonly OutdatedPart[]
  readonly checksum: string
  readonly metadata: Metadata
  readonly source: string
  readonly trustScore: number
  readonly flagged: boolean
  readonly version: number
  readonly createdAt: number
  readonly updatedAt: number
  readonly expiresAt: number | null
  readonly supersededAt: number | null
  /** Id of the memory that replaced this one. */
  readonly supersededBy: string | null
  /** Ids of the memories that this one replaced, without one that a revert put aside in its favour. */
  readonly supersedes: readonly string[]
  readonly accessCount: number
  readonly lastAccessed: number | null
  readonly entities: readonly string[]
}

/** The fields of a memory that a recall needs: those that take no further look-up. */
export type BareMemory = Omit<Memory, 'entities' | 'supersedes'>

export interface MemoryVersion {
  readonly version: number
  readonly content: string
  /** The parts of the content that no longer hold. */
  readonly outdated: readonly OutdatedPart[]
  readonly checksum: string
  readonly metadata: Metadata
  readonly project: string | null
  readonly trustScore: number
  readonly validFrom: number
  readonly validTo: number | null
  readonly expiresAt: number | null
}

export function checksumOf(content: string): string {
  return hash('sha256', content, 'hex')
}

/** Two contents with the same key say the same in the same words, apart from case, fillers and spelling. */
export function contentKey(content: string): string {
  return hash('sha256', normalForm(content), 'hex').slice(0, 32)
}
