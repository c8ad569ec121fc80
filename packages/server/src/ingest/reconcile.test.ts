import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Slot } from '../core/entity.js'
import { contentKey, type Memory } from '../core/memory.js'
import type { KnownMemory, Recognised } from '../storage/ports/memory-reads.js'
import { type Draft, reconcile as reconcileAll } from './reconcile.js'

const slotsOf = (slots: Record<string, string>): Slot[] =>
  Object.entries(slots).map(([slot, value]) => ({ slot, value }))
const draft = (content: string, slots: Record<string, string> = {}, createdAt = 100): Draft => ({
  content,
  contentKey: contentKey(content),
  createdAt,
  expiresAt: null,
  slots: slotsOf(slots),
  flagged: false,
  trustScore: 1,
})
const known = (id: string, content: string, slots: Record<string, string> = {}, createdAt = 50): KnownMemory => {
  const memory: Memory = {
    id,
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
    createdAt,
    updatedAt: createdAt,
    expiresAt: null,
    supersededAt: null,
    supersededBy: null,
    supersedes: [],
    accessCount: 0,
    lastAccessed: null,
    entities: [],
  }
  return { memory, contentKey: contentKey(content), slots: slotsOf(slots) }
}
const having = (...memories: KnownMemory[]): Recognised => ({ revision: 1, sameContent: memories, sameSlot: memories })

/** Without the details of a decision. */
const reconcile = (drafts: readonly Draft[], recognised: Recognised, flagged = false, trustScore = 1) =>
  reconcileAll(
    drafts.map((each) => ({ ...each, flagged, trustScore })),
    recognised,
  ).map((decision) => {
    if (decision.kind === 'add') return { kind: decision.kind }
    return decision.kind === 'update' ? { kind: decision.kind, supersedes: decision.supersedes } : decision
  })
const decide = (fresh: Draft, ...known: KnownMemory[]) => reconcileAll([fresh], having(...known))[0]

const acme = known('mem_1', 'I work at Acme', { 'WORKS_AT|me': 'acme' })

