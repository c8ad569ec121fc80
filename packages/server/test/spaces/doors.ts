import type { TestService } from '../support/harness.js'

export type Door = readonly [least: string, method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, fields: object]

const memoryId = 'mem_01h455vb4pex5vsknk084sn02q'
/** Every way to name a space, and the least role that it needs. */
export const doors: readonly Door[] = [
  ['reader', 'GET', '/memories', {}],
  ['reader', 'GET', `/memories/${memoryId}`, {}],
  ['reader', 'GET', `/memories/${memoryId}/history`, {}],
  ['reader', 'GET', '/users/me/profile', {}],
  ['reader', 'GET', '/contradictions', {}],
  ['reader', 'GET', '/contradictions/con_01h455vb4pex5vsknk084sn02q', {}],
  ['reader', 'GET', '/entities', {}],
  ['reader', 'GET', '/entities/ent_01h455vb4pex5vsknk084sn02q', {}],
  ['reader', 'GET', '/entities/ent_01h455vb4pex5vsknk084sn02q/relationships', {}],
  ['reader', 'GET', '/entities/ent_01h455vb4pex5vsknk084sn02q/memories', {}],
  ['reader', 'GET', '/entities/ent_01h455vb4pex5vsknk084sn02q/merges', {}],
  ['reader', 'GET', '/graph', {}],
  ['reader', 'GET', '/temporal/decay/report', {}],
  ['reader', 'GET', '/temporal/activity', {}],
  ['reader', 'GET', '/projects', {}],
  ['reader', 'GET', `/temporal/memory/${memoryId}/decay`, {}],
  ['reader', 'POST', '/recall', { query: 'anything' }],
  ['writer', 'POST', '/store', { content: 'Maria lives in Rome' }],
  ['writer', 'PUT', `/memories/${memoryId}`, { content: 'changed' }],
  ['writer', 'DELETE', '/memories', { memory_ids: [memoryId] }],
  ['writer', 'DELETE', `/memories/${memoryId}`, {}],
  ['writer', 'POST', '/contradictions/con_01h455vb4pex5vsknk084sn02q/accept', {}],
  ['writer', 'POST', '/contradictions/con_01h455vb4pex5vsknk084sn02q/revert', {}],
  ['writer', 'POST', '/entities/ent_01h455vb4pex5vsknk084sn02q/merge', { into: 'ent_01h455vb4pex5vsknk084sn02r' }],
  ['writer', 'POST', '/merges/mrg_01h455vb4pex5vsknk084sn02q/revert', {}],
  ['writer', 'POST', '/consolidate', {}],
  ['writer', 'POST', '/cleanup-expired', {}],
  ['writer', 'POST', '/temporal/cleanup', {}],
  ['owner', 'DELETE', '/memories', { all: true }],
  ['owner', 'DELETE', '/memories', { filter: { source: 'api' } }],
  ['owner', 'POST', `/memories/${memoryId}/release`, {}],
  ['reader', 'GET', '/items', {}],
  ['reader', 'GET', '/items/notes/today', {}],
  ['reader', 'GET', '/items/notes/today/versions', {}],
  ['reader', 'GET', '/namespaces', {}],
  ['reader', 'POST', '/items/search', { query: 'anything' }],
  ['writer', 'PUT', '/items/notes/today', { value: 'Maria lives in Rome' }],
  ['writer', 'DELETE', '/items/notes/today', {}],
  ['owner', 'DELETE', '/items', { namespace: 'notes' }],
  ['reader', 'GET', '/spaces/{space}', {}],
  ['reader', 'GET', '/spaces/{space}/members', {}],
  ['owner', 'PUT', '/spaces/{space}', { name: 'Other' }],
  ['owner', 'POST', '/spaces/{space}/members', { member: 'zoe', role: 'reader' }],
  ['owner', 'DELETE', '/spaces/{space}/members', { member: 'ana' }],
  ['owner', 'DELETE', '/spaces/{space}', {}],
]

/** Tries a door with a key, and returns what the key's holder can see of the response. */
export async function knockAt(
  service: TestService,
  key: string | null,
  space: string,
  [, method, path, fields]: Door,
): Promise<{ readonly status: number; readonly text: string; readonly headers: string }> {
  const inPath = path.includes('{space}')
  const named = inPath ? fields : path === '/recall' ? { ...fields, spaces: [space] } : { ...fields, space }
  const inQuery = method === 'GET' || (method === 'DELETE' && (inPath || path.startsWith('/items')))
  // A value is the whole body of its request.
  const isValue = method === 'PUT' && path.startsWith('/items')
  const sent = isValue
    ? { query: { space }, body: fields }
    : inQuery
      ? { query: named as Record<string, string> }
      : { body: named }
  const { status, text, headers } = await service.call(method, path.replace('{space}', space), {
    key,
    ...sent,
  })
  const { date: _, 'x-request-id': __, 'server-timing': ___, ...shown } = headers
  return {
    status,
    text: text.replace(/"request_id":"[^"]*"/, ''),
    // The rest of the limit counts requests.
    headers: JSON.stringify({ ...shown, 'x-ratelimit-remaining': '' }),
  }
}
