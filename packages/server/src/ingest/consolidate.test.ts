import { describe, expect, it } from 'vitest'
import { msPerDay } from '../core/clock.js'
import { checksumOf, contentKey, type Memory } from '../core/memory.js'
import type { KnownMemory } from '../storage/ports/memory-reads.js'
import { chooseRepetitions, isOldChatter, isSettled, type JudgedPair, mayRepeat, nothingChosen } from './consolidate.js'

const now = Date.UTC(2026, 2, 2)
const weekAgo = now - 7 * msPerDay

function memory(content: string, more: Partial<Memory> = {}): Memory {
  return {
    ...{
      id: content,
      userId: 'ana',
      project: null,
      content,
      outdated: [],
      checksum: checksumOf(content),
      metadata: {},
    },
    ...{ source: 'api', trustScore: 1, flagged: false, version: 1, createdAt: weekAgo, updatedAt: weekAgo },
    ...{ expiresAt: null, supersededAt: null, supersededBy: null, supersedes: [], accessCount: 0, lastAccessed: null },
    entities: [],
    ...more,
  }
}
const known = (content: string, more: Partial<Memory> = {}, slots: KnownMemory['slots'] = []): KnownMemory => ({
  memory: memory(content, more),
  contentKey: contentKey(content),
  slots,
})
const pair = (a: Memory, b: Memory, same: JudgedPair['same'] = [0.95, 0.95]): JudgedPair => ({ a, b, same })
const choice = (pairs: readonly JudgedPair[], before: Parameters<typeof chooseRepetitions>[1] = []) =>
  chooseRepetitions(pairs, before, nothingChosen()).map(({ retired, kept }) => `${retired.content} -> ${kept.content}`)

describe('a memory is left alone', () => {
  it.each([
    ['that is flagged', { flagged: true }],
    ['that is partly outdated', { outdated: [{ start: 0, end: 1, since: 0, by: null }] as Memory['outdated'] }],
    ['that is history', { supersededAt: weekAgo }],
    ['that has expired', { expiresAt: now }],
    ['that was created within a day', { createdAt: now - msPerDay + 1 }],
    ['that was changed within a day', { updatedAt: now - msPerDay + 1 }],
  ])('%s', (_what, more) => {
    expect(isSettled(memory('I love hiking'), now)).toBe(true)
    expect(isSettled(memory('I love hiking', more), now)).toBe(false)
  })
})

describe('two memories are not compared', () => {
  it('by default they are', () => {
    expect(mayRepeat(known('I love hiking'), known('Long hikes are what I love'))).toBe(true)
  })
  it.each([
    ['of two projects', known('I love hiking', { project: 'p' }), known('Hiking is what I love')],
    ['of two users', known('I love hiking', { userId: 'ben' }), known('Hiking is what I love')],
    ['of two speakers', known('Maria: I love hiking'), known('Peter: I love hiking')],
    ['if one has another number', known('I run 5 km'), known('I run 10 km')],
    ['if one names somebody else', known('I met Tom'), known('I met someone')],
    [
      'if the name that differs begins the sentence',
      known('Maria loves hiking', { entities: ['Maria'] }),
      known('Peter loves hiking', { entities: ['Peter'] }),
    ],
    [
      'if their facts differ',
      known('My tea is green', {}, [{ slot: 'ATTR|user:ana|tea', value: 'green' }]),
      known('My tea is black', {}, [{ slot: 'ATTR|user:ana|tea', value: 'black' }]),
    ],
    [
      'if they name the same two people in other roles',
      known('Ann manages Bob', { entities: ['Ann', 'Bob'] }, [{ slot: 'MANAGES|ann', value: 'bob' }]),
      known('Bob is the one who manages Ann', { entities: ['Ann', 'Bob'] }, [{ slot: 'MANAGES|bob', value: 'ann' }]),
    ],
    ['if only one word differs', known('I feed the cat in the morning'), known('I feed the cat in the evening')],
    ['if they have the same words in another order', known('tea beats coffee'), known('coffee beats tea')],
    ['if one is too long to be judged', known('I love hiking'), known(`I love hiking ${'and so on '.repeat(40)}`)],
  ])('%s', (_what, a, b) => {
    expect([mayRepeat(a, b), mayRepeat(b, a)]).toEqual([false, false])
  })
})

