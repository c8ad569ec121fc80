/** Contradictions over HTTP: listing, accepting and reverting them, and the effect on recall, lists and the graph. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hourMs, manualClock, startService, type TestService } from '../support/harness.js'

interface Side {
  readonly id: string
  readonly content: string
  readonly superseded_by: string | null
}
interface Contradiction {
  readonly id: string
  readonly status: string
  readonly why: string
  readonly reason: { readonly slot: string; readonly old_value: string; readonly new_value: string } | null
  readonly old: Side
  readonly new: Side
  readonly created_at: string
  readonly decided_at: string | null
}
interface Listed {
  readonly contradictions: readonly Contradiction[]
  readonly total: number
}

let service: TestService
beforeEach(async () => {
  service = await startService({ clock: manualClock() })
})
afterEach(() => service.close())

const ana = { user_id: 'ana' }
const say = (content: string, more: object = {}) => service.storeOne({ ...ana, content, ...more })
const contradictions = (query: object = {}) =>
  service.ok<Listed>('GET', '/contradictions', { query: { ...ana, ...query } })
const decide = (id: string, verdict: 'accept' | 'revert') =>
  service.ok<{ status: string; contradiction: Contradiction }>('POST', `/contradictions/${id}/${verdict}`)
const recalled = async (more: object = {}) =>
  (await service.recall({ ...ana, query: 'Where does John work?', ...more })).memories.map(({ content }) => content)

async function changedJob() {
  const before = await say('John works at Acme Corp')
  service.clock.advance(hourMs)
  const after = await say('John works at Globex')
  const { contradictions: found } = await contradictions()
  const id = found[0]?.id ?? ''
  service.clock.advance(hourMs)
  return { before, after, id }
}

async function employers(): Promise<string[]> {
  const { entities } = await service.ok<{ entities: readonly { id: string }[] }>('GET', '/entities', {
    query: { ...ana, q: 'John' },
  })
  const { relationships } = await service.ok<{ relationships: readonly { type: string; target: string }[] }>(
    'GET',
    `/entities/${entities[0]?.id}/relationships`,
  )
  return relationships.map(({ type, target }) => `${type} ${target}`)
}

describe('a changed fact', () => {
  it('creates a contradiction with both memories and the reason', async () => {
    const { before, after } = await changedJob()
    const { contradictions: found, total } = await contradictions()
    expect(total).toBe(1)
    expect(found[0]).toMatchObject({
      status: 'applied',
      why: 'john works at: "acme" before, "globex" now.',
      reason: { slot: 'WORKS_AT|john', old_value: 'acme', new_value: 'globex', rule: 'contradicted' },
      old: { id: before.id, content: 'John works at Acme Corp', superseded_by: after.id },
      new: { id: after.id, content: 'John works at Globex', superseded_by: null },
      created_at: after.created_at,
      decided_at: null,
    })
    expect(found[0]?.id).toMatch(/^con_/)
    const one = await service.ok<{ contradiction: Contradiction }>('GET', `/contradictions/${found[0]?.id}`)
    expect(one.contradiction).toEqual(found[0])
  })

  it('is fully undone by a revert: recall, list, memory, entity and relationship', async () => {
    const { before, after, id } = await changedJob()
    expect(await recalled()).toEqual(['John works at Globex'])
    const reverted = await decide(id, 'revert')
    expect(reverted).toMatchObject({ status: 'success', contradiction: { status: 'reverted' } })
    expect(await recalled()).toEqual(['John works at Acme Corp'])
    expect((await service.list(ana)).memories.map((memory) => memory.id)).toEqual([before.id])
    expect(await service.memory(before.id)).toMatchObject({ superseded_by: null, action: 'ADD' })
    expect(await service.memory(after.id)).toMatchObject({ superseded_by: before.id })
    expect(await employers()).toEqual(['WORKS_AT Acme Corp'])
    expect(await decide(id, 'revert')).toEqual(reverted)
    // The next store uses the reverted state too.
    expect(await say('John works at Acme Corp')).toMatchObject({ action: 'NOOP', id: before.id })
  })

  it('keeps as_of correct for every past time after a revert', async () => {
    const { before, after, id } = await changedJob()
    await decide(id, 'revert')
    const revertedAt = service.clock.now()
    service.clock.advance(hourMs)
    const moment = (ms: number) => new Date(ms).toISOString()
    expect(await recalled({ as_of: moment(Date.parse(before.created_at) + 1) })).toEqual(['John works at Acme Corp'])
    expect(await recalled({ as_of: moment(Date.parse(after.created_at) + 1) })).toEqual(['John works at Globex'])
    expect(await recalled({ as_of: moment(revertedAt + 1) })).toEqual(['John works at Acme Corp'])
    expect((await recalled({ include_history: true })).length).toBeGreaterThan(1)
  })

  it('can be accepted, reverted and accepted again', async () => {
    const { id } = await changedJob()
    const accepted = await decide(id, 'accept')
    expect(accepted.contradiction).toMatchObject({ status: 'accepted' })
    expect(await decide(id, 'accept')).toEqual(accepted)
    expect(await recalled()).toEqual(['John works at Globex'])
    for (const [verdict, content] of [
      ['revert', 'John works at Acme Corp'],
      ['accept', 'John works at Globex'],
      ['revert', 'John works at Acme Corp'],
    ] as const) {
      service.clock.advance(hourMs)
      await decide(id, verdict)
      expect(await recalled()).toEqual([content])
    }
  })

  it('answers 400 to a revert after the fact changed again or was edited', async () => {
    const { after, id } = await changedJob()
    await service.ok('PUT', `/memories/${after.id}`, { body: { content: 'John is on holiday' } })
    const rewritten = await service.fails(400, 'POST', `/contradictions/${id}/revert`)
    expect(rewritten).toMatchObject({ code: 'validation_error', message: expect.stringContaining('different content') })
    await service.ok('PUT', `/memories/${after.id}`, { body: { content: 'John works at Globex' } })
    await say('John works at Initech')
    const again = await service.fails(400, 'POST', `/contradictions/${id}/revert`)
    expect(again.message).toContain('replaced by another')
    expect(await recalled()).toEqual(['John works at Initech'])
  })

  it('answers 404 to a decision for a user who does not own it', async () => {
    const { id } = await changedJob()
    for (const call of [{ body: { user_id: 'ben' } }, { query: { user_id: 'ben' } }])
      await service.fails(404, 'POST', `/contradictions/${id}/revert`, call)
    const both = { body: { user_id: 'ana' }, query: { user_id: 'ben' } }
    expect((await service.fails(400, 'POST', `/contradictions/${id}/revert`, both)).message).toContain('differs')
    await service.ok('POST', `/contradictions/${id}/accept`, { body: { user_id: 'ana' } })
  })

  it('disappears when one of its memories is deleted', async () => {
    const { after, id } = await changedJob()
    await service.ok('DELETE', '/memories', { body: { memory_ids: [after.id] } })
    expect((await contradictions()).total).toBe(0)
    await service.fails(404, 'POST', `/contradictions/${id}/revert`)
  })

  it('is listed after one memory expires only on request', async () => {
    await say('John works at Acme Corp', { ttl: '1h' })
    await say('John works at Globex', { ttl: '2h' })
    expect((await contradictions()).total).toBe(1)
    service.clock.advance(hourMs)
    expect((await contradictions()).total).toBe(0)
    const { contradictions: kept } = await contradictions({ include_expired: true })
    expect(kept).toHaveLength(1)
    await service.fails(404, 'GET', `/contradictions/${kept[0]?.id}`)
  })

  it('is recorded in the audit log without its content when it is decided', async () => {
    const { id } = await changedJob()
    await decide(id, 'accept')
    await decide(id, 'revert')
    const lines = service.audit().filter(({ event }) => event.startsWith('contradiction.'))
    expect(
      lines.map(({ event, outcome, contradiction_id, user_id }) => [event, outcome, contradiction_id, user_id]),
    ).toEqual([
      ['contradiction.accepted', 'success', id, 'ana'],
      ['contradiction.reverted', 'success', id, 'ana'],
    ])
  })

  it('can be decided while stores of the same user run', async () => {
    const { id } = await changedJob()
    await Promise.all([
      ...Array.from({ length: 5 }, (_, i) => decide(id, i % 2 ? 'accept' : 'revert')),
      ...Array.from({ length: 5 }, (_, i) => say(`The cat number ${i} sleeps`)),
    ])
    expect((await service.list(ana)).total).toBe(6)
  })
})

describe('the list of contradictions', () => {
  it('filters by status, project and user, and is paged', async () => {
    for (const project of ['home', 'work']) {
      await say('Maria lives in Oslo', { project })
      await say('Maria lives in Rome', { project })
    }
    await service.storeOne({ user_id: 'ben', content: 'Maria lives in Oslo' })
    await service.storeOne({ user_id: 'ben', content: 'Maria lives in Rome' })
    expect((await contradictions()).total).toBe(2)
    expect((await contradictions({ project: 'home' })).total).toBe(1)
    expect((await contradictions({ limit: 1, page: 2 })).contradictions).toHaveLength(1)
    await decide((await contradictions()).contradictions[0]?.id ?? '', 'accept')
    expect((await contradictions({ status: 'accepted' })).total).toBe(1)
    expect((await service.ok<Listed>('GET', '/contradictions')).total).toBe(3)
    await service.fails(400, 'GET', '/contradictions', { query: { status: 'maybe' } })
  })
})
