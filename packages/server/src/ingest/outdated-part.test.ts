import { describe, expect, it } from 'vitest'
import { wordRanges } from '../models/judge/judgement.js'
import { outdatedPart, partStating, saysMoreThan } from './outdated-part.js'

/** Words in brackets are outdated for the model: `I live in [Gothenburg]`. */
function judged(marked: string, chance = 0.9, other = 0.1) {
  const content = marked.replace(/[[\]]/g, '')
  const ranges: { start: number; end: number }[] = []
  let removed = 0
  for (const match of marked.matchAll(/\[([^\]]*)\]/g)) {
    const start = match.index - removed
    ranges.push({ start, end: start + (match[1]?.length ?? 0) })
    removed += 2
  }
  const isMarked = (start: number, end: number) => ranges.some((range) => range.start < end && range.end > start)
  const words = wordRanges(content).map(({ start, end }) => ({
    start,
    end,
    outdated: isMarked(start, end) ? chance : other,
  }))
  return { content, words }
}

/** The outdated words; null: all of them. */
function partsOf(marked: string, gone: readonly string[] = [], chance?: number, other?: number) {
  const { content, words } = judged(marked, chance, other)
  const ranges = gone.map((text) => ({ start: content.indexOf(text), end: content.indexOf(text) + text.length }))
  return outdatedPart(content, words, ranges)?.map(({ start, end }) => content.slice(start, end)) ?? null
}

describe('the outdated part', () => {
  it('is rounded to a clause or a list item', () => {
    expect(partsOf("I'm 34, [live in Gothenburg], and have two kids")).toEqual(['live in Gothenburg'])
    expect(partsOf('We use Jest; [CI runs on] Travis now; releases are weekly')).toEqual(['CI runs on Travis now'])
    expect(partsOf('My sister (she is a [nurse]) lives in Oslo')).toEqual(['she is a nurse'])
    expect(partsOf('Ann has a dog – [a poodle] – and she loves it')).toEqual(['a poodle'])
  })

  it('is a sentence of several', () => {
    expect(partsOf('I work at Volvo. [My boss is Lena.] I cycle to work.')).toEqual(['My boss is Lena'])
  })

  it('does not end at a decimal point, a time or a thousands separator', () => {
    expect(partsOf('[The fee is 3.5 percent of 1,200 at 10:30], and Ann pays it')).toEqual([
      'The fee is 3.5 percent of 1,200 at 10:30',
    ])
  })

  it('joins neighbours, and is one range: the likeliest', () => {
    expect(partsOf('I like tea, [I live in Leeds, and I rent a flat], and I play chess')).toEqual([
      'I live in Leeds, and I rent a flat',
    ])
    expect(partsOf('[I live in Leeds.] [I rent a flat.] I play chess well.')).toEqual([
      'I live in Leeds. I rent a flat',
    ])
    expect(partsOf('[I live in Leeds], I play chess, [I rent a flat]')).toEqual(['I live in Leeds'])
  })

  it('does not end after a title, and is no greeting', () => {
    expect(partsOf('[my dentist is Dr. Berglund], I take Welsh lessons')).toEqual(['my dentist is Dr. Berglund'])
    expect(partsOf('[Hi!] [I do yoga on Mondays] and I am 41')).toEqual(['I do yoga on Mondays'])
    expect(partsOf('[Hi!] I do yoga on Mondays and [I am 41]')).toEqual(['I am 41'])
  })

  it('is everything if nothing that remains says something', () => {
    expect(partsOf('[My dentist is Dr. Berglund]')).toBeNull()
    expect(partsOf('Hi! [I live in Leeds.]')).toBeNull()
    expect(partsOf('Ann: [I live in Leeds.]')).toBeNull()
    expect(partsOf('[I live in Leeds, I rent a flat]')).toBeNull()
  })

  it('is the likeliest fragment if none is likely', () => {
    expect(partsOf('I play chess, [I live in Leeds], I have a cat', [], 0.3, 0.1)).toEqual(['I live in Leeds'])
  })

  it('is among the words that are not outdated yet', () => {
    const text = "I'm 34 years old, live in Gothenburg, [work at Volvo], and have two kids"
    expect(partsOf(text, ['live in Gothenburg'])).toEqual(['work at Volvo'])
    expect(partsOf('I live in Gothenburg, [I work at Volvo]', ['I live in Gothenburg'])).toBeNull()
    expect(
      partsOf('[I live in Gothenburg], I work at Volvo, I have a cat', ['I live in Gothenburg'], 0.9, 0.6),
    ).toBeNull()
  })

  it('is everything if every fragment is outdated already', () => {
    expect(partsOf('[I live in Gothenburg]', ['I live in Gothenburg'])).toBeNull()
  })

  it('counts in UTF-16 units, so emoji before it do not shift it', () => {
    const { content, words } = judged('👋🏽 Hi 👩‍👩‍👧 family, [I live in Malmö 🏠], and I sing 🎶 a lot')
    const parts = outdatedPart(content, words)
    const text = 'I live in Malmö 🏠'
    expect(parts).toEqual([{ start: content.indexOf(text), end: content.indexOf(text) + text.length }])
  })

  it('exists for content without words', () => {
    expect(outdatedPart('🏠', [])).toBeNull()
    expect(outdatedPart('', [])).toBeNull()
  })
})

