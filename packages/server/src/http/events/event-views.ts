import type { z } from 'zod'
import { isoTimestamp } from '../../core/clock.js'
import { eventIdOf, type MemoryEvent } from '../../core/memory-event.js'
import type { DeadLetter, Webhook } from '../../storage/ports/webhook-store.js'
import type { memoryEvent } from '../schemas/event.js'
import type { deadLetter, webhook } from '../schemas/webhook.js'
import { isoOrNull } from '../views.js'

export function eventView(event: MemoryEvent): z.input<typeof memoryEvent> {
  return {
    id: eventIdOf(event.mark),
    type: event.type,
    action: event.action,
    user_id: event.userId,
    memory_id: event.memoryId,
    item: event.item,
    project: event.project,
    checksum: event.checksum,
    related_memory_ids: [...event.relatedIds],
    time: isoTimestamp(event.at),
  }
}

export function webhookView(hook: Webhook): z.input<typeof webhook> {
  const status = hook.isFailing ? 'failing' : hook.attempts > 0 ? 'retrying' : 'active'
  return {
    id: hook.id,
    user_id: hook.userId,
    url: hook.url,
    events: [...hook.types],
    project: hook.project,
    status,
    attempts: hook.attempts,
    next_attempt_at: isoOrNull(hook.nextAttemptAt === 0 ? null : hook.nextAttemptAt),
    last_attempt_at: isoOrNull(hook.lastAttemptAt),
    last_success_at: isoOrNull(hook.lastSuccessAt),
    last_status: hook.lastStatus,
    last_error: hook.lastError,
    dead_letters: hook.deadLetters,
    created_at: isoTimestamp(hook.createdAt),
    created_by: hook.createdBy,
  }
}

export function deadLetterView(dead: DeadLetter): z.input<typeof deadLetter> {
  return {
    event: eventView(dead.event),
    attempts: dead.attempts,
    last_status: dead.status,
    last_error: dead.error,
    failed_at: isoTimestamp(dead.at),
    redelivering: dead.isDue,
  }
}
