/** Spaces with keys that only read, only store, reach one project or have expired, and with OAuth tokens. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { quickKey } from '../attack/quick-key.js'
import { addressOf, call as callTool, connected } from '../mcp/mcp-client.js'
import { startService, type TestService } from '../support/harness.js'
import { connectedClient, issuer } from '../support/oauth-flow.js'
import { doors, knockAt } from './doors.js'

interface Listed {
  readonly memories: readonly { readonly id: string; readonly content: string }[]
}

const unknown = 'spc_01h455vb4pex5vsknk084sn02q'

describe('a space', () => {
  let service: TestService
  let space = ''
  const keys = { full: '', read: '', write: '', project: '', expired: '', stranger: '' }
  beforeAll(async () => {
    service = await startService({ auth: true, env: { SERVICE_OAUTH_URL: issuer } })
    const of = async (limits: Parameters<typeof quickKey>[3], user = 'ana') =>
      (await quickKey(service, user, 'a key', limits)).key
    keys.full = await of({})
    keys.read = await of({ access: 'read' })
    keys.write = await of({ access: 'write' })
    keys.project = await of({ project: 'garden' })
    keys.expired = await of({ expiresAt: service.clock.now() })
    keys.stranger = await of({}, 'eve')
    const created = await service.ok<{ space: { id: string } }>('POST', '/spaces', {
      key: keys.full,
      body: { name: 'Team' },
    })
    space = created.space.id
    for (const project of ['garden', undefined]) {
      const body = { content: `The roses of ${project ?? 'all'} need water`, space, ...(project ? { project } : {}) }
      await service.ok('POST', '/store', { key: keys.full, body })
    }
  })
  afterAll(() => service.close())

  const contents = async () => {
    const { memories } = await service.ok<Listed>('GET', '/memories', { key: keys.full, query: { space } })
    return memories.map(({ content }) => content).sort()
  }

  it.each(doors)('does not exist for a key of one project, as %s of %s %s', async (...door) => {
    const before = await contents()
    const answer = await knockAt(service, keys.project, space, door)
    expect([403, 404], answer.text).toContain(answer.status)
    if (answer.status === 404) expect(answer.text).toContain('Space not found')
    expect(answer).toEqual(await knockAt(service, keys.project, unknown, door))
    expect(await contents()).toEqual(before)
  })

  it.each(doors)('is closed to an expired key, as %s of %s %s', async (...door) => {
    expect((await knockAt(service, keys.expired, space, door)).status).toBe(401)
  })

  it('stays beside the project of a key: own memories are found, those of a space never', async () => {
    const key = keys.project
    const own = await service.ok<Listed>('POST', '/recall', { key, body: { query: 'roses', spaces: ['own'] } })
    expect(own.memories).toEqual([])
    const body = { query: 'roses', project: 'garden', spaces: ['own', space] }
    await service.fails(404, 'POST', '/recall', { key, body })
  })

  it('is only read with a key that only reads', async () => {
    const before = await contents()
    for (const door of doors) {
      const [, method, path] = door
      const { status, text } = await knockAt(service, keys.read, space, door)
      const reads = method === 'GET' || path === '/recall' || path === '/items/search'
      if (reads) expect([200, 404], `${method} ${path}: ${text}`).toContain(status)
      else expect(status, `${method} ${path}: ${text}`).toBe(403)
      expect(text).not.toContain('Space not found')
    }
    expect(await contents()).toEqual(before)
  })

  it('is only stored into with a key that only stores, which learns nothing', async () => {
    for (const door of doors.filter(([, , path]) => path !== '/store')) {
      const { status, text } = await knockAt(service, keys.write, space, door)
      expect(status, `${door[1]} ${door[2]}: ${text}`).toBe(403)
    }
    const before = await contents()
    const store = () =>
      service.ok('POST', '/store', { key: keys.write, body: { content: 'The tulips are yellow', space } })
    const nothing = { status: 'success', memories: [], entities_extracted: 0, relationships_created: 0 }
    expect(await store()).toEqual(nothing)
    expect(await store()).toEqual(nothing)
    expect(await contents()).toEqual([...before, 'The tulips are yellow'].sort())
  })

  it('is reached with an OAuth token of a member, and with no other', async () => {
    const url = await addressOf(service)
    const seen = async (key: string) => {
      const { tokens } = await connectedClient(service.app, key)
      service.forbidInLogs(tokens.access_token.slice(31))
      service.forbidInLogs(tokens.refresh_token.slice(31))
      const client = await connected(url, '2025-11-25', tokens.access_token)
      const spaces = await callTool(client, 'list_spaces', {})
      const recalled = await callTool(client, 'recall_memories', { query: 'roses', spaces: [space] })
      await client.close()
      return { spaces: spaces.text, recalled: recalled.text }
    }
    const member = await seen(keys.full)
    expect(member.spaces).toContain(space)
    expect(member.recalled).toContain('The roses of all need water')
    const stranger = await seen(keys.stranger)
    expect(stranger.spaces).not.toContain(space)
    expect(stranger.recalled).toContain('Space not found')
    expect(stranger.recalled).not.toContain('need water')
  })
})
