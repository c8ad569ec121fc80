/** The part of the storage port that keeps webhooks: their target, their position in the event log, and their dead letters. */
import type { EventMark, EventType, MemoryEvent } from '../../core/memory-event.js'
import type { Scope, UserScope } from '../../core/scope.js'

export interface WebhookStore {
  /** The webhook begins at the end of the user's log. False: the user already has `most` of them. */
  createWebhook(scope: UserScope, webhook: NewWebhook, most: number): Promise<boolean>
  /** Oldest first. */
  listWebhooks(scope: Scope): Promise<Webhook[]>
  findWebhook(scope: Scope, webhookId: string): Promise<Webhook | null>
  deleteWebhook(scope: Scope, webhookId: string): Promise<boolean>
  /**
   * Claims webhooks that have something to deliver now. Nobody else gets them before `until`, unless they are released. Users take
   * turns: each gets one webhook before anyone gets two, and the user whose last attempt is longest ago comes first.
   */
  claimWebhooks(scope: Scope, claim: WebhookClaim, limit: number): Promise<ClaimedWebhook[]>
  /** Saves its progress. False: the claim was lost or the webhook was deleted, and nothing was written. */
  settleWebhook(scope: UserScope, webhookId: string, token: string, progress: WebhookProgress): Promise<boolean>
  /** Undeliverable events: first those waiting for redelivery, then the oldest. */
  deadLetters(scope: Scope, webhookId: string, limit: number): Promise<{ total: number; items: DeadLetter[] }>
  /** Marks dead letters (null: all) for immediate redelivery; returns how many. */
  redeliver(scope: Scope, webhookId: string, marks: readonly EventMark[] | null): Promise<number>
}

export interface NewWebhook {
  readonly id: string
  readonly url: string
  /** Empty: all types. */
  readonly types: readonly EventType[]
  readonly project: string | null
  /** In plain text: a signature cannot be made from a hash. */
  readonly secret: string
  readonly createdAt: number
  readonly createdBy: string | null
}

export interface Webhook extends Omit<NewWebhook, 'secret'> {
  readonly userId: string
  /** Attempts to deliver the current event. */
  readonly attempts: number
  readonly nextAttemptAt: number
  /** Delivery of the previous event was given up. */
  readonly isFailing: boolean
  readonly lastAttemptAt: number | null
  readonly lastSuccessAt: number | null
  readonly lastStatus: number | null
  readonly lastError: string | null
  readonly deadLetters: number
}

export interface WebhookClaim {
  readonly token: string
  readonly now: number
  readonly until: number
  /** Webhooks of one user that may be claimed at the same time, by anyone. */
  readonly perUser: number
}

export interface ClaimedWebhook extends Webhook {
  readonly secret: string
  /** Delivered or skipped up to here. */
  readonly mark: EventMark
}

interface Attempted {
  readonly at: number
  /** Null: no response. */
  readonly status: number | null
  /** Null: it succeeded. One or two words of our own, never the receiver's text. */
  readonly error: string | null
}

export interface WebhookProgress {
  readonly mark: EventMark
  readonly attempts: number
  readonly nextAttemptAt: number
  readonly isFailing: boolean
  /** 0: released. */
  readonly claimedUntil: number
  readonly attempted?: Attempted
  /** Becomes or stays a dead letter. */
  readonly dead?: { readonly mark: EventMark; readonly attempts: number }
  /** Was delivered and is no longer a dead letter. */
  readonly revived?: EventMark
}

export interface DeadLetter {
  readonly event: MemoryEvent
  readonly attempts: number
  readonly status: number | null
  readonly error: string | null
  readonly at: number
  /** Waits for redelivery. */
  readonly isDue: boolean
}