describe('reconcile', () => {
  it('stores words that a flagged draft of the same request has, and replaces nothing by the flagged one', () => {
    const globex = draft('I work at Globex', { 'WORKS_AT|me': 'globex' })
    const decisions = reconcileAll([{ ...globex, flagged: true }, globex, globex], having(acme))
    expect(decisions).toMatchObject([
      { kind: 'add', conflicts: [] },
      { kind: 'update', supersedes: ['mem_1'] },
      { kind: 'noop-same-batch', index: 1 },
    ])
  })

  it('does not let a doubtful memory replace a more trusted one, and leaves the contradiction open', () => {
    const globex = draft('I work at Globex', { 'WORKS_AT|me': 'globex' })
    const [decision] = reconcileAll([{ ...globex, trustScore: 0.6 }], having(acme))
    expect(decision).toMatchObject({ kind: 'add', conflicts: [{ memoryId: 'mem_1', rule: 'contradicted' }] })
    expect(
      reconcile([draft('I work at Acme as an engineer', { 'WORKS_AT|me': 'acme' })], having(acme), false, 0.6),
    ).toEqual([{ kind: 'add' }])
    const doubtful = { ...acme, memory: { ...acme.memory, trustScore: 0.55 } }
    expect(reconcile([globex], having(doubtful), false, 0.6)).toEqual([{ kind: 'update', supersedes: ['mem_1'] }])
    expect(reconcile([globex], having(acme), false, 0.9)).toEqual([{ kind: 'update', supersedes: ['mem_1'] }])
  })

  it('does not let a flagged memory push a trusted one out of recall', () => {
    const globex = draft('I work at Globex', { 'WORKS_AT|me': 'globex' })
    expect(reconcile([globex], having(acme), true)).toEqual([{ kind: 'add' }])
    expect(reconcile([globex], having(acme), false)).toEqual([{ kind: 'update', supersedes: ['mem_1'] }])
    const flagged = { ...acme, memory: { ...acme.memory, id: 'mem_2', flagged: true } }
    const again = draft('I work at Acme')
    expect(reconcile([again], { revision: 1, sameContent: [flagged], sameSlot: [] })).toEqual([{ kind: 'add' }])
    expect(reconcile([again], having(acme, flagged))).toEqual([{ kind: 'noop', memoryId: 'mem_1' }])
    expect(reconcile([again], having(flagged), true)).toEqual([{ kind: 'noop', memoryId: 'mem_2' }])
  })

  it('does not let a memory that expires sooner replace a longer-lived one', () => {
    const globex = draft('I work at Globex', { 'WORKS_AT|me': 'globex' })
    const until = (expiresAt: number) => ({ ...globex, expiresAt })
    const ending = { ...acme, memory: { ...acme.memory, expiresAt: 500 } }
    expect(reconcile([until(999)], having(acme))).toEqual([{ kind: 'add' }])
    expect(reconcile([until(499)], having(ending))).toEqual([{ kind: 'add' }])
    for (const longer of [globex, until(500), until(501)])
      expect(reconcile([longer], having(ending))).toEqual([{ kind: 'update', supersedes: ['mem_1'] }])
  })

  it('adds a new memory', () => {
    expect(reconcile([draft('I like tea')], having())).toEqual([{ kind: 'add' }])
  })

  it('skips a known memory, ignoring case and full stop', () => {
    expect(reconcile([draft('i work at acme.', { 'WORKS_AT|me': 'acme' })], having(acme))).toEqual([
      { kind: 'noop', memoryId: 'mem_1' },
    ])
  })

  it('keeps one copy of a memory that a batch repeats', () => {
    expect(reconcile([draft('I like tea'), draft('Tom left'), draft('I like tea.')], having())).toEqual([
      { kind: 'add' },
      { kind: 'add' },
      { kind: 'noop-same-batch', index: 0 },
    ])
  })

  it('replaces a memory that it contradicts', () => {
    expect(reconcile([draft('I work at Globex', { 'WORKS_AT|me': 'globex' })], having(acme))).toEqual([
      { kind: 'update', supersedes: ['mem_1'] },
    ])
  })

  it('replaces a memory that it refines', () => {
    expect(reconcile([draft('I work at Acme as an engineer', { 'WORKS_AT|me': 'acme' })], having(acme))).toEqual([
      { kind: 'update', supersedes: ['mem_1'] },
    ])
  })

  it('does not let a fragment replace a longer memory, however its facts compare', () => {
    const longer = known('mem_1', 'Gina: Nice, your videos do well. Keep it up!', {
      'SAYS|keep it': 'yes',
      'WHEN|x': '2026',
    })
    const values = [{ 'SAYS|keep it': 'yes' }, { 'SAYS|keep it': 'yes', 'WHEN|x': '2026-05' }, { 'WHEN|x': '2025' }]
    for (const slots of values)
      expect(reconcile([draft('Gina: Keep it up!', slots)], having(longer))).toEqual([{ kind: 'add' }])
  })

  it('does not replace a memory whose words are only repeated beside other sentences', () => {
    const short = known('mem_1', 'Gina: Keep it up!', { 'SAYS|keep it': 'yes' })
    const longer = draft('Gina: Nice, your videos do well. Keep it up!', { 'SAYS|keep it': 'yes', 'SAYS|nice': 'yes' })
    expect(reconcile([longer], having(short))).toEqual([{ kind: 'add' }])
  })

  it('adds a memory that says the same in other words', () => {
    expect(reconcile([draft('Acme is my employer', { 'WORKS_AT|me': 'acme' })], having(acme))).toEqual([
      { kind: 'add' },
    ])
  })

  it('keeps an old memory that contains another fact', () => {
    const both = known('mem_2', 'I work at Acme and live in Rome', { 'WORKS_AT|me': 'acme', 'LIVES_IN|me': 'rome' })
    expect(reconcile([draft('I work at Globex', { 'WORKS_AT|me': 'globex' })], having(both))).toEqual([{ kind: 'add' }])
    expect(
      reconcile(
        [draft('I work at Globex, live in Rome', { 'WORKS_AT|me': 'globex', 'LIVES_IN|me': 'rome' })],
        having(both),
      ),
    ).toEqual([{ kind: 'update', supersedes: ['mem_2'] }])
  })

  it('does not let an older text replace a newer memory', () => {
    expect(reconcile([draft('I work at Globex', { 'WORKS_AT|me': 'globex' }, 10)], having(acme))).toEqual([
      { kind: 'add' },
    ])
    expect(reconcile([draft('I work at Globex', { 'WORKS_AT|me': 'globex' }, 50)], having(acme))).toEqual([
      { kind: 'update', supersedes: ['mem_1'] },
    ])
  })

  it('replaces every memory that it contradicts, each once', () => {
    const other = known('mem_3', 'My employer is Initech', { 'WORKS_AT|me': 'initech' })
    expect(
      reconcile(
        [draft('I work at Globex', { 'WORKS_AT|me': 'globex' }), draft('I work at Hooli', { 'WORKS_AT|me': 'hooli' })],
        having(acme, other, acme),
      ),
    ).toEqual([{ kind: 'update', supersedes: ['mem_1', 'mem_3'] }, { kind: 'add' }])
  })

  it('never replaces a memory that the same batch repeats', () => {
    expect(
      reconcile([draft('I work at Globex', { 'WORKS_AT|me': 'globex' }), draft('I work at Acme')], having(acme)),
    ).toEqual([{ kind: 'add' }, { kind: 'noop', memoryId: 'mem_1' }])
  })

  it('replaces no memory without slots', () => {
    expect(reconcile([draft('I work at Acme now')], having(known('mem_4', 'I work at Acme')))).toEqual([
      { kind: 'add' },
    ])
  })

  it('gives the reasons why a memory is replaced, and the conflicts of one that stays', () => {
    const globex = draft('I work at Globex', { 'WORKS_AT|me': 'globex' })
    const reason = { slot: 'WORKS_AT|me', oldValue: 'acme', newValue: 'globex', rule: 'contradicted' }
    expect(decide(globex, acme)).toMatchObject({ reasons: [{ memoryId: 'mem_1', ...reason }], conflicts: [] })
    const more = known('mem_2', 'I work at Acme with Tom', { 'WORKS_AT|me': 'acme', 'SAYS|with tom': 'yes' })
    expect(decide(globex, more)).toMatchObject({ kind: 'add', conflicts: [{ memoryId: 'mem_2', ...reason }] })
    const engineer = draft('I work at Acme as an engineer', { 'WORKS_AT|me': 'acme' })
    expect(decide(engineer, acme)).toMatchObject({ reasons: [{ memoryId: 'mem_1', rule: 'refined' }] })
  })

  it('distinguishes people with the same name', () => {
    const of = (who: string, town: string) => ({ 'WHO|anna': who, 'LIVES_IN|anna': town })
    const colleague = known('mem_5', 'My colleague Anna lives in Berlin', of("me's colleague", 'berlin'))
    const sister = known('mem_6', 'My sister Anna lives in Paris', of("me's sister", 'paris'))
    const moved = (slots: Record<string, string>) => draft('… moved to Rome', slots)
    expect(decide(moved(of("me's sister", 'rome')), colleague)).toMatchObject({ kind: 'add', doubtful: ['anna'] })
    expect(decide(moved(of("me's sister", 'rome')), colleague, sister)).toMatchObject({ supersedes: ['mem_6'] })
    expect(decide(moved({ 'LIVES_IN|anna': 'rome' }), colleague, sister)).toMatchObject({
      kind: 'add',
      conflicts: [],
      doubtful: ['anna'],
    })
    // There is only one Anna, so it must be she.
    expect(decide(moved({ 'LIVES_IN|anna': 'rome' }), sister)).toMatchObject({ supersedes: ['mem_6'], doubtful: [] })
    // An Anna about whom nothing else is known may be someone other than my sister.
    const anna = known('mem_7', 'Anna lives in Berlin', { 'LIVES_IN|anna': 'berlin' })
    expect(decide(moved(of("me's sister", 'rome')), anna)).toMatchObject({ kind: 'add' })
  })

  it('does not replace flagged memories, and does not count implied facts as contained', () => {
    const flagged = { ...acme, memory: { ...acme.memory, flagged: true } }
    expect(reconcile([draft('I work at Globex', { 'WORKS_AT|me': 'globex' })], having(flagged))).toEqual([
      { kind: 'add' },
    ])
  })

  it('does not treat a negation or a repetition as a refinement', () => {
    const plays = known('mem_8', 'I play tennis', { 'HOLDS|me|play tennis': 'yes' })
    const again = (content: string) => decide(draft(content, { 'HOLDS|me|play tennis': 'yes' }), plays)?.kind
    expect(again('I play tennis with Tom')).toBe('update')
    expect(again('I play tennis but not with Tom')).toBe('add')
    expect(again('I still play tennis with Tom')).toBe('add')
    expect(again('I play golf')).toBe('add')
  })

  it('decides for every draft, and supersedes no memory twice', () => {
    const value = fc.constantFrom('a', 'b', 'c')
    const slots = fc.dictionary(fc.constantFrom('x', 'y'), value, { maxKeys: 2 })
    const text = fc.constantFrom('one', 'one two', 'three', 'three two one', 'four')
    fc.assert(
      fc.property(
        fc.array(fc.record({ text, slots, at: fc.integer({ min: 0, max: 3 }) }), { maxLength: 6 }),
        fc.array(fc.record({ text, slots, at: fc.integer({ min: 0, max: 3 }) }), { maxLength: 6 }),
        (fresh, old) => {
          const drafts = fresh.map((one) => draft(one.text, one.slots, one.at))
          const decisions = reconcile(
            drafts,
            having(...old.map((one, index) => known(`mem_${index}`, one.text, one.slots, one.at))),
          )
          expect(decisions).toHaveLength(drafts.length)
          const superseded = decisions.flatMap((decision) => (decision.kind === 'update' ? decision.supersedes : []))
          expect(new Set(superseded).size).toBe(superseded.length)
        },
      ),
    )
  })
})
