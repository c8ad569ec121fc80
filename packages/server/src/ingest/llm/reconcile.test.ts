import { describe, expect, it } from 'vitest'
import type { Slot } from '../../core/entity.js'
import { contentKey, type Memory } from '../../core/memory.js'
import { LanguageModelFailure } from '../../models/llm/llm.js'
import type { KnownMemory, Recognised } from '../../storage/ports/memory-reads.js'
import type { Decision, Draft } from '../reconcile.js'
import { answeringModel } from './answering-model.fixture.js'
import { type Advice, askForAdvice, heed } from './reconcile.js'

const slotsOf = (names: readonly string[], value: string): Slot[] => names.map((slot) => ({ slot, value }))
const draft = (content: string, more: Partial<Draft> = {}): Draft => ({
  content,
  contentKey: contentKey(content),
  createdAt: 100,
  expiresAt: null,
  slots: [],
  flagged: false,
  trustScore: 1,
  ...more,
})
const known = (id: string, content: string, slots: readonly string[] = [], more: Partial<Memory> = {}): KnownMemory => {
  const memory = { id, content, outdated: [], createdAt: 50, expiresAt: null, flagged: false, ...more }
  // Reconciling reads no other field.
  return { memory: memory as Memory, contentKey: contentKey(content), slots: slotsOf(slots, 'old') }
}
const having = (...memories: KnownMemory[]): Recognised => ({ revision: 1, sameContent: memories, sameSlot: [] })
const advice = (index: number, relation: Advice['relation'], about: KnownMemory): Advice => ({
  draft: index,
  relation,
  memoryId: about.memory.id,
  contentKey: about.contentKey,
})

const monday = known('mem_1', 'The meeting is on Monday')
const tuesday = draft('The meeting has moved to Tuesday')
const noted = { conflicts: [], endings: [], doubtful: [] }
const add: Decision = { kind: 'add', ...noted }
const reason = (memoryId: string, rule: 'advised' | 'contradicted') => ({
  memoryId,
  rule,
  slot: '',
  oldValue: '',
  newValue: '',
})
const updated = (supersedes: string[], rule: 'advised' | 'contradicted' = 'advised'): Decision => ({
  kind: 'update',
  supersedes,
  reasons: supersedes.map((id) => reason(id, rule)),
  ...noted,
})

describe('advice', () => {
  const pair = (fresh: unknown, old: unknown, relation: unknown) => ({ new: fresh, known: old, relation })

  it('is requested by numbers, never by ids', async () => {
    const stub = answeringModel({ pairs: [pair(2, 1, 'replaces')] })
    const { advice: given, refused } = await askForAdvice(stub, [draft('I like tea'), tuesday], [monday], 1_000)
    expect(given).toEqual([advice(1, 'replaces', monday)])
    expect(refused).toBe(0)
    expect(JSON.parse(stub.asked[0]?.data ?? '')).toEqual({
      new: [
        { n: 1, said: '1970-01-01, Thursday', text: 'I like tea' },
        { n: 2, said: '1970-01-01, Thursday', text: 'The meeting has moved to Tuesday' },
      ],
      known: [{ n: 1, said: '1970-01-01, Thursday', text: 'The meeting is on Monday' }],
    })
    expect(JSON.stringify(stub.asked)).not.toContain('mem_')
  })

  it('is requested without the words that are outdated', async () => {
    const stub = answeringModel({ pairs: [] })
    const outdated = [{ start: 0, end: 'I have a dog. '.length, since: 60, by: null }]
    const partly = known('mem_1', 'I have a dog. I have a cat.', [], { outdated })
    await askForAdvice(stub, [draft('I like tea')], [partly], 1_000)
    expect(stub.asked[0]?.data).toContain('I have a cat.')
    expect(stub.asked[0]?.data).not.toContain('dog')
  })

  it.each<[string, unknown]>([
    ['a known number that was not given', pair(1, 2, 'replaces')],
    ['a new number that was not given', pair(2, 1, 'replaces')],
    ['number zero', pair(0, 0, 'replaces')],
    ['an id', pair(1, 'mem_1', 'replaces')],
    ['another relation', pair(1, 1, 'delete')],
    ['nothing', null],
  ])('is refused with %s', async (_, claim) => {
    const reply = await askForAdvice(answeringModel({ pairs: [claim] }), [tuesday], [monday], 1_000)
    expect(reply).toEqual({ advice: [], refused: 1 })
  })

  it('is not requested if there is nothing to compare, and fails on an invalid shape', async () => {
    const stub = answeringModel({ pairs: 7 })
    expect(await askForAdvice(stub, [tuesday], [], 1_000)).toEqual({ advice: [], refused: 0 })
    expect(stub.asked).toHaveLength(0)
    await expect(askForAdvice(stub, [tuesday], [monday], 1_000)).rejects.toThrow(LanguageModelFailure)
  })

  it('rejects a flood entirely, and asks about a bounded number of new memories', async () => {
    const flood = answeringModel({ pairs: Array.from({ length: 100 }, () => pair(1, 1, 'replaces')) })
    expect(await askForAdvice(flood, [tuesday], [monday], 1_000)).toEqual({ advice: [], refused: 100 })
    const many = Array.from({ length: 200 }, (_, index) => draft(`${index} ${'x'.repeat(900)}`))
    const stub = answeringModel({ pairs: [] })
    await askForAdvice(stub, many, [monday], 1_000)
    expect(stub.asked[0]?.data.length).toBeLessThan(15_000)
  })
})

