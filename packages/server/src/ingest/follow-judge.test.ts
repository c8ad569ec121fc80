import { describe, expect, it } from 'vitest'
import type { Slot } from '../core/entity.js'
import { contentKey, type Memory } from '../core/memory.js'
import type { KnownMemory, Recognised } from '../storage/ports/memory-reads.js'
import { hasFiguresAndNamesOf } from './figures-and-names.js'
import { followJudge, type Opinion } from './follow-judge.js'
import { type Decision, type Draft, reconcile } from './reconcile.js'

const draftOf = (content: string, more: Partial<Draft> = {}): Draft => ({
  content,
  contentKey: contentKey(content),
  createdAt: 100,
  expiresAt: null,
  slots: [],
  flagged: false,
  trustScore: 1,
  ...more,
})
const knownOf = (content: string, more: Partial<Memory> = {}, slots: readonly Slot[] = []): KnownMemory => {
  const memory: Memory = {
    id: 'old',
    userId: 'u1',
    project: null,
    content,
    outdated: [],
    checksum: '',
    metadata: {},
    source: 'api',
    trustScore: 1,
    flagged: false,
    version: 1,
    createdAt: 50,
    updatedAt: 50,
    expiresAt: null,
    supersededAt: null,
    supersededBy: null,
    supersedes: [],
    accessCount: 0,
    lastAccessed: null,
    entities: [],
    ...more,
  }
  return { memory, contentKey: contentKey(content), slots }
}
const chancesOf = (chances: Partial<Opinion['chances']>): Opinion['chances'] => ({
  same: 0,
  refines: 0,
  replaces: 0,
  ends: 0,
  adds: 0,
  unrelated: 0,
  ...chances,
})
const opinionOn = (old: KnownMemory, chances: Partial<Opinion['chances']>, more: Partial<Opinion> = {}): Opinion => ({
  draft: 0,
  memoryId: old.memory.id,
  contentKey: old.contentKey,
  chances: chancesOf(chances),
  parts: null,
  remaining: null,
  ...more,
})
const having = (...memories: KnownMemory[]): Recognised => ({ revision: 1, sameContent: memories, sameSlot: memories })
const trusted = { flagged: false, trustScore: 1 }
const added: Decision = { kind: 'add', conflicts: [], endings: [], doubtful: [] }

/** The decision about one draft that the rules would add without a conflict. */
const follow = (
  draft: Draft,
  old: KnownMemory,
  chances: Partial<Opinion['chances']>,
  {
    decision = added,
    screened = trusted,
    ...more
  }: Partial<Opinion> & { decision?: Decision; screened?: typeof trusted } = {},
) => followJudge([decision], [{ ...draft, ...screened }], [opinionOn(old, chances, more)], having(old))[0]

const slot = { slot: 'ATTR|standup', value: '9' }
const old = knownOf('The standup is at nine', {}, [slot])
const fresh = { slots: [{ slot: 'ATTR|standup', value: '10' }] }
const said = draftOf('The standup got pushed to ten', fresh)
const unsaid = draftOf('The standup is at ten', fresh)
const conflict = { memoryId: 'old', rule: 'contradicted', ...slot, oldValue: '9', newValue: '10' } as const
const seen: Decision = { ...added, conflicts: [conflict] }
const update: Decision = { ...added, kind: 'update', supersedes: ['old'], reasons: [conflict] }

