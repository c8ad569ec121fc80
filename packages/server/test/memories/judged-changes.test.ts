/** Which memories the judge is asked about when something is stored, and what follows from its opinion. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Judgement, PairToJudge, Relation } from '../../src/models/judge/judgement.js'
import { wordRanges } from '../../src/models/judge/judgement.js'
import { hourMs, manualClock, startService, type TestService } from '../support/harness.js'

interface Contradiction {
  readonly status: string
  readonly old: { readonly content: string }
  readonly new: { readonly content: string }
}

const ana = { user_id: 'ana' }
const old = 'The parcel is with the neighbours'
const fresh = 'The parcel was moved to the shop'

let service: TestService
/** Everything that the judge was asked. */
let asked: PairToJudge[] = []
let opinion: (pair: PairToJudge) => Relation | Promise<Relation>
/** The chance that a text changes something, as the judge sees it. */
let changes = 1
const judgementOf = (relation: Relation, text: string): Judgement => ({
  chances: { same: 0, refines: 0, replaces: 0, ends: 0, adds: 0, unrelated: 0, [relation]: 1 },
  words: wordRanges(text).map((range) => ({ ...range, outdated: 1 })),
})

beforeEach(async () => {
  asked = []
  opinion = () => 'unrelated'
  changes = 1
  service = await startService({
    clock: manualClock(),
    languageModel: null,
    judge: {
      modelId: 'scripted',
      judge: async (pairs) => {
        asked.push(...pairs)
        return Promise.all(pairs.map(async (pair) => judgementOf(await opinion(pair), pair.old)))
      },
      weigh: async (turns) => turns.map(() => ({ worth: 1, changes })),
      close: async () => undefined,
    },
  })
})
afterEach(() => service.close())

const contradictions = async () =>
  (await service.ok<{ contradictions: readonly Contradiction[] }>('GET', '/contradictions', { query: ana }))
    .contradictions

describe('the judge is asked', () => {
  it('about the latest memories as their continuation, up to six hours later', async () => {
    await service.storeOne({ ...ana, content: old })
    service.clock.advance(6 * hourMs)
    await service.storeOne({ ...ana, content: 'Somebody signed for it' })
    const pair = { old, fresh: 'Somebody signed for it' }
    // A short text may also be a statement of its own.
    expect(asked).toEqual([
      { ...pair, follows: true },
      { ...pair, follows: false },
    ])
  })

  it('about similar memories of any age, and not as their continuation', async () => {
    await service.storeOne({ ...ana, content: old })
    service.clock.advance(24 * hourMs)
    await service.storeOne({ ...ana, content: fresh })
    expect(asked).toEqual([{ old, fresh, follows: false }])
  })

  it('not about the latest memories if a text stands by itself and others are closer', async () => {
    changes = 0
    await service.storeOne({ ...ana, content: 'The blue bicycle stands in the cellar behind the boxes' })
    service.clock.advance(24 * hourMs)
    await service.storeOne({ ...ana, content: 'Grandfather plays chess with his friends at the club' })
    await service.storeOne({ ...ana, content: 'The red bicycle stands in the garage behind the wooden boxes' })
    const ofLast = asked.filter(({ old: text }) => text.startsWith('Grandfather'))
    expect(ofLast).toEqual([])
    await service.storeOne({ ...ana, content: 'No, that one is in the cellar with the blue bicycle and the boxes' })
    expect(asked.at(-1)).toMatchObject({ follows: true })
    expect(asked.filter(({ old: text }) => text.startsWith('Grandfather'))).toHaveLength(1)
  })

  it('about memories that are less close if a text alone seems to change something', async () => {
    const places = ['hall', 'cellar', 'garage', 'attic', 'garden', 'kitchen', 'shed']
    const others = places.map(
      (place, at) => `The ${['dog', 'piano', 'ladder', 'trunk', 'hose', 'kettle', 'mower'][at]} is in the ${place}`,
    )
    for (const content of others) await service.storeOne({ ...ana, content })
    service.clock.advance(24 * hourMs)
    const askedOf = async (content: string) => {
      await service.storeOne({ ...ana, content })
      return asked.filter(({ fresh: text }) => text === content).length
    }
    changes = 0
    const calm = await askedOf('The plumber is in the hall with a long pipe')
    changes = 1
    expect(await askedOf('A plumber is in the hall with a long pipe')).toBeGreaterThan(calm)
  })

  it('about nothing of another user or another project', async () => {
    await service.storeOne({ user_id: 'ben', content: old })
    await service.storeOne({ ...ana, content: old, project: 'home' })
    await service.storeOne({ ...ana, content: fresh })
    await service.storeOne({ ...ana, content: fresh, project: 'work' })
    expect(asked).toEqual([])
  })

  it('about at most 32 pairs per request', async () => {
    const messages = (from: number) =>
      Array.from({ length: 40 }, (_, at) => ({ role: 'user', content: `The parcel for flat ${from + at} is here` }))
    await service.store({ ...ana, messages: messages(0) })
    asked = []
    await service.store({ ...ana, messages: messages(100) })
    expect(asked).toHaveLength(32)
  })

  it('about no pair whose judgement cannot matter', async () => {
    await service.storeOne({ ...ana, content: 'Parcel 7 is with the neighbours' })
    await service.storeOne({ ...ana, content: 'Parcel 8 is with the neighbours' })
    expect(asked).toEqual([])
    // What the rules take for a change stays open if the model does not see it too.
    await service.storeOne({ ...ana, content: 'Parcel 9 is perhaps with the neighbours' })
    expect(asked.length).toBeGreaterThan(0)
  })
})

