/**
 * The interfaces that the service uses for models. Local models need no network; remote ones are the operator's choice.
 */
import type { EntityMention, RelationshipFound, Slot } from '../core/entity.js'
import type { Judgement, PairToJudge, TurnJudgement, TurnToJudge } from './judge/judgement.js'

export type LoadState = 'not loaded' | 'loading' | 'loaded' | 'failed'

/** A local model is loaded by its first call at the latest. */
export interface Loadable {
  /** Loads the model now. Rejects with one line for the operator if it can't be loaded. */
  load(): Promise<void>
  /** Checks the files of a model that is not needed yet. Rejects with one line for the operator. */
  verify(): Promise<void>
  state(): LoadState
}

export interface Embedder {
  /** Only of a model in this process. */
  readonly loading?: Loadable
  /** Stored with every vector: vectors of different models are never compared. */
  readonly modelId: string
  readonly dimensions: number
  /** Unit-length vectors, in the order of the texts. Concurrent calls are batched inside. */
  embed(texts: readonly string[]): Promise<Float32Array[]>
  /** Number of texts that wait or run now, for metrics and health. */
  queueLength(): number
  close(): Promise<void>
}

export interface Tagged {
  readonly entities: readonly EntityMention[]
  readonly relationships: readonly RelationshipFound[]
  readonly slots: readonly Slot[]
}

interface TagItem {
  readonly text: string
  /** The person who says "I". */
  readonly speaker: EntityMention
}

export interface Tagger {
  /** Finds the people and things that each self-contained text is about, in order. */
  tag(items: readonly TagItem[]): Promise<Tagged[]>
}

export interface Finding {
  /** For example `instruction_override`, `role_manipulation`, `delimiter_injection`, `encoded_payload`. */
  readonly kind: string
  /** Half-open range in the text that was checked. */
  readonly start: number
  readonly end: number
  /** 0 to 1: the trust that it costs. */
  readonly weight: number
}

export interface Verdict {
  /** 0 to 1; ordinary text has 1. */
  readonly trustScore: number
  readonly findings: readonly Finding[]
}

export interface Guard {
  inspect(text: string): Verdict
}

export interface Reranker {
  readonly loading?: Loadable
  readonly modelId: string
  /** One score in 0..1 per text, in order. */
  score(query: string, texts: readonly string[]): Promise<number[]>
  close(): Promise<void>
}

export interface Judge {
  readonly loading?: Loadable
  readonly modelId: string
  /** One judgement per pair, in order. */
  judge(pairs: readonly PairToJudge[]): Promise<Judgement[]>
  /** One judgement per message, in order. */
  weigh(turns: readonly TurnToJudge[]): Promise<TurnJudgement[]>
  close(): Promise<void>
}
