import { randomBytes } from 'node:crypto'
import type { Actor } from '../../core/actor.js'
import { invalid, notFound } from '../../core/errors.js'
import { isId } from '../../core/ids.js'
import type { EventMark, EventType } from '../../core/memory-event.js'
import type { Scope, UserScope } from '../../core/scope.js'
import type { DeadLetter, Webhook } from '../../storage/ports/webhook-store.js'
import type { Deps } from '../deps.js'
import { hostOf, isPublicAddress, type Resolve, systemResolve } from './public-address.js'
import { notPublic, urlProblem } from './webhook-call.js'

const mostWebhooks = 10

export interface WebhookRequest {
  readonly url: string
  readonly types: readonly EventType[]
  readonly project: string | null
  readonly secret: string | undefined
}

export interface WebhookRules {
  readonly allowPrivate: boolean
  readonly resolve?: Resolve
}

export interface CreatedWebhook {
  readonly webhook: Webhook
  /** Shown only once, if the service generated it. */
  readonly secret: string | undefined
}

export async function createWebhook(
  deps: Deps,
  actor: Actor,
  scope: UserScope,
  request: WebhookRequest,
  rules: WebhookRules,
): Promise<CreatedWebhook> {
  const problem = urlProblem(request.url, rules.allowPrivate) ?? (await nameProblem(request.url, rules))
  if (problem) throw invalid('url', problem)
  const id = deps.ids.next('whk')
  const { userId } = scope
  const secret = request.secret ?? `whsec_${randomBytes(32).toString('base64url')}`
  // As the URL standard writes it: what is shown and stored is exactly what is called.
  const url = new URL(request.url).href
  const fields = { id, ...request, url, secret, createdAt: deps.clock.now(), createdBy: actor.keyId }
  const isMade = await deps.storage.createWebhook({ kind: 'user', userId }, fields, mostWebhooks)
  if (!isMade) throw invalid('', `a user can have at most ${mostWebhooks} webhooks`)
  audit(deps, actor, 'webhook.created', userId, id, 'success')
  return { webhook: await findWebhook(deps, scope, id), secret: request.secret === undefined ? secret : undefined }
}

/** An early check for mistakes. The check that protects is made for each connection. */
async function nameProblem(url: string, { allowPrivate, resolve = systemResolve }: WebhookRules) {
  if (allowPrivate) return undefined
  return new Promise<string | undefined>((tell) => {
    resolve(hostOf(new URL(url)), (error, addresses) => {
      const isPublic = !error && addresses.length > 0 && addresses.every(({ address }) => isPublicAddress(address))
      // One message, so that nobody learns which names exist in the network of the service.
      tell(isPublic ? undefined : notPublic)
    })
  })
}

export async function listWebhooks(deps: Deps, scope: Scope): Promise<Webhook[]> {
  return deps.storage.listWebhooks(scope)
}

export async function findWebhook(deps: Deps, scope: Scope, webhookId: string): Promise<Webhook> {
  const found = isId('whk', webhookId) ? await deps.storage.findWebhook(scope, webhookId) : null
  if (!found) throw notFound('Webhook')
  return found
}

export async function deleteWebhook(deps: Deps, actor: Actor, scope: Scope, webhookId: string): Promise<void> {
  const { userId } = await findWebhook(deps, scope, webhookId)
  const isDeleted = await deps.storage.deleteWebhook(scope, webhookId)
  audit(deps, actor, 'webhook.deleted', userId, webhookId, isDeleted ? 'success' : 'not_found')
  if (!isDeleted) throw notFound('Webhook')
}

export async function deadLetters(
  deps: Deps,
  scope: Scope,
  webhookId: string,
  limit: number,
): Promise<{ total: number; items: DeadLetter[] }> {
  await findWebhook(deps, scope, webhookId)
  return deps.storage.deadLetters(scope, webhookId, limit)
}

export async function redeliver(
  deps: Deps,
  actor: Actor,
  scope: Scope,
  webhookId: string,
  marks: readonly EventMark[] | null,
): Promise<number> {
  const { userId } = await findWebhook(deps, scope, webhookId)
  const count = await deps.storage.redeliver(scope, webhookId, marks)
  audit(deps, actor, 'webhook.redelivered', userId, webhookId, 'success')
  return count
}

function audit(
  deps: Deps,
  actor: Actor,
  event: 'webhook.created' | 'webhook.deleted' | 'webhook.redelivered',
  userId: string,
  webhookId: string,
  outcome: 'success' | 'not_found',
): void {
  deps.audit.record(actor, { event, user_id: userId, key_id: actor.keyId, webhook_id: webhookId }, outcome)
}
