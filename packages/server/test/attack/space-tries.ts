/** Each way to reach what a space holds, with the least role that it needs. */
import { operations } from '../support/openapi-check.js'
import { fieldsOf } from './operation-fields.js'
import type { Random } from './random.js'

export type Role = 'none' | 'reader' | 'writer' | 'owner'
const ranks: readonly Role[] = ['none', 'reader', 'writer', 'owner']
export const includes = (role: Role, least: Role) => ranks.indexOf(role) >= ranks.indexOf(least)

export interface Shared {
  readonly id: string
  readonly word: string
  readonly roles: Map<string, Role>
  readonly memories: string[]
}

export interface Try {
  readonly operationId: string
  readonly least: Role
  readonly id?: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>>
  /** A second space that the request names. */
  readonly also?: Shared
  /** Doors that lack a field of this request. */
  readonly notBy?: readonly string[]
  /** The request names the space in place of a user. */
  readonly isAsUser?: boolean
}

/** What a request can name: a space, a second one, and the id of a memory that may be of another space. */
export interface Target {
  readonly space: Shared
  readonly second: Shared
  readonly memoryId: string
}

const entity = 'ent_01h455vb4pex5vsknk084sn02q'
const otherEntity = 'ent_01h455vb4pex5vsknk084sn02r'
const contradiction = 'con_01h455vb4pex5vsknk084sn02q'
const merge = 'mrg_01h455vb4pex5vsknk084sn02q'

export function triesOf(random: Random, target: Target): readonly Try[] {
  return [...readsOf(target), ...itemsOf(random, target), ...writesOf(random, target), ...ofOwners(target)]
}

function readsOf({ space: { id: space, word }, second, memoryId }: Target): readonly Try[] {
  const read = (operationId: string, id?: string): Try => ({
    operationId,
    least: 'reader',
    query: { space },
    ...(id === undefined ? {} : { id }),
  })
  const recall = (body: object): Try => ({ operationId: 'recallMemories', least: 'reader', body: { ...body } })
  return [
    recall({ query: `${word} number`, spaces: [space], limit: 50 }),
    recall({ query: 'number room', spaces: ['own', space] }),
    { ...recall({ query: 'number room', spaces: [second.id, space, 'own'], limit: 50 }), also: second },
    { ...read('listMemories'), query: { space, limit: '100' } },
    read('getMemory', memoryId),
    read('getMemoryHistory', memoryId),
    read('getMemoryDecay', memoryId),
    read('getProfile', 'me'),
    read('listEntities'),
    read('getEntity', entity),
    read('getEntityRelationships', entity),
    read('getEntityMemories', entity),
    read('listEntityMerges', entity),
    read('getGraph'),
    read('listContradictions'),
    read('getContradiction', contradiction),
    read('getDecayReport'),
    read('listProjects'),
    read('getActivity'),
    { operationId: 'getSpace', least: 'reader', id: space },
    { operationId: 'listMembers', least: 'reader', id: space },
  ]
}

/** The same names in every space, so that a value of another one is within reach of a mistake. */
function itemsOf(random: Random, { space: { id: space, word } }: Target): readonly Try[] {
  const inQuery = { query: { space } }
  const id = random.pick(['notes/one', 'notes/two'])
  return [
    {
      operationId: 'putItem',
      least: 'writer',
      id,
      ...inQuery,
      body: { value: { tag: word, text: `${word} is here` } },
    },
    // These clients say that there is no such item, whatever the service does not find.
    { operationId: 'getItem', least: 'reader', id, ...inQuery, notBy: ['client', 'command line', 'Python client'] },
    { operationId: 'listItemVersions', least: 'reader', id, ...inQuery },
    { operationId: 'listItems', least: 'reader', ...inQuery },
    { operationId: 'listNamespaces', least: 'reader', ...inQuery },
    { operationId: 'searchItems', least: 'reader', body: { query: 'here', space } },
    { operationId: 'deleteItem', least: 'writer', id, ...inQuery },
    { operationId: 'deleteItems', least: 'owner', query: { space, namespace: 'notes' } },
  ]
}

function writesOf(random: Random, { space: { id: space, word }, memoryId }: Target): readonly Try[] {
  const content = `The ${word} number ${random.below(30)} stands in room ${random.below(9)}.`
  const write = (operationId: string, body: object, id?: string): Try => ({
    operationId,
    least: 'writer',
    body: { ...body, space },
    ...(id === undefined ? {} : { id }),
  })
  const store = write('storeMemories', { content })
  return [
    // More of them, because others delete.
    store,
    store,
    write('updateMemory', { metadata: { tag: word } }, memoryId),
    write('deleteMemories', { memory_ids: [memoryId] }),
    { operationId: 'deleteMemory', least: 'writer', id: memoryId, query: { space } },
    write('acceptContradiction', {}, contradiction),
    write('revertContradiction', {}, contradiction),
    write('mergeEntity', { into: otherEntity }, entity),
    write('revertMerge', {}, merge),
    write('consolidate', { dry_run: true }),
    write('cleanupExpired', { dry_run: false }),
    write('runCleanup', { dry_run: false }),
  ]
}

function ofOwners({ space: { id: space, word }, memoryId }: Target): readonly Try[] {
  const least = 'owner'
  const filter = { 'metadata.tag': word }
  return [
    { operationId: 'renameSpace', least, id: space, body: { name: word } },
    { operationId: 'releaseMemory', least, id: memoryId, body: { space } },
    { operationId: 'deleteMemories', least, body: { filter, space }, notBy: ['MCP', 'OAuth', 'command line'] },
    { operationId: 'deleteMemories', least, body: { all: true, space }, notBy: ['MCP', 'OAuth'] },
    { operationId: 'deleteSpace', least, id: space },
  ]
}

/** The id of a space in place of a user: it must never open anything, to anybody. */
export function triesAsUser({ id: user_id }: Shared): readonly Try[] {
  const tries: readonly Try[] = [
    { operationId: 'listMemories', least: 'none', query: { user_id } },
    { operationId: 'recallMemories', least: 'none', body: { query: 'number room', user_id } },
    { operationId: 'storeMemories', least: 'none', body: { content: 'The stranger stands in room 1.', user_id } },
    { operationId: 'getProfile', least: 'none', id: user_id },
    { operationId: 'listEntities', least: 'none', query: { user_id } },
    { operationId: 'deleteMemories', least: 'none', body: { all: true, user_id } },
    { operationId: 'listItems', least: 'none', query: { user_id } },
    { operationId: 'listEvents', least: 'none', query: { user_id } },
  ]
  return tries.map((each) => ({ ...each, isAsUser: true }))
}

/** A new operation that takes a space fails here until it is tried. */
export function requireAllTried(tries: readonly Try[]): void {
  const tried = new Set(tries.map(({ operationId }) => operationId))
  const missing = operations.filter((operation) => {
    const { query, body = [] } = fieldsOf(operation)
    const takesSpace = [...query, ...body].some(({ name }) => name === 'space' || name === 'spaces')
    return takesSpace && !tried.has(String(operation.description.operationId))
  })
  if (missing.length > 0) {
    throw new Error(`attack/space-tries.ts does not try ${missing.map(({ path }) => path).join()}`)
  }
}