describe('heeding', () => {
  it('turns a replaced memory into history', () => {
    expect(heed([add], [tuesday], [advice(0, 'replaces', monday)], having(monday))).toEqual([updated(['mem_1'])])
  })

  const holds = (slots: readonly string[]) => known('mem_1', 'The meeting is on Monday', slots)
  it.each<[string, Draft, KnownMemory]>([
    ['holds a fact that the new one lacks', tuesday, holds(['WORKS_AT|ana'])],
    ['is newer', tuesday, known('mem_1', 'The meeting is on Monday', [], { createdAt: 101 })],
    ['would outlast it', draft('The meeting has moved to Tuesday', { expiresAt: 200 }), monday],
    ['is flagged', tuesday, known('mem_1', 'The meeting is on Monday', [], { flagged: true })],
  ])('replaces nothing that %s', (_, fresh, old) => {
    expect(heed([add], [fresh], [advice(0, 'replaces', old)], having(old))).toEqual([add])
  })

  it('replaces a memory with the same slots', () => {
    const fresh = draft('The meeting has moved to Tuesday', { slots: slotsOf(['DAY|meeting'], 'tuesday') })
    const old = holds(['DAY|meeting'])
    expect(heed([add], [fresh], [advice(0, 'replaces', old)], having(old))).toMatchObject([{ kind: 'update' }])
  })

  it('is ignored if the memory is gone or has changed', () => {
    const changed = known('mem_1', 'The meeting is on Friday')
    for (const recognised of [having(), having(changed)])
      expect(heed([add], [tuesday], [advice(0, 'replaces', monday)], recognised)).toEqual([add])
  })

  it('replaces a memory once, and never one that the same text repeats', () => {
    const wednesday = draft('The meeting has moved to Wednesday')
    const twice = [advice(0, 'replaces', monday), advice(1, 'replaces', monday)]
    expect(heed([add, add], [tuesday, wednesday], twice, having(monday))).toEqual([updated(['mem_1']), add])
    const repeat: Decision = { kind: 'noop', memoryId: 'mem_1' }
    expect(heed([repeat, add], [draft('The meeting is on Monday'), tuesday], twice, having(monday))).toEqual([
      repeat,
      add,
    ])
  })

  it('keeps both memories if the rules would replace one and the model disagrees', () => {
    const other = known('mem_2', 'The talk is on Monday')
    const both = updated(['mem_1', 'mem_2'], 'contradicted')
    const about = having(monday, other)
    expect(heed([both], [tuesday], [advice(0, 'compatible', monday)], about)).toEqual([
      updated(['mem_2'], 'contradicted'),
    ])
    const veto = [advice(0, 'compatible', monday), advice(0, 'compatible', other)]
    expect(heed([both], [tuesday], veto, about)).toEqual([add])
  })

  it('skips a memory that says the same and no more; adds one that says more', () => {
    const meeting = draft('Monday is the meeting')
    expect(heed([add], [meeting], [advice(0, 'same', monday)], having(monday))).toEqual([
      { kind: 'noop', memoryId: 'mem_1' },
    ])
    const more = draft('The meeting is on Monday at 9')
    expect(heed([add], [more], [advice(0, 'same', monday)], having(monday))).toEqual([add])
  })
})
