import { invalid, notFound } from '../../core/errors.js'
import { forget } from '../../service/forget.js'
import { findMemory, listMemories, memoryHistory } from '../../service/list.js'
import { release } from '../../service/release.js'
import { update } from '../../service/update.js'
import { projectForStoring, scopeForIds, scopeForOneUser, scopeForReading, scopeIn } from '../access/caller-scope.js'
import { cursorFor, writeCursor } from '../body/cursor.js'
import { readFilter, readFilterText } from '../body/read-filter.js'
import { readAsOf, readMetadata, readOwner, readTtl } from '../body/request-values.js'
import { endpoint } from '../endpoint.js'
import { memoryExample } from '../openapi/examples.js'
import { idParams, ownerBody, ownerQuery } from '../schemas/common.js'
import {
  forgetAnswer,
  forgetQuery,
  forgetRequest,
  historyAnswer,
  historyQuery,
  listAnswer,
  listQuery,
  maxForgottenIds,
  memoryAnswer,
  releaseAnswer,
  updateAnswer,
  updateRequest,
} from '../schemas/memory.js'
import { memoryView, provenanceView, versionView } from '../views.js'

export const listMemoriesEndpoint = endpoint({
  method: 'GET',
  path: '/memories',
  operationId: 'listMemories',
  summary: 'List memories, newest first',
  description:
    'Paginate with page, or with cursor, which stays correct while memories are added. A page with more than 4 MB of text ends early: continue with next_cursor. With as_of: the list at that moment; accesses are not known for it.',
  tag: 'Memories',
  access: 'user',
  needs: 'read',
  forApplications: 'all',
  limit: 'default',
  query: listQuery,
  answer: listAnswer,
  example: { answer: { memories: [memoryExample], total: 1, page: 1, limit: 50, next_cursor: null } },
  async handle({ deps, caller, query }) {
    const { limit, page, include_expired: includeExpired } = query
    const kind = query.sort === 'expires_at' ? 'expiring' : 'created'
    const cursor = cursorFor(query, kind)
    const scope = await scopeIn({ deps, caller }, query, 'reader', scopeForReading)
    const moment = readAsOf(query.as_of)
    const at = moment.asOf ?? deps.clock.now()
    const found = await listMemories(deps, scope, {
      limit,
      includeExpired,
      order: query.sort === 'expires_at' ? 'expiry' : 'age',
      ...moment,
      ...(cursor === undefined ? { offset: ((page ?? 1) - 1) * limit } : { cursor }),
      ...(query.q === undefined ? {} : { q: query.q }),
      ...(query.flagged === undefined ? {} : { flagged: query.flagged }),
      ...(query.filter === undefined ? {} : { filter: readFilterText(query.filter) }),
    })
    return {
      memories: found.items.map((item) => ({
        ...memoryView(item, deps.settings.decay, at),
        ...(includeExpired ? { expired: item.expiresAt !== null && item.expiresAt <= at } : {}),
      })),
      total: found.total,
      page: cursor === undefined ? (page ?? 1) : null,
      limit,
      next_cursor: found.next === null ? null : writeCursor({ kind, ...found.next }),
    }
  },
})

export const getMemoryEndpoint = endpoint({
  method: 'GET',
  path: '/memories/{id}',
  operationId: 'getMemory',
  summary: 'Get one memory',
  description: 'A superseded memory can still be read; an expired one cannot.',
  tag: 'Memories',
  access: 'user',
  needs: 'read',
  forApplications: 'all',
  limit: 'default',
  notFound: true,
  params: idParams,
  query: ownerQuery,
  answer: memoryAnswer,
  example: { answer: { memory: memoryExample } },
  async handle({ deps, caller, params, query }) {
    const found = await findMemory(deps, await scopeIn({ deps, caller }, query, 'reader', scopeForIds), params.id)
    return { memory: memoryView(found, deps.settings.decay, deps.clock.now()) }
  },
})

