/** Outdated parts over HTTP: in every response with memories, in the context, and in contradictions. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { remainingText } from '../../src/core/outdated.js'
import { userScope } from '../../src/core/scope.js'
import { Notebook, wordsOf } from '../../src/storage/contract/notebook.js'
import { hourMs, manualClock, startService, startTime, type TestService } from '../support/harness.js'

interface Part {
  readonly text: string
  readonly start: number
  readonly end: number
}
interface Outdated extends Part {
  readonly since: string
  readonly by: string | null
}
interface Shown {
  readonly id: string
  readonly content: string
  readonly outdated?: readonly Outdated[]
}
interface Contradiction {
  readonly id: string
  readonly status: string
  readonly part: Part | null
}

const ana = { user_id: 'ana' }
const content = 'My sister Marta lives in Gothenburg with her two parrots'
const later = 'Marta has moved to Copenhagen and bought a piano'
const words = 'lives in Gothenburg'
const query = 'Where does Marta live?'

let service: TestService
beforeEach(async () => {
  service = await startService({ clock: manualClock(), languageModel: null })
})
afterEach(() => service.close())

/** One hour after the first memory, the second one ends a part of it, or only doubts it. */
async function moved(how: 'ends' | 'doubtsParts' = 'ends') {
  const { deps } = service
  const old = await service.storeOne({ ...ana, content })
  service.clock.advance(hourMs)
  const part = wordsOf(old.id, content, words)
  const [vector, rest] = await deps.embedder.embed([later, remainingText(content, [part])])
  if (!vector || !rest) throw new Error('the embedder returned fewer results than texts')
  const now = deps.clock.now()
  const notebook = new Notebook(deps.storage)
  const fact = { content: later, createdAt: now, modelId: deps.embedder.modelId, vector }
  const memory = notebook.memory({ ...fact, [how]: [{ ...part, vector: rest }] })
  await notebook.commit(userScope('ana'), { now, memories: [memory] })
  service.clock.advance(hourMs)
  const { contradictions } = await listed()
  return { old: old.id, fresh: memory.id, part, id: contradictions[0]?.id ?? '' }
}

const listed = () => service.ok<{ contradictions: readonly Contradiction[] }>('GET', '/contradictions', { query: ana })
const decide = (id: string, verdict: 'accept' | 'revert') =>
  service.ok<{ contradiction: Contradiction }>('POST', `/contradictions/${id}/${verdict}`)
const shownOf = (memories: readonly Shown[], id: string) => memories.find((memory) => memory.id === id)?.outdated
const recall = (more: object = {}) => service.recall({ ...ana, query, ...more })
const marked = 'My sister Marta (outdated since 2026-03-02: lives in Gothenburg) with her two parrots'

