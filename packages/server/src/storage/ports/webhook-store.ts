/** The part of the seam that keeps webhooks: where events go, how far each has come, and what could not be delivered. */
import type { EventMark, EventType, MemoryEvent } from '../../core/memory-event.js'
import type { Scope, UserScope } from '../../core/scope.js'

export interface WebhookStore {
  /** Begins at the end of the user's log. False: the user has `most` of them already. */
  createWebhook(scope: UserScope, webhook: NewWebhook, most: number): Promise<boolean>
  /** Oldest first. */
  listWebhooks(scope: Scope): Promise<Webhook[]>
  findWebhook(scope: Scope, webhookId: string): Promise<Webhook | null>
  deleteWebhook(scope: Scope, webhookId: string): Promise<boolean>
  /** Takes those that have something to deliver now: nobody else gets them before `until`, or before they are given back. */
  claimWebhooks(scope: Scope, claim: WebhookClaim, limit: number): Promise<ClaimedWebhook[]>
  /** How far it has come. False: the claim was lost, or the webhook deleted; nothing was written then. */
  settleWebhook(scope: UserScope, webhookId: string, token: string, progress: WebhookProgress): Promise<boolean>
  /** What was given up: first what is to be delivered once more, then the oldest. */
  deadLetters(scope: Scope, webhookId: string, limit: number): Promise<{ total: number; items: DeadLetter[] }>
  /** Marks dead letters (null: all) to be delivered once more, at once; their number. */
  redeliver(scope: Scope, webhookId: string, marks: readonly EventMark[] | null): Promise<number>
}

export interface NewWebhook {
  readonly id: string
  readonly url: string
  /** Empty: all types. */
  readonly types: readonly EventType[]
  readonly project: string | null
  /** As it is: a signature can't be made from a hash. */
  readonly secret: string
  readonly createdAt: number
  readonly createdBy: string | null
}

export interface Webhook extends Omit<NewWebhook, 'secret'> {
  readonly userId: string
  /** Of the event that it is at. */
  readonly attempts: number
  readonly nextAttemptAt: number
  /** The event before was given up. */
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
}

export interface ClaimedWebhook extends Webhook {
  readonly secret: string
  /** Delivered or passed over up to here. */
  readonly mark: EventMark
}

interface Attempted {
  readonly at: number
  /** Null: no answer. */
  readonly status: number | null
  /** Null: it succeeded. A word or two of our own, never what the receiver said. */
  readonly error: string | null
}

export interface WebhookProgress {
  readonly mark: EventMark
  readonly attempts: number
  readonly nextAttemptAt: number
  readonly isFailing: boolean
  /** 0: given back. */
  readonly claimedUntil: number
  readonly attempted?: Attempted
  /** Becomes a dead letter, or is one still. */
  readonly dead?: { readonly mark: EventMark; readonly attempts: number }
  /** Was delivered: is a dead letter no more. */
  readonly revived?: EventMark
}

export interface DeadLetter {
  readonly event: MemoryEvent
  readonly attempts: number
  readonly status: number | null
  readonly error: string | null
  readonly at: number
  /** Waits to be delivered once more. */
  readonly isDue: boolean
}