describe('what the judge says', () => {
  it('counts if one of two readings sees a change', async () => {
    await service.storeOne({ ...ana, content: old })
    opinion = ({ follows }) => (follows ? 'adds' : 'replaces')
    const content = 'It was moved to the shop'
    // Both stay: the new one alone does not say what was moved.
    expect(await service.storeOne({ ...ana, content })).toMatchObject({ action: 'ADD' })
    expect(await contradictions()).toMatchObject([{ status: 'open', old: { content: old }, new: { content } }])
  })

  it('replaces the old memory if the new one says that something changed', async () => {
    const { id } = await service.storeOne({ ...ana, content: old })
    opinion = () => 'replaces'
    expect(await service.storeOne({ ...ana, content: fresh })).toMatchObject({ action: 'UPDATE', supersedes: [id] })
    expect(await contradictions()).toMatchObject([{ status: 'applied', old: { content: old } }])
  })

  it('is only an open contradiction otherwise, and the newer memory is recalled first', async () => {
    await service.storeOne({ ...ana, content: old })
    opinion = () => 'replaces'
    const content = 'The parcel is at the shop'
    expect(await service.storeOne({ ...ana, content })).toMatchObject({ action: 'ADD' })
    expect(await contradictions()).toMatchObject([{ status: 'open', old: { content: old }, new: { content } }])
    const { memories } = await service.recall({ ...ana, query: old })
    expect(memories.map((memory) => memory.content)).toEqual([content, old])
  })

  it('lets the older memory lead where the question asks how it was before', async () => {
    opinion = () => 'replaces'
    const [pink, blue] = ['The spare key hangs in the pink shed', 'The spare key hangs in the blue house']
    await service.storeOne({ ...ana, content: pink })
    service.clock.advance(24 * hourMs)
    await service.storeOne({ ...ana, content: blue })
    expect((await contradictions()).map(({ status }) => status)).toEqual(['open'])
    const first = async (query: string) => (await service.recall({ ...ana, query })).memories[0]?.content
    expect(await first('Which house or shed has the spare key?')).toBe(blue)
    expect(await first('Where was the spare key before the blue house?')).toBe(pink)
  })

  it('is void if the old memory has changed while the judge was asked', async () => {
    const { id } = await service.storeOne({ ...ana, content: old })
    const content = 'The bike is in the shed'
    opinion = async (): Promise<Relation> => {
      await service.ok('PUT', `/memories/${id}`, { body: { content } })
      return 'replaces'
    }
    expect(await service.storeOne({ ...ana, content: fresh })).toMatchObject({ action: 'ADD' })
    expect(await contradictions()).toEqual([])
    expect(await service.memory(id)).toMatchObject({ content })
  })

  it('is missing if it fails: rules still find changes, and the failure is logged', async () => {
    opinion = () => {
      throw new Error('out of memory')
    }
    const { id } = await service.storeOne({ ...ana, content: 'John works at Acme Corp' })
    service.clock.advance(hourMs)
    const second = await service.storeOne({ ...ana, content: 'John works at Globex' })
    expect(second).toMatchObject({ action: 'UPDATE', supersedes: [id] })
    expect(service.logLines.join('\n')).toContain('the judging model failed')
  })
})