it('compares memories with two names, or with the same words, that share a fact', () => {
  const fact = [{ slot: 'LIVES_IN|anna', value: 'oslo' }]
  const [a, b] = [{ entities: ['Anna', 'Oslo'] }, { entities: ['Oslo', 'Anna'] }]
  expect(mayRepeat(known('Anna lives in Oslo', a, fact), known('Oslo is where Anna lives', b, fact))).toBe(true)
})

describe('of two memories that say the same', () => {
  const [short, long] = [memory('I love hiking'), memory('I love hiking in high mountains')]

  it('the more informative one is kept, in whichever order they come', () => {
    expect(choice([pair(short, long)])).toEqual(['I love hiking -> I love hiking in high mountains'])
    expect(choice([pair(long, short)])).toEqual(['I love hiking -> I love hiking in high mountains'])
  })

  it('the newer one is kept if both say as much', () => {
    const [older, newer] = [memory('older hike'), memory('newer hike', { createdAt: weekAgo + 1 })]
    expect(choice([pair(newer, older)])).toEqual(['older hike -> newer hike'])
  })

  it.each([
    ['expires earlier', { expiresAt: now + 1 }, {}],
    ['is trusted less', { trustScore: 0.5 }, {}],
    ['lacks metadata of the other', {}, { metadata: { topic: 'sport' } }],
  ])('the one that %s is not kept', (_what, ofLong, ofShort) => {
    expect(choice([pair({ ...short, ...ofShort }, { ...long, ...ofLong })])).toEqual([
      'I love hiking in high mountains -> I love hiking',
    ])
  })

  it('neither is retired if each lacks metadata of the other', () => {
    expect(choice([pair({ ...short, metadata: { a: 1 } }, { ...long, metadata: { b: 1 } })])).toEqual([])
  })

  it('neither is retired if one direction is doubtful', () => {
    expect(choice([pair(short, long, [0.99, 0.89])])).toEqual([])
    expect(choice([pair(short, long, [0.89, 0.99])])).toEqual([])
  })

  it('neither is retired if a contradiction between them is known', () => {
    expect(choice([pair(short, long)], [{ oldId: long.id, newId: short.id, retires: false }])).toEqual([])
  })

  it('one that came back after a retirement is not retired again', () => {
    const before = [{ oldId: short.id, newId: 'another', retires: true }]
    expect(choice([pair(short, long)], before)).toEqual([])
  })

  it('a memory that is kept is not retired, and a retired one not kept', () => {
    const longest = memory('I love hiking in high mountains of snow')
    const pairs = [pair(short, long, [0.99, 0.99]), pair(long, longest), pair(short, longest)]
    expect(choice(pairs)).toEqual(['I love hiking -> I love hiking in high mountains'])
  })
})

describe('chatter of earlier versions', () => {
  it.each(['lol ok thanks', 'Good morning! How are you?', 'Assistant: Sure! What kind of food do you like?'])(
    'is recognised: %s',
    (content) => {
      expect(isOldChatter(known(content))).toBe(true)
    },
  )

  it.each([
    ['that a recall has returned', known('lol ok thanks', { accessCount: 1 })],
    ['with an entity', known('lol ok thanks', { entities: ['Tom'] })],
    ['with a fact', known('lol ok thanks', {}, [{ slot: 'ATTR|user:ana|mood', value: 'fine' }])],
    ['that answers a question', known('ok (asked: “Shall I book it?”)')],
    ['that states something', known('I love hiking')],
    ['of a named person', known('Tom: lol ok thanks')],
    ['in another language', known('danke schön')],
  ])('does not include a memory %s', (_what, each) => {
    expect(isOldChatter(each)).toBe(false)
  })
})