export const historyEndpoint = endpoint({
  method: 'GET',
  path: '/memories/{id}/history',
  operationId: 'getMemoryHistory',
  summary: 'Get the versions of a memory and the texts it was extracted from',
  description:
    'Versions first, then texts, each oldest first. A page with more than 4 MB of text ends early: continue with next_cursor.',
  tag: 'Memories',
  access: 'user',
  needs: 'read',
  forApplications: 'all',
  limit: 'default',
  notFound: true,
  params: idParams,
  query: historyQuery,
  answer: historyAnswer,
  async handle({ deps, caller, params, query }) {
    const scope = await scopeIn({ deps, caller }, query, 'reader', scopeForIds)
    const found = await memoryHistory(deps, scope, params.id, {
      limit: query.limit,
      after: cursorFor(query, 'version', 'source'),
    })
    return {
      memory_id: found.memory.id,
      versions: found.versions.map(versionView),
      provenance: found.provenance.map(provenanceView),
      next_cursor: found.next && writeCursor(found.next),
    }
  },
})

export const updateMemoryEndpoint = endpoint({
  method: 'PUT',
  path: '/memories/{id}',
  operationId: 'updateMemory',
  summary: 'Update a memory',
  description:
    'Send at least one of content, metadata, ttl and project. New metadata replaces all existing metadata. New content is sanitized, embedded and extracted again. The previous version is kept as history.',
  tag: 'Memories',
  access: 'user',
  needs: 'change',
  forApplications: 'all',
  limit: 'default',
  notFound: true,
  params: idParams,
  query: ownerQuery,
  body: updateRequest,
  answer: updateAnswer,
  example: {
    request: { content: 'John works at Initech', ttl: '30d' },
    answer: { status: 'success', memory: memoryExample },
  },
  async handle({ deps, actor, caller, params, query, body }) {
    const owner = readOwner(body, query)
    const { content, metadata, project } = body
    const ttl = readTtl(body.ttl)
    if (content === undefined && metadata === undefined && ttl === undefined && project === undefined) {
      throw invalid('', 'at least one of content, metadata, ttl and project is required')
    }
    const scope = await scopeIn({ deps, caller }, owner, 'writer', scopeForIds)
    const { memory, degraded, redacted } = await update(deps, actor, scope, params.id, {
      ...(content === undefined ? {} : { content: content.trim() }),
      ...(metadata === undefined ? {} : { metadata: readMetadata(metadata) }),
      ...(ttl === undefined ? {} : { ttl }),
      ...(project === undefined ? {} : { project: projectForStoring(caller, project) }),
    })
    return {
      status: 'success' as const,
      memory: memoryView(memory, deps.settings.decay, deps.clock.now()),
      ...(degraded.length === 0 ? {} : { degraded: [...degraded] }),
      ...(redacted.length === 0 ? {} : { redacted: [...redacted] }),
    }
  },
})

const releaseMemoryEndpoint = endpoint({
  method: 'POST',
  path: '/memories/{id}/release',
  operationId: 'releaseMemory',
  summary: 'Release a flagged memory: it becomes an ordinary one',
  description:
    'For a memory that content protection flagged and a person has reviewed. Its trust score becomes 1, in a new version with the same content. A repeated request returns the same response. To discard the memory instead, delete it.',
  tag: 'Memories',
  access: 'user',
  needs: 'change',
  forApplications: 'all',
  limit: 'default',
  notFound: true,
  params: idParams,
  query: ownerQuery,
  body: ownerBody,
  bodyOptional: true,
  answer: releaseAnswer,
  example: { answer: { status: 'success', memory: memoryExample } },
  async handle({ deps, actor, caller, params, query, body }) {
    const scope = await scopeIn({ deps, caller }, readOwner(body, query), 'owner', scopeForIds)
    const memory = await release(deps, actor, scope, params.id)
    return { status: 'success' as const, memory: memoryView(memory, deps.settings.decay, deps.clock.now()) }
  },
})

