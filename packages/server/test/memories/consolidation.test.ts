/** Consolidation over HTTP: previewing, retiring and reverting, and what it never touches. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Judge } from '../../src/models/models.js'
import { dayMs, masterKey, type StartOptions, startService, type TestService } from '../support/harness.js'

interface Proposal {
  readonly rule: string
  readonly user_id: string
  readonly old: { readonly id: string; readonly content?: string }
  readonly new: { readonly id: string; readonly content?: string } | null
  readonly contradiction_id: string | null
}
interface Consolidated {
  readonly examined: number
  readonly has_more: boolean
  readonly merged: number
  readonly retired: number
  readonly proposals: readonly Proposal[]
}

/** Two memories about the pond are the same. `isQuiet` while the memories are stored, so that none of them is left out. */
let isQuiet = true
const pondJudge: Judge = {
  modelId: 'ponds',
  judge: async (pairs) =>
    pairs.map(({ old, fresh }) => {
      const same = !isQuiet && [old, fresh].every((text) => text.includes('pond')) ? 1 : 0
      return { chances: { same, refines: 0, replaces: 0, ends: 0, adds: 0, unrelated: 1 - same }, words: [] }
    }),
  weigh: async (turns) => turns.map(() => ({ worth: 1, changes: 0 })),
  close: async () => undefined,
}

let service: TestService
const start = async (options: StartOptions = {}) => {
  service = await startService({ judge: pondJudge, languageModel: null, ...options })
}
afterEach(() => service.close())

const [first, second] = ['My garden has a pond', 'There is a pond in my garden']
async function pair(more: object = {}, call: object = {}) {
  isQuiet = true
  const stored: string[] = []
  for (const content of [first, second]) stored.push((await service.storeOne({ content, ...more }, call)).id)
  isQuiet = false
  const [a = '', b = ''] = stored
  expect(a).not.toBe(b)
  return { a, b }
}
/** As an earlier version stored it: an update does not look for chatter. */
async function chatter(user_id: string): Promise<string> {
  const { id } = await service.storeOne({ user_id, content: 'water is wet' })
  await service.ok('PUT', `/memories/${id}`, { body: { content: 'lol ok thanks' } })
  return id
}
const consolidate = (body: object = {}, call: object = {}) =>
  service.ok<Consolidated>('POST', '/consolidate', { body, ...call })
const contents = async (user_id = 'ana', query: object = {}) =>
  (await service.list({ user_id, ...query })).memories.map(({ content }) => content).sort()

