/** The TypeScript client as a door: each operation calls the matching method. */

import { Keepsake, KeepsakeError, NotFoundError } from '../../client/src/index.js'
import { toWire } from '../../client/src/wire.js'
import { camelCase } from '../../client/src/wire-names.js'
import type { Attempt, Door, Outcome } from '../../server/test/attack/door.js'
import { type Address, type Fields, fieldsOf, placeIn } from './doors.js'

interface Given {
  readonly id: string
  /** With the client's field names. Attack values can have any type, so the types are left out. */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly fields: any
}

type Perform = (client: Keepsake, given: Given) => Promise<object>

const methods: Readonly<Record<string, Perform>> = {
  storeMemories: (client, { fields: { content, messages, ...rest } }) => client.store(content ?? messages, rest),
  recallMemories: (client, { fields: { query, ...rest } }) => client.recall(query, rest),
  getProfile: (client, { id, fields: { topics, ...rest } }) =>
    client.profile({ ...rest, userId: id, ...(topics === undefined ? {} : { topics: listOf(topics) }) }),
  listMemories: (client, { fields }) => client.listPage(fields),
  getMemory: async (client, { id, fields }) => ({ memory: await client.get(id, fields) }),
  getMemoryHistory: (client, { id, fields }) => client.history(id, fields),
  updateMemory: (client, { id, fields: { userId, space, ...changes } }) =>
    client.update(id, changes, { userId, space }),
  releaseMemory: async (client, { id, fields }) => ({ memory: await client.release(id, fields) }),
  deleteMemories: (client, { fields: { memoryIds, all, filter, ...rest } }) => {
    // In a URL, a filter is JSON.
    if (filter !== undefined)
      return client.forget({ filter: typeof filter === 'string' ? JSON.parse(filter) : filter }, rest)
    return client.forget(all === undefined ? listOf(memoryIds) : { all: true }, rest)
  },
  deleteMemory: (client, { id, fields }) => client.forget(id, fields),
  listEntities: (client, { fields }) => client.entities.listPage(fields),
  getEntity: async (client, { id, fields }) => ({ entity: await client.entities.get(id, fields) }),
  getEntityRelationships: (client, { id, fields }) => client.entities.relationships(id, fields),
  getEntityMemories: (client, { id, fields }) => client.entities.memoriesPage(id, fields),
  getGraph: (client, { fields }) => client.entities.graph(fields),
  listEntityMerges: (client, { id, fields }) => client.entities.merges(id, fields),
  mergeEntity: (client, { id, fields: { into, ...rest } }) => client.entities.merge(id, into, rest),
  revertMerge: (client, { id, fields }) => client.entities.revertMerge(id, fields),
  listContradictions: (client, { fields }) => client.contradictions.listPage(fields),
  getContradiction: async (client, { id, fields }) => ({ contradiction: await client.contradictions.get(id, fields) }),
  acceptContradiction: async (client, { id, fields }) => ({
    contradiction: await client.contradictions.accept(id, fields),
  }),
  revertContradiction: async (client, { id, fields }) => ({
    contradiction: await client.contradictions.revert(id, fields),
  }),
  getDecayReport: (client, { fields }) => client.decay.report(fields),
  getMemoryDecay: (client, { id, fields: { forecastDays: days, ...rest } }) =>
    client.decay.get(id, days === undefined ? rest : { ...rest, forecastDays: listOf(days).map(Number) }),
  runCleanup: (client, { fields }) => client.cleanup(fields),
  putItem: (client, { id, fields: { value, ...rest } }) =>
    client.items.put(placeIn(id).namespace, placeIn(id).key, value, rest),
  async getItem(client, { id, fields }) {
    const item = await client.items.get(placeIn(id).namespace, placeIn(id).key, fields)
    // The client returns null, which counts as what the service said.
    if (item === null) throw new NotFoundError('Item not found', { status: 404 })
    return { item }
  },
  listItemVersions: async (client, { id, fields }) => ({
    versions: await client.items.versions(placeIn(id).namespace, placeIn(id).key, fields),
  }),
  deleteItem: async (client, { id, fields }) => ({
    deleted: Number(await client.items.delete(placeIn(id).namespace, placeIn(id).key, fields)),
  }),
  async deleteItems(client, { fields: { namespace, prefix, ...rest } }) {
    return { deleted: await client.items.deleteAll({ namespace, prefix }, rest) }
  },
  listItems: async (client, { fields: { cursor: _, ...rest } }) => ({ items: await client.items.list(rest).toArray() }),
  listNamespaces: async (client, { fields: { cursor: _, ...rest } }) => ({
    namespaces: await client.items.namespaces(rest).toArray(),
  }),
  searchItems: (client, { fields }) => client.items.search(fields),
  createSpace: (client, { fields: { name, ...rest } }) => client.spaces.create(name, rest),
  listSpaces: async (client, { fields: { userId } }) => ({ spaces: await client.spaces.list({ userId }).toArray() }),
  getSpace: (client, { id, fields }) => client.spaces.get(id, fields),
  renameSpace: (client, { id, fields: { name, ...rest } }) => client.spaces.rename(id, name, rest),
  deleteSpace: (client, { id, fields }) => client.spaces.delete(id, fields),
  listMembers: async (client, { id, fields: { userId } }) => ({
    members: await client.spaces.members(id, { userId }).toArray(),
  }),
  setMember: (client, { id, fields: { member, role, ...rest } }) => client.spaces.setMember(id, member, role, rest),
  removeMember: (client, { id, fields: { member, ...rest } }) => client.spaces.removeMember(id, member, rest),
  leaveSpaces: (client, { id, fields }) => client.spaces.leaveAll(id, fields),
  listGrants: async (client, { fields }) => ({ grants: await client.grants.list(fields) }),
  revokeGrant: (client, { id }) => client.grants.revoke(id),
  createKey: (client, { fields }) => client.keys.create(fields),
  listKeys: async (client, { fields }) => ({ keys: await client.keys.list(fields) }),
  revokeKey: (client, { id }) => client.keys.revoke(id),
}

/** In a query string, lists are separated by commas. */
function listOf(ids: string | readonly string[]): readonly string[] {
  return typeof ids === 'string' ? ids.split(',') : ids
}

export function clientDoor(url: Address): Door {
  const methodFor = ({ operation }: Pick<Attempt, 'operation'>) => methods[String(operation.description.operationId)]
  return {
    name: 'client',
    offers: (operation) => methodFor({ operation }) !== undefined,
    async perform(attempt) {
      const method = methodFor(attempt)
      if (method === undefined) throw new Error('the client has no such method')
      const client = new Keepsake({ url: await url(), apiKey: attempt.key ?? undefined, maxRetries: 0 })
      return outcomeOf(() => method(client, { id: attempt.id ?? '', fields: clientNames(fieldsOf(attempt)) }))
    },
  }
}

/** A query string has only text, whereas a program passes booleans. */
function clientNames(fields: Fields): Fields {
  const meant = (value: unknown) => (value === 'true' || value === 'false' ? value === 'true' : value)
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [camelCase(name), meant(value)]))
}

async function outcomeOf(call: () => Promise<object>): Promise<Outcome> {
  try {
    const body = toWire(await call())
    return { status: 200, answer: JSON.stringify(body), body, aside: '' }
  } catch (error) {
    if (!(error instanceof KeepsakeError)) throw error
    const { code, message, details, requestId } = error
    const body = { error: { code, message, details, request_id: requestId } }
    // A request that the client refuses to send has no status and counts as a bad request.
    return { status: error.status ?? 400, answer: JSON.stringify(body), body, aside: String(error.stack) }
  }
}