describe('a change that the judge sees', () => {
  it('is applied if the new text also says that something changed', () => {
    expect(follow(said, old, { replaces: 0.998 })).toMatchObject({
      kind: 'update',
      supersedes: ['old'],
      reasons: [{ memoryId: 'old', rule: 'judged', parts: null }],
      conflicts: [],
    })
    expect(follow(said, old, { ends: 0.998 })).toMatchObject({ kind: 'update', supersedes: ['old'] })
  })

  it('stays open if the new text is about somebody else', () => {
    const office = knownOf('I work out of the Lyon office', {}, [])
    const open = { kind: 'add', conflicts: [{ memoryId: 'old', rule: 'judged' }], endings: [] }
    expect(follow(draftOf('My manager moved to Geneva', { slots: [] }), office, { replaces: 1 })).toMatchObject(open)
    expect(follow(draftOf('I moved to the Geneva office', { slots: [] }), office, { replaces: 1 })).toMatchObject({
      kind: 'update',
      supersedes: ['old'],
    })
  })

  it('stays open if the new text names another day, side or place of the same kind', () => {
    const door = knownOf('Our front door is red', {}, [])
    const open = { kind: 'add', conflicts: [{ memoryId: 'old', rule: 'judged' }], endings: [] }
    expect(follow(draftOf('The back door is navy now', { slots: [] }), door, { replaces: 1 })).toMatchObject(open)
    expect(follow(draftOf('The front door is navy now', { slots: [] }), door, { replaces: 1 })?.kind).toBe('update')
  })

  it('is applied if the rules also see a contradiction, with their reason', () => {
    expect(follow(unsaid, old, { replaces: 0.5 }, { decision: seen })).toMatchObject({
      kind: 'update',
      supersedes: ['old'],
      reasons: [{ rule: 'contradicted', slot: slot.slot, oldValue: '9', newValue: '10' }],
      conflicts: [],
    })
  })

  it('stays open if nothing else supports it, however sure the judge is', () => {
    const open = { kind: 'add', conflicts: [{ memoryId: 'old', rule: 'judged' }], endings: [] }
    expect(follow(unsaid, old, { replaces: 1 })).toMatchObject(open)
    expect(follow(said, old, { replaces: 0.99 })).toMatchObject(open)
    expect(follow(said, old, { replaces: 0.5, ends: 0.5 })).toMatchObject(open)
    expect(follow(said, old, { ends: 0.35 })).toMatchObject(open)
  })

  it.each([
    ['has no word of the old one', "oops typo, it's blueparrot77", 'My gamertag is bluepeter77'],
    ['tells of one occasion', 'The standup got pushed to ten tomorrow', 'The standup is at nine'],
    ['is about one case', 'The limit was raised to 120 for tenant Basalt only', 'The limit is 50 for each tenant'],
  ])('stays open if the new text %s', (_what, text, before) => {
    const open = { kind: 'add', conflicts: [{ memoryId: 'old', rule: 'judged' }] }
    expect(follow(draftOf(text, { slots: [] }), knownOf(before, {}, []), { replaces: 1 })).toMatchObject(open)
  })

  it('stays open if the rules found a fact that the new text does not mention', () => {
    const more = knownOf('The standup is at nine in room 4', {}, [slot, { slot: 'ATTR|standup room', value: '4' }])
    expect(follow(said, more, { replaces: 0.998 })).toMatchObject({ kind: 'add', conflicts: [{ memoryId: 'old' }] })
  })

  it('stays open if the old text has several statements and the judge does not say which one ends', () => {
    const several = knownOf('The standup is at nine, and the retro is on Friday')
    expect(follow(said, several, { replaces: 0.998 })).toMatchObject({ kind: 'add', conflicts: [{ memoryId: 'old' }] })
  })

  it('names the clause with the old value if only the rules know it', () => {
    const content = 'The standup is at 9, and the retro is on Friday'
    const several = knownOf(content, {}, [slot, { slot: 'ATTR|retro', value: 'friday' }])
    const part = { start: 0, end: 'The standup is at 9'.length }
    expect(follow(unsaid, several, { replaces: 0.4 }, { decision: seen })).toMatchObject({
      conflicts: [{ rule: 'contradicted', parts: [part] }],
    })
  })

  it('stays open if the text speaks against a change', () => {
    const maybe = draftOf('The standup might be moved to ten')
    expect(follow(maybe, old, { replaces: 1 })).toMatchObject({ kind: 'add', conflicts: [{ rule: 'judged' }] })
    expect(follow(maybe, old, { replaces: 1 }, { decision: seen })).toMatchObject({
      kind: 'add',
      conflicts: [{ rule: 'contradicted' }],
    })
  })

  it('is not recorded below the chance of an open contradiction', () => {
    expect(follow(said, old, { replaces: 0.34, adds: 0.66 })).toEqual(added)
  })

  it('replaces a memory once, by the first draft that may', () => {
    const second = draftOf('The standup was moved to eleven')
    const opinions = [0, 1].map((draft) => opinionOn(old, { replaces: 1 }, { draft }))
    const decisions = followJudge([added, added], [said, second], opinions, having(old))
    expect(decisions.map(({ kind }) => kind)).toEqual(['update', 'add'])
    expect(decisions[1]).toEqual(added)
  })

  it('does not touch a memory that the same request repeats', () => {
    const repeated: Decision = { kind: 'noop', memoryId: 'old' }
    const drafts = [draftOf(old.memory.content), said]
    const opinions = [opinionOn(old, { replaces: 1 }, { draft: 1 })]
    expect(followJudge([repeated, added], drafts, opinions, having(old))).toEqual([repeated, added])
  })

  it('keeps what the rules replace besides', () => {
    const other = knownOf('The daily is at nine', { id: 'other' })
    const decision: Decision = { ...update, supersedes: ['other'], reasons: [{ ...conflict, memoryId: 'other' }] }
    const opinion = opinionOn(old, { replaces: 0.998 })
    const [result] = followJudge([decision], [said], [opinion], having(old, other))
    expect(result).toMatchObject({
      supersedes: ['other', 'old'],
      reasons: [{ memoryId: 'other' }, { memoryId: 'old' }],
    })
  })
})