describe('with authentication off', () => {
  const ana = { user_id: 'ana' }
  beforeEach(() => start())

  it('proposes and changes nothing by default', async () => {
    const { a, b } = await pair(ana)
    const chat = await chatter('ana')
    service.clock.advance(2 * dayMs)
    const { proposals, ...counts } = await consolidate(ana)
    expect(counts).toMatchObject({ dry_run: true, examined: 3, has_more: false, merged: 0, retired: 0 })
    expect(proposals).toMatchObject([
      { rule: 'chatter', old: { id: chat, content: 'lol ok thanks' }, new: null, contradiction_id: null },
      { rule: 'repeated', user_id: 'ana', contradiction_id: null },
    ])
    expect([proposals[1]?.old.id, proposals[1]?.new?.id].sort()).toEqual([a, b].sort())
    expect(await contents()).toHaveLength(3)
    expect((await service.ok<{ total: number }>('GET', '/contradictions', { query: ana })).total).toBe(0)
  })

  it('retires on request, shows the past with as_of, and reverts each change for good', async () => {
    await pair(ana)
    await chatter('ana')
    service.clock.advance(2 * dayMs)
    const before = new Date(service.clock.now()).toISOString()
    const everything = [second, first, 'lol ok thanks'].sort()
    service.clock.advance(1_000)
    const { proposals, merged, retired } = await consolidate({ ...ana, dry_run: false })
    expect([merged, retired, proposals.length]).toEqual([1, 1, 2])
    service.clock.advance(1_000)
    const kept = proposals.find(({ rule }) => rule === 'repeated')?.new?.content
    expect(await contents()).toEqual([kept])
    expect(await contents('ana', { as_of: before })).toEqual(everything)
    const recalled = async (more: object) =>
      (await service.recall({ ...ana, query: 'pond in my garden', ...more })).memories.map(({ content }) => content)
    expect(await recalled({})).toEqual([kept])
    expect((await recalled({ as_of: before })).filter((content) => content !== 'lol ok thanks').sort()).toEqual(
      [first, second].sort(),
    )
    expect((await consolidate({ ...ana, dry_run: false })).proposals).toEqual([])
    expect(service.audit('memory.retire')).toHaveLength(2)

    const listed = await service.ok<{ contradictions: readonly { id: string; status: string; why: string }[] }>(
      'GET',
      '/contradictions',
      { query: ana },
    )
    expect(listed.contradictions.map(({ status, why }) => `${status}: ${why}`).sort()).toEqual([
      'applied: The memory says nothing worth remembering.',
      'applied: The new memory says the same as the old one in other words.',
    ])
    for (const { id } of listed.contradictions) await service.ok('POST', `/contradictions/${id}/revert`)
    expect(await contents()).toEqual(everything)
    service.clock.advance(2 * dayMs)
    expect((await consolidate({ ...ana, dry_run: false })).proposals).toEqual([])
    expect(await contents()).toEqual(everything)
  })

  it('leaves memories alone that are newer than a day, in two projects, or returned by a recall', async () => {
    isQuiet = true
    await service.storeOne({ ...ana, content: first })
    await service.storeOne({ ...ana, content: second, project: 'p' })
    isQuiet = false
    await pair({ user_id: 'new' })
    const used = await chatter('ben')
    await service.recall({ user_id: 'ben', query: 'lol ok thanks' })
    expect((await consolidate({ user_id: 'new', dry_run: false })).proposals).toEqual([])
    service.clock.advance(2 * dayMs)
    expect((await consolidate({ ...ana, dry_run: false })).proposals).toEqual([])
    expect((await consolidate({ user_id: 'ben' })).proposals.map(({ old }) => old.id)).not.toContain(used)
    expect((await consolidate({ user_id: 'new' })).proposals).toHaveLength(1)
  })

  it('keeps the memory that expires later', async () => {
    isQuiet = true
    const lasting = await service.storeOne({ ...ana, content: first })
    const passing = await service.storeOne({ ...ana, content: second, ttl: '30d' })
    isQuiet = false
    service.clock.advance(2 * dayMs)
    expect((await consolidate({ ...ana, dry_run: false })).proposals).toMatchObject([
      { old: { id: passing.id }, new: { id: lasting.id } },
    ])
  })

  it('covers one project, one user, or everyone', async () => {
    await pair({ user_id: 'ana', project: 'p' })
    await pair({ user_id: 'ben' })
    service.clock.advance(2 * dayMs)
    const users = async (body: object) => (await consolidate(body)).proposals.map(({ user_id }) => user_id).sort()
    expect(await users({})).toEqual(['ana', 'ben'])
    expect(await users({ user_id: 'ana' })).toEqual(['ana'])
    expect(await users({ user_id: 'ana', project: 'p' })).toEqual(['ana'])
    expect(await users({ user_id: 'ana', project: 'other' })).toEqual([])
    expect(await users({ project: 'p' })).toEqual(['ana'])
  })

  it('rejects an unknown field with 400', async () => {
    expect((await service.fails(400, 'POST', '/consolidate', { body: { dryrun: false } })).code).toBe(
      'validation_error',
    )
  })
})

it('reaches only the user of an API key, and shows no contents to the master key', async () => {
  await start({ auth: true })
  const [ana, ben] = [await service.createKey('ana'), await service.createKey('ben')]
  await pair({}, { key: ana.key })
  service.clock.advance(2 * dayMs)
  expect((await consolidate({ dry_run: false }, { key: ben.key })).proposals).toEqual([])
  expect((await consolidate({ user_id: 'ana', dry_run: false }, { key: ben.key })).proposals).toEqual([])
  const { proposals } = await consolidate({}, { key: masterKey })
  expect(proposals).toHaveLength(1)
  expect(JSON.stringify(proposals)).not.toMatch(/pond/)
  expect((await consolidate({ dry_run: false }, { key: ana.key })).merged).toBe(1)
})