describe('a memory with an outdated part', () => {
  it('shows the part wherever memories are shown, and only where there is one', async () => {
    const { old, fresh, part } = await moved()
    const expected = [
      { text: words, start: part.start, end: part.end, since: new Date(startTime + hourMs).toISOString(), by: fresh },
    ]
    const { memories } = await service.list(ana)
    expect(shownOf(memories, old)).toEqual(expected)
    expect(memories.find(({ id }) => id === fresh)).not.toHaveProperty('outdated')
    expect(await service.memory(old)).toMatchObject({ content, outdated: expected, superseded_at: null })
    const { memories: recalled } = await recall()
    expect(shownOf(recalled, old)).toEqual(expected)
    expect(recalled.find(({ id }) => id === fresh)).not.toHaveProperty('outdated')
    const history = await service.ok<{ versions: readonly Shown[] }>('GET', `/memories/${old}/history`)
    expect(history.versions.map(({ outdated }) => outdated)).toEqual([undefined, expected])
    expect(await service.storeOne({ ...ana, content })).toMatchObject({ id: old, action: 'NOOP', outdated: expected })
  })

  it('never passes the old value for current in the context', async () => {
    const { old } = await moved()
    for (const more of [{}, { enable_rerank: true }, { include_history: true, query: content }]) {
      const { context, memories } = await recall(more)
      expect(context).toContain(marked)
      expect(context).not.toContain('Marta lives')
      expect(shownOf(memories, old)).toHaveLength(1)
    }
  })

  it('is found by its other words, and not by the outdated ones', async () => {
    const { old } = await moved()
    const keyword = async (text: string) => {
      const { memories } = await service.recall({ ...ana, query: text, explain: true })
      const found = memories.find(({ id }) => id === old)?.explain as { keyword: { score: number } | null } | undefined
      return found?.keyword?.score ?? 0
    }
    expect(await keyword('parrots')).toBeGreaterThan(0)
    expect(await keyword('Gothenburg')).toBe(0)
  })

  it('shows no mark as of an earlier moment', async () => {
    const { old } = await moved()
    const as_of = new Date(startTime + hourMs / 2).toISOString()
    const { memories, context } = await recall({ as_of })
    expect(memories).toHaveLength(1)
    expect(shownOf(memories, old)).toBeUndefined()
    expect(context).toContain(content)
    const past = await service.list({ ...ana, as_of })
    expect(shownOf(past.memories, old)).toBeUndefined()
    const asked = new Date(startTime + hourMs + 1).toISOString()
    expect(shownOf((await recall({ as_of: asked })).memories, old)).toHaveLength(1)
  })

  it('keeps the mark when its metadata change, and loses it with a new content', async () => {
    const { old } = await moved()
    const put = (body: object) => service.ok<{ memory: Shown }>('PUT', `/memories/${old}`, { body })
    expect((await put({ metadata: { mood: 'calm' } })).memory.outdated).toHaveLength(1)
    expect((await put({ ttl: '7d' })).memory.outdated).toHaveLength(1)
    expect((await put({ content })).memory).not.toHaveProperty('outdated')
    expect((await recall()).context).toContain(content)
  })

  it('keeps the mark when the memory that replaced the part is deleted', async () => {
    const { old, fresh } = await moved()
    await service.ok('DELETE', '/memories', { body: { memory_ids: [fresh] } })
    expect(await service.memory(old)).toMatchObject({ outdated: [{ text: words, by: null }] })
    expect((await recall()).context).toContain(marked)
  })

  it('tells of the change as an event', async () => {
    const { old, fresh } = await moved()
    const { events } = await service.ok<{ events: readonly object[] }>('GET', '/events', {
      query: { ...ana, since: '0' },
    })
    expect(events.at(-1)).toMatchObject({
      type: 'memory.outdated',
      action: 'OUTDATE',
      memory_id: old,
      related_memory_ids: [fresh],
    })
  })
})

describe('a contradiction about a part', () => {
  it('names the part, and null where it is about the whole memory', async () => {
    const { part } = await moved()
    const [found] = (await listed()).contradictions
    expect(found).toMatchObject({ status: 'applied', part: { text: words, start: part.start, end: part.end } })
    await service.storeOne({ ...ana, content: 'John works at Acme Corp' })
    service.clock.advance(hourMs)
    await service.storeOne({ ...ana, content: 'John works at Globex' })
    expect((await listed()).contradictions[0]).toMatchObject({ status: 'applied', part: null })
  })

  it('restores the part when reverted, and every fact of both memories stays in recall', async () => {
    const { old, fresh, id } = await moved()
    expect((await decide(id, 'revert')).contradiction.status).toBe('reverted')
    const { memories, context } = await recall()
    expect(memories.map((memory) => memory.id).sort()).toEqual([old, fresh].sort())
    expect(context).toContain(content)
    expect(context).toContain(later)
    expect(shownOf(memories, old)).toBeUndefined()
  })

  it('ends only the part when accepted, and every other fact stays in recall', async () => {
    const { old, fresh, id } = await moved('doubtsParts')
    expect((await recall()).context).toContain(content)
    const accepted = await decide(id, 'accept')
    expect(accepted.contradiction).toMatchObject({ status: 'accepted', part: { text: words } })
    const { context, memories } = await service.recall({ ...ana, query: 'Who has parrots?' })
    expect(context).toContain(marked)
    expect(context).toContain(later)
    const since = new Date(startTime + 2 * hourMs).toISOString()
    expect(shownOf(memories, old)).toMatchObject([{ text: words, since, by: fresh }])
    await decide(id, 'revert')
    expect((await recall()).context).toContain(content)
  })

  it('embeds the text that remains, like a store', async () => {
    const { old, id } = await moved('doubtsParts')
    await decide(id, 'accept')
    const { storage, embedder } = service.deps
    const scope = userScope('ana')
    const [vector] = await embedder.embed(['My sister Marta with her two parrots'])
    const rows = (await storage.versionsOf(scope, [old])).flatMap(({ row, validTo }) => (validTo === null ? [row] : []))
    const [version] = await storage.hydrate(scope, rows, { vectors: true })
    expect(version?.vector).toEqual(vector)
  })

  it('cannot be decided after the old memory was rewritten', async () => {
    const { old, id } = await moved()
    await service.ok('PUT', `/memories/${old}`, { body: { content: 'My sister Marta is a dentist' } })
    const { message } = await service.fails(400, 'POST', `/contradictions/${id}/revert`)
    expect(message).toContain('different content now')
  })
})