describe('a change of a part', () => {
  const content = 'I live in Gothenburg, and I work at Volvo'
  const both = [
    { slot: 'LIVES_IN|me', value: 'gothenburg' },
    { slot: 'WORKS_AT|me', value: 'volvo' },
  ]
  const parts = [{ start: 0, end: 'I live in Gothenburg'.length }]
  const remaining = new Float32Array([1, 0])
  const moved = draftOf('I moved to Copenhagen')

  it('ends the words and their slot, keeps the others, and supersedes nothing', () => {
    const result = follow(moved, knownOf(content, {}, both), { replaces: 0.998 }, { parts, remaining })
    expect(result).toMatchObject({
      kind: 'add',
      conflicts: [{ memoryId: 'old', rule: 'judged', parts }],
      endings: [{ memoryId: 'old', ...parts[0], vector: remaining, slots: [both[1]] }],
    })
  })

  it('keeps a slot whose value is also among the words that remain', () => {
    const twice = knownOf('I live in Gothenburg, and Gothenburg is my home', {}, both.slice(0, 1))
    const result = follow(moved, twice, { replaces: 0.998 }, { parts, remaining })
    expect(result).toMatchObject({ endings: [{ slots: both.slice(0, 1) }] })
  })

  it('stays open without the vector of the text that remains', () => {
    const result = follow(moved, knownOf(content, {}, both), { replaces: 0.998 }, { parts })
    expect(result).toMatchObject({ kind: 'add', conflicts: [{ parts }], endings: [] })
  })

  it('names the part in an open contradiction', () => {
    const fresh = draftOf('I live in Copenhagen')
    const result = follow(fresh, knownOf(content, {}, both), { replaces: 0.9 }, { parts, remaining })
    expect(result).toMatchObject({ kind: 'add', conflicts: [{ rule: 'judged', parts }], endings: [] })
  })
})