describe('the part that states a value', () => {
  const content = 'Hi! I have a job at Renault, I am allergic to shellfish and my husband Luca cooks.'
  const statedIn = (value: string, text = content) =>
    partStating(text, value)?.map(({ start, end }) => text.slice(start, end)) ?? null

  it('is the clause with its words', () => {
    expect(statedIn('renault')).toEqual(['I have a job at Renault'])
    expect(statedIn('allergic shellfish')).toEqual(['I am allergic to shellfish'])
  })

  it('is everything if the value is elsewhere, empty, or all that is said', () => {
    expect(statedIn('spotify')).toBeNull()
    expect(statedIn('')).toBeNull()
    expect(statedIn('-')).toBeNull()
    expect(statedIn('oslo', 'I live in Oslo.')).toBeNull()
  })
})

describe('saysMoreThan', () => {
  it.each([
    ['the rent is £900, paid on the 1st to Mr Khan', 'the rent is £950 now'],
    ["wedding is 5 june at Coombe Lodge, caterer is Bella's, 80 guests", 'wedding moved to 12 june'],
    ['dentist is 3 dec at 9, Mr Shah, take the referral letter', 'dentist moved to 10 dec'],
    ['The standup is at nine, and the retro is on Friday', 'The standup moved to ten'],
    ['yoga is on mondays, £6', 'yoga is on wednesdays now'],
    ['I live in Leeds and have two black cats', 'I live in York now'],
    ['my cat is rex and she is deaf', 'my cat is tom now'],
    ['The rent is 900, 5 rooms', 'The rent is 950 now'],
    ['Ich wohne in Berlin und arbeite bei Siemens', 'Ich wohne jetzt in Hamburg'],
    ['我住在北京，在谷歌工作', '我现在住在上海'],
  ])('is true if another part tells something: %s / %s', (old, fresh) => {
    expect(saysMoreThan(old, fresh)).toBe(true)
  })

  it.each([
    ['My favourite colour is blue.', 'My favourite colour is green now.'],
    ['I live in Malmö, Sweden', 'I live in Oslo now'],
    ['My dentist is Dr. Bergström.', 'My dentist is Dr. Berglund.'],
    ['Hi! I work at Acme.', 'I work at Globex now.'],
    ["I'm flying to Rome on Friday (20 November 2026).", 'My trip to Rome is cancelled.'],
    ['We moved in last week (week of 9 November 2026)', 'We moved out'],
    ['The meeting is at 10:00, I think', 'The meeting is at 11:00'],
    ['My address is 12 High Street, Leeds, LS1 4AB', 'My address is 4 Low Road, York, YO1 7AA'],
    ['I live in Leeds. Bob is my boss.', 'i live in york, bob is my boss'],
    ['The train leaves at 9, from platform 4', 'The train leaves at 10, from platform 4'],
  ])('is false if nothing is lost: %s / %s', (old, fresh) => {
    expect(saysMoreThan(old, fresh)).toBe(false)
  })
})
