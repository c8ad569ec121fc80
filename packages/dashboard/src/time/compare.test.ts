import type { Memory } from '@keepsake/client'
import { expect, it } from 'vitest'
import { compare, type MomentList } from './compare.js'

function memory(id: string, more: Partial<Memory> = {}): Memory {
  return {
    id,
    userId: 'u',
    content: id,
    action: 'ADD',
    score: null,
    project: null,
    metadata: {},
    checksum: '',
    trustScore: 1,
    source: 'api',
    entities: [],
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    expiresAt: null,
    lastAccessed: null,
    accessCount: 0,
    decayScore: 1,
    flagged: false,
    supersededAt: null,
    supersededBy: null,
    ...more,
  }
}

const at = (day: string, memories: Memory[], whole = true): MomentList => ({ at: Date.parse(day), memories, whole })

it('reports added, changed, superseded and expired memories', () => {
  const kept = memory('kept')
  const before = at('2026-02-01', [
    kept,
    memory('edited', { content: 'Tom lives in Berlin' }),
    memory('moved'),
    memory('old'),
    memory('short', { expiresAt: '2026-02-20T00:00:00.000Z' }),
  ])
  const by = memory('new', { supersedes: ['old'] })
  const after = at('2026-03-01', [
    by,
    kept,
    memory('edited', { content: 'Tom lives in Rome' }),
    memory('moved', { project: 'p' }),
  ])
  const found = compare(before, after)
  expect(found.added).toEqual([by])
  expect(found.changed.map(({ after: { id } }) => id)).toEqual(['edited', 'moved'])
  expect(found.superseded).toEqual([{ memory: memory('old'), by }])
  expect(found.expired.map(({ id }) => id)).toEqual(['short'])
  expect(found.since).toBeUndefined()
})

it('finds no difference between a list and itself', () => {
  const list = at('2026-02-01', [memory('a'), memory('b')])
  expect(compare(list, list)).toEqual({ added: [], changed: [], superseded: [], expired: [], since: undefined })
})

it('does not report a memory as gone if a truncated list left it out', () => {
  const [newer, middle, older] = [
    memory('newer', { createdAt: '2026-01-03T00:00:00.000Z' }),
    memory('middle', { createdAt: '2026-01-02T00:00:00.000Z' }),
    memory('older'),
  ]
  const found = compare(at('2026-01-03', [middle, older]), at('2026-02-01', [newer, middle], false))
  expect(found).toMatchObject({ added: [newer], superseded: [], since: middle.createdAt })
})

it('reports a memory of which a part became outdated as changed', () => {
  const part = { text: 'b', start: 2, end: 3, since: '2026-02-10T00:00:00.000Z', by: null }
  const [whole, partly] = [memory('m', { content: 'a b' }), memory('m', { content: 'a b', outdated: [part] })]
  const found = compare(at('2026-02-01', [whole]), at('2026-03-01', [partly]))
  expect(found.changed).toEqual([{ before: whole, after: partly }])
})