describe('a repetition that the judge sees', () => {
  const home = knownOf('I live in Leeds with 2 cats, a green garden and a pond')
  const again = draftOf('Leeds is where me and my 2 cats have a home')
  const more = draftOf('Leeds is where I and my 2 cats have a home, near Tom and 3 pubs')
  const taken = { kind: 'update', supersedes: ['old'], reasons: [{ memoryId: 'old', rule: 'refined' }], conflicts: [] }

  it('is not stored again', () => {
    expect(follow(again, home, { same: 0.95 })).toEqual({ kind: 'noop', memoryId: 'old' })
  })

  it.each<[reason: string, draft: Draft, chances: Partial<Opinion['chances']>]>([
    ['it has another number and name', more, { same: 1 }],
    ['the judge is less sure', draftOf('Leeds is home to me, to 2 cats, a pond and a green garden'), { same: 0.9 }],
    ['the judge says that it says more', draftOf('Leeds, 2 cats, a garden: home'), { same: 0.4, refines: 0.5 }],
    ['it says that something changed', draftOf('Leeds, 2 cats, a garden, home now'), { same: 1 }],
  ])('takes the place of the old one if %s', (_, draft, chances) => {
    expect(follow(draft, home, chances)).toMatchObject(taken)
  })

  it('takes its place if it lives longer', () => {
    const passing = knownOf('I live in Leeds with 2 cats', { expiresAt: 500 })
    expect(follow(again, passing, { same: 1 })).toMatchObject(taken)
  })

  it('takes its place if it also replaces another memory', () => {
    const other = knownOf('I live in York', { id: 'other' })
    const decision: Decision = { ...update, supersedes: ['other'] }
    const result = followJudge([decision], [again], [opinionOn(home, { same: 1 })], having(home, other))
    expect(result).toMatchObject([{ kind: 'update', supersedes: ['other', 'old'] }])
  })

  it.each<[reason: string, draft: Draft, old: KnownMemory, same: number]>([
    ['the judge is not sure', again, home, 0.69],
    ['each has a number of its own', draftOf('In Leeds I keep 3 dogs'), home, 1],
    ['it has another value', draftOf('I work in Leeds with 2 cats, a green garden and a pond'), home, 1],
    ['it denies the old one', draftOf("I don't live in Leeds with 2 cats, a green garden and a pond"), home, 1],
    ['it asks', draftOf('Leeds is where I and my 2 cats have a home, right? Feed them'), home, 1],
    ['it is about another numbered thing', draftOf('Box 3 holds 9 pens'), knownOf('Box 4 holds 9 pens'), 1],
    [
      'a part of the old memory is outdated',
      again,
      knownOf(home.memory.content, {
        outdated: [{ start: 0, end: 15, since: 60, by: null }],
      }),
      1,
    ],
  ])('stays beside the old one if %s', (_, draft, known, same) => {
    expect(follow(draft, known, { same })).toEqual(added)
  })

  it('stays beside the old one if it says much less and the judge is less sure', () => {
    const rich = knownOf('I live in a big white house with a garden, a pond, apple trees and a view of the sea')
    expect(follow(draftOf('My house is white'), rich, { same: 0.9 })).toEqual(added)
  })

  it('stays beside the old one if it is trusted less, and no number or name is new', () => {
    const doubtful = { flagged: false, trustScore: 0.6 }
    expect(follow(more, home, { refines: 1 }, { screened: doubtful })).toEqual(added)
  })

  it('is stored if the rules see a contradiction', () => {
    expect(follow(again, home, { same: 1 }, { decision: seen })).toEqual(seen)
  })
})

describe('an opinion is void', () => {
  it('about a memory that has changed since', () => {
    expect(follow(said, old, { replaces: 1 }, { contentKey: 'another' })).toEqual(added)
  })

  it('about a memory that is not there any more', () => {
    const [result] = followJudge([added], [said], [opinionOn(old, { replaces: 1 })], having())
    expect(result).toEqual(added)
  })

  it('about a flagged memory, or from a flagged text', () => {
    expect(follow(said, knownOf('The standup is at nine', { flagged: true }), { replaces: 1 })).toEqual(added)
    expect(follow(said, old, { replaces: 1 }, { screened: { flagged: true, trustScore: 1 } })).toEqual(added)
  })

  it('about words of another speaker', () => {
    const ann = knownOf('Ann: I live in Leeds')
    const moved = 'I moved to York'
    expect(follow(draftOf(`Ben: ${moved}`), ann, { replaces: 1 })).toEqual(added)
    expect(follow(draftOf(moved), ann, { replaces: 1 })).toEqual(added)
    expect(follow(draftOf(`Ben: I live in Leeds`), ann, { same: 1 })).toEqual(added)
    expect(follow(draftOf(`Ann: ${moved}`), ann, { replaces: 1 })).toMatchObject({ kind: 'update' })
  })

  it('if the new text is older, or only a sentence of the old one', () => {
    expect(follow({ ...said, createdAt: 49 }, old, { replaces: 1 })).toEqual(added)
    const longer = knownOf('I moved to York. It rains there.')
    expect(follow(draftOf('I moved to York.'), longer, { replaces: 1 })).toEqual(added)
  })
})

