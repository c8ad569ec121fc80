import type { Actor } from '../core/actor.js'

/** The events of the specification with their details. The types leave no room for content, full keys or query texts. */
export type AuditEvent =
  | {
      readonly event: 'memory.store'
      readonly user_id: string
      readonly key_id: string | null
      readonly memory_id: string | null
    }
  | {
      readonly event: 'memory.recall'
      readonly user_id: string | null
      readonly key_id: string | null
      readonly query_hash: string
    }
  | {
      readonly event: 'memory.update' | 'memory.release'
      readonly user_id: string | null
      readonly key_id: string | null
      readonly memory_id: string
    }
  | {
      readonly event: 'memory.forget'
      readonly user_id: string | null
      readonly key_id: string | null
      readonly memory_ids: readonly string[]
    }
  | {
      readonly event: 'memory.purge' | 'memory.retire'
      readonly user_id: string | null
      readonly key_id: string | null
      readonly memory_ids: readonly string[]
    }
  /** Neither a namespace nor a key: people write into them. */
  | {
      readonly event: 'item.put' | 'item.deleted'
      readonly user_id: string | null
      readonly key_id: string | null
    }
  | {
      readonly event: 'item.search'
      readonly user_id: string | null
      readonly key_id: string | null
      /** Null: the search had no query. */
      readonly query_hash: string | null
    }
  | {
      readonly event: 'contradiction.accepted' | 'contradiction.reverted'
      readonly user_id: string | null
      readonly key_id: string | null
      readonly contradiction_id: string
    }
  | {
      readonly event: 'entity.merged' | 'entity.split'
      readonly user_id: string | null
      readonly key_id: string | null
      /** Of the merged entity, or of the reverted merge. */
      readonly id: string
    }
  | { readonly event: 'events.opened'; readonly user_id: string | null; readonly key_id: string | null }
  | {
      readonly event: 'webhook.created' | 'webhook.deleted' | 'webhook.redelivered'
      readonly user_id: string
      readonly key_id: string | null
      readonly webhook_id: string
    }
  | {
      readonly event:
        | 'space.created'
        | 'space.renamed'
        | 'space.deleted'
        | 'space.ownerless'
        | 'space.member_set'
        | 'space.member_removed'
      /** Who acted; null: the operator. */
      readonly user_id: string | null
      readonly key_id: string | null
      readonly space_id: string
      readonly member_id?: string
      readonly role?: string
    }
  | {
      readonly event: 'key.created'
      readonly key_id: string
      /** Null: an application key. */
      readonly user_id: string | null
      readonly access: string
      readonly one_project: boolean
      readonly expires_at: string | null
      /** Only of an application key. */
      readonly user_prefix?: string
    }
  | { readonly event: 'key.revoked'; readonly key_id: string }
  | {
      readonly event: 'grant.approved' | 'grant.redeemed' | 'grant.replayed' | 'grant.revoked'
      readonly user_id: string | null
      /** The API key that approved or revoked it. */
      readonly key_id: string | null
      readonly grant_id: string
    }
  | { readonly event: 'auth.failed'; readonly key_id: string | null }
  /** A valid key whose limits do not allow the operation. */
  | {
      readonly event: 'auth.denied'
      /** Null: an application key, before it acts for a user. */
      readonly user_id: string | null
      readonly key_id: string
      readonly operation: string
    }

type AuditOutcome = 'success' | 'rejected' | 'failed' | 'not_found' | 'replayed'

export interface AuditLog {
  /** Never throws and never waits. Lines reach the log in the order of the calls. */
  record(actor: Pick<Actor, 'ip' | 'requestId'>, event: AuditEvent, outcome: AuditOutcome): void
  close(): Promise<void>
}
