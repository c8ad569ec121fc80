/** Items (ADR 26): an application keeps them, so only the guard and the search for secrets look at them. */
import type { Actor } from '../../core/actor.js'
import { notFound, ServiceError } from '../../core/errors.js'
import { type IndexedFields, type Item, type ItemPlace, type ItemVersion, searchedText } from '../../core/item.js'
import type { Json } from '../../core/memory.js'
import { timed } from '../../core/meter.js'
import type { RedactedKind } from '../../core/redacted-kind.js'
import { auditedUser, type NobodyScope, type Scope, type UserScope } from '../../core/scope.js'
import { expiryOf, type Ttl } from '../../core/ttl.js'
import type { ItemBelow, ItemPage, NamespacePage } from '../../storage/ports/item-store.js'
import type { Deps } from '../deps.js'
import { hideSecretsInItem } from '../secrets/hide-secrets.js'
import { jsonTexts, screenTexts } from '../store/screen-texts.js'
import type { Turns } from '../texts/fair-lane.js'
import { inLane, turnTaker } from '../texts/text-lanes.js'
import { lengthOf } from '../texts/text-work.js'

type OneUser = UserScope | NobodyScope

export interface ItemInput extends ItemPlace {
  readonly value: Json
  readonly fields: IndexedFields
  readonly ttl?: Ttl | undefined
  readonly ifVersion?: number | undefined
}

export interface PutItem {
  readonly item: Item
  readonly isCreated: boolean
  /** Secrets that were replaced before anything was stored. */
  readonly redacted: readonly RedactedKind[]
}

export async function putItem(deps: Deps, actor: Actor, scope: UserScope, given: ItemInput): Promise<PutItem> {
  return audited(deps, actor, scope, 'item.put', async () => {
    const { value, redacted } = hideSecretsInItem(deps, scope, given)
    const texts = textsOf(scope, { ...given, value })
    const characters = lengthOf(texts, ({ text }) => text)
    return inLane(deps.textLanes.enter(turnTaker(actor, scope.userId), characters), async (place) => {
      const { trustScore, flagged } = await screenTexts(deps, place, texts)
      const embedding = await embed(deps, place, searchedText(value, given.fields))
      // In turn with the stores of the user, which would otherwise have to decide again.
      const put = await deps.userLocks.run(scope.userId, () => {
        const now = deps.clock.now()
        const { namespace, key, fields, ttl, ifVersion } = given
        // The default TTL of the service is for memories.
        const expiresAt = expiryOf(ttl, now, undefined)
        const item = { namespace, key, value, fields, ifVersion, trustScore, flagged, expiresAt, embedding, now }
        return timed(deps.meter, 'commit', () => deps.storage.items.put(scope, item))
      })
      if (put.outcome === 'conflict') throw conflict(put.version)
      return { item: put.item, isCreated: put.outcome === 'created', redacted }
    })
  })
}

function textsOf({ project }: UserScope, { namespace, key, value }: ItemInput) {
  const names = [
    { path: 'namespace', text: namespace },
    { path: 'key', text: key },
    ...(project === undefined ? [] : [{ path: 'project', text: project }]),
  ]
  return [...names, ...jsonTexts('value', value)]
}

async function embed(deps: Deps, place: Turns, text: string) {
  if (text.trim() === '') return null
  const { embedder, meter } = deps
  const [vector] = await place.turn(text.length, () => timed(meter, 'embed', () => embedder.embed([text])))
  return vector ? { modelId: embedder.modelId, vector } : null
}

export async function getItem(deps: Deps, scope: OneUser, place: ItemPlace, at: { asOf?: number }): Promise<Item> {
  const found = await deps.storage.items.find(scope, place, { now: deps.clock.now(), ...at })
  if (!found) throw notFound('Item')
  return found
}

export async function itemVersions(deps: Deps, scope: OneUser, place: ItemPlace): Promise<ItemVersion[]> {
  const versions = await deps.storage.items.versions(scope, place, deps.clock.now())
  if (versions.length === 0) throw notFound('Item')
  return versions
}

export function listItems(deps: Deps, scope: OneUser, page: Omit<ItemPage, 'now'>) {
  return deps.storage.items.list(scope, { ...page, now: deps.clock.now() })
}

export function listNamespaces(deps: Deps, scope: OneUser, page: Omit<NamespacePage, 'now'>) {
  return deps.storage.items.namespaces(scope, { ...page, now: deps.clock.now() })
}

/** Returns whether there was such an item. */
export async function deleteItem(
  deps: Deps,
  actor: Actor,
  scope: OneUser,
  place: ItemPlace,
  ifVersion: number | undefined,
): Promise<boolean> {
  return audited(deps, actor, scope, 'item.deleted', async () => {
    const removal = await deps.storage.items.remove(scope, place, { now: deps.clock.now(), ifVersion })
    if (removal.outcome === 'conflict') throw conflict(removal.version)
    return removal.outcome === 'removed'
  })
}

export async function deleteItems(deps: Deps, actor: Actor, scope: OneUser, below: ItemBelow): Promise<number> {
  const remove = () => deps.storage.items.removeAll(scope, below, deps.clock.now())
  return audited(deps, actor, scope, 'item.deleted', remove)
}

async function audited<Result>(
  deps: Deps,
  actor: Actor,
  scope: Scope,
  event: 'item.put' | 'item.deleted',
  work: () => Promise<Result>,
): Promise<Result> {
  const audit = (outcome: 'success' | 'rejected' | 'failed') =>
    deps.audit.record(actor, { event, user_id: auditedUser(scope), key_id: actor.keyId }, outcome)
  try {
    const result = await work()
    audit('success')
    return result
  } catch (error) {
    const isRefused = error instanceof ServiceError && ['validation_error', 'conflict'].includes(error.code)
    audit(isRefused ? 'rejected' : 'failed')
    throw error
  }
}

function conflict(version: number): ServiceError {
  const message =
    version === 0 ? 'there is no such item' : `the item has version ${version}: read it again, and repeat the change`
  return new ServiceError('conflict', `if_version: ${message}`, [{ path: 'if_version', message, version }])
}