describe('a change is left open', () => {
  it('if the new text is trusted less', () => {
    const doubtful = { flagged: false, trustScore: 0.6 }
    expect(follow(said, old, { replaces: 1 }, { screened: doubtful })).toMatchObject({
      kind: 'add',
      conflicts: [{ memoryId: 'old', rule: 'judged' }],
    })
    const equal = knownOf(old.memory.content, { trustScore: 0.6 })
    expect(follow(said, equal, { replaces: 1 }, { screened: doubtful })).toMatchObject({ kind: 'update' })
  })

  it('if the new text expires before the old one', () => {
    const brief = { ...said, expiresAt: 200 }
    expect(follow(brief, old, { replaces: 1 })).toMatchObject({ kind: 'add', conflicts: [{ rule: 'judged' }] })
    expect(follow(brief, knownOf(old.memory.content, { expiresAt: 150 }), { replaces: 1 })).toMatchObject({
      kind: 'update',
    })
  })
})

describe('a replacement by the rules', () => {
  const maybe = draftOf('Maybe the standup is at ten')

  it('stays open if the judge and the words speak against it', () => {
    expect(follow(maybe, old, { adds: 1 }, { decision: update })).toEqual({ ...added, conflicts: [conflict] })
  })

  it('is kept if only one of them does', () => {
    expect(follow(unsaid, old, { adds: 1 }, { decision: update })).toEqual(update)
    expect(follow(maybe, old, { replaces: 0.5 }, { decision: update })).toEqual(update)
  })

  it('is kept without opinions', () => {
    expect(followJudge([update], [maybe], [], having(old))).toEqual([update])
  })

  it('loses only the doubted memory', () => {
    const other = knownOf('The daily is at nine', { id: 'other' })
    const reasons = [conflict, { ...conflict, memoryId: 'other' }]
    const decision: Decision = { ...update, supersedes: ['old', 'other'], reasons }
    const [result] = followJudge([decision], [maybe], [opinionOn(old, { adds: 1 })], having(old, other))
    expect(result).toMatchObject({
      kind: 'update',
      supersedes: ['other'],
      reasons: [reasons[1]],
      conflicts: [conflict],
    })
  })

  it('comes from the same slots as without a judge', () => {
    const fresh = draftOf('The standup is at ten', { slots: [{ slot: slot.slot, value: '10' }] })
    const decisions = reconcile([fresh], having(old))
    expect(decisions).toMatchObject([{ kind: 'update', supersedes: ['old'] }])
    expect(followJudge(decisions, [fresh], [opinionOn(old, { replaces: 1 })], having(old))).toEqual(decisions)
  })
})

it('keeps a memory about another thing with a number, and records no contradiction', () => {
  const box = knownOf('Box 3 of Ana holds 21 marbles')
  expect(follow(draftOf('Box 8 of Ana now holds 56 marbles'), box, { replaces: 0.998 })).toEqual(added)
  expect(follow(draftOf('Box 3 of Ana now holds 56 marbles'), box, { replaces: 0.998 })?.kind).toBe('update')
})

describe('a text has the figures, names and labels of another one', () => {
  it.each([
    ['run B used seed 77, dropout 0.2', 'run A used seed 77', false],
    ['run A used seed 77, dropout 0.2', 'run A used seed 77', true],
    ['Seed 77 was that of run A.', 'run A used seed 77', true],
    ['Linen for ward D comes on Tuesdays', 'Linen for ward C comes on Tuesdays', false],
    ['It was cold and I wore a hat', 'it was cold when I left', true],
    ['we write it in C++ now', 'we write it in C# now', true],
    ['she is done at quarter past four', 'She finishes at 4.15', true],
    ['she is done at half past four', 'She finishes at 4.15', false],
    ['he comes at a quarter to one', 'He comes at 12:45', true],
    ["the wedding was in '78", 'We married in 1978', true],
    ['on the ninth of June', 'on 9 June', true],
    ['the eighth of June', 'on 9 June', false],
  ])('%s | %s', (content, other, expected) => {
    expect(hasFiguresAndNamesOf(content, other)).toBe(expected)
  })
})