export const deleteMemoriesEndpoint = endpoint({
  method: 'DELETE',
  path: '/memories',
  operationId: 'deleteMemories',
  summary: 'Delete memories permanently',
  description:
    'Send memory_ids, a filter, or all: true to delete everything of a user (or of one project). Use the body, or query parameters for clients that cannot send a body with DELETE. Ids that are unknown or belong to another user delete nothing.',
  tag: 'Memories',
  access: 'user',
  needs: 'change',
  forApplications: 'all',
  limit: 'forget',
  query: forgetQuery,
  body: forgetRequest,
  bodyOptional: true,
  answer: forgetAnswer,
  example: {
    request: { memory_ids: [memoryExample.id] },
    answer: { status: 'success', deleted: 1, memory_ids: [memoryExample.id] },
  },
  async handle({ deps, actor, caller, query, body }) {
    const inBody = Object.keys(body).length > 0
    if (inBody && Object.keys(query).length > 0) throw invalid('', 'send a body or query parameters, not both')
    const named = inBody ? body : query
    const { all } = named
    const memoryIds = inBody ? body.memory_ids : splitIds(query.memory_ids)
    const filter = inBody ? body.filter && readFilter(body.filter) : query.filter && readFilterText(query.filter)
    if (memoryIds !== undefined && all !== undefined) throw invalid('all', 'cannot be combined with memory_ids')
    if (filter && (memoryIds ?? all) !== undefined) {
      throw invalid('filter', 'cannot be combined with memory_ids or all')
    }
    if (memoryIds === undefined && !filter && all === undefined) {
      throw invalid('', 'one of memory_ids, filter and all: true is required; nothing was deleted')
    }
    const erased =
      memoryIds === undefined
        ? await forget(
            deps,
            actor,
            await scopeIn({ deps, caller }, named, 'owner', scopeForOneUser),
            filter ? { filter } : { all: true },
          )
        : await forget(deps, actor, await scopeIn({ deps, caller }, named, 'writer', scopeForIds), { memoryIds })
    return { status: 'success' as const, deleted: erased.length, memory_ids: erased }
  },
})

const deleteMemoryEndpoint = endpoint({
  method: 'DELETE',
  path: '/memories/{id}',
  operationId: 'deleteMemory',
  summary: 'Delete one memory permanently',
  description:
    'Erases the same as deleteMemories with one id, but returns 404 if there is no such memory, or if it belongs to another user.',
  tag: 'Memories',
  access: 'user',
  needs: 'change',
  forApplications: 'all',
  limit: 'forget',
  notFound: true,
  params: idParams,
  query: ownerQuery,
  body: ownerBody,
  bodyOptional: true,
  answer: forgetAnswer,
  example: { answer: { status: 'success', deleted: 1, memory_ids: [memoryExample.id] } },
  async handle({ deps, actor, caller, params, query, body }) {
    const scope = await scopeIn({ deps, caller }, readOwner(body, query), 'writer', scopeForIds)
    const erased = await forget(deps, actor, scope, { memoryIds: [params.id] })
    if (erased.length === 0) throw notFound('Memory')
    return { status: 'success' as const, deleted: erased.length, memory_ids: erased }
  },
})

function splitIds(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined
  const ids = text.split(',').map((id) => id.trim())
  if (ids.includes('')) throw invalid('memory_ids', 'must be ids separated by commas')
  if (ids.length > maxForgottenIds) throw invalid('memory_ids', `must be at most ${maxForgottenIds} ids`)
  return ids
}

export const memoryEndpoints = [
  listMemoriesEndpoint,
  getMemoryEndpoint,
  historyEndpoint,
  updateMemoryEndpoint,
  releaseMemoryEndpoint,
  deleteMemoriesEndpoint,
  deleteMemoryEndpoint,
]
