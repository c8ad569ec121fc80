import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { divide, type Message, retoldTurn } from './divide.js'

/** A Saturday. */
const now = Date.UTC(2026, 10, 14, 10)
const split = (text: string) => divide({ content: text }, now)
const splitMessages = (messages: readonly Message[]) => divide({ messages }, now)
const contents = (text: string) => split(text).memories.map(({ content }) => content)

const scenarios: readonly [guarantee: string, text: string, memories: readonly string[]][] = [
  [
    'ends a sentence after a company where another begins',
    'John works at Acme Corp. Mary likes tea.',
    ['John works at Acme Corp.', 'Mary likes tea.'],
  ],
  ['keeps a company and what it does together', 'Acme Corp. makes anvils.', ['Acme Corp. makes anvils.']],
  ['keeps a short sentence as it is', '  John works at Acme Corp \n', ['John works at Acme Corp']],
  [
    'makes a memory a sentence',
    'Anna lives in Berlin. Her dog is called Rex. Tom plays the violin every day.',
    ['Anna lives in Berlin.', "Her (Anna's) dog is called Rex.", 'Tom plays the violin every day.'],
  ],
  [
    'survives titles, initials and abbreviations',
    'Dr. Smith met J. R. R. Tolkien at 5 p.m. in the U.S. Army museum. I bring fruit, e.g. Granny Smith apples.',
    ['Dr. Smith met J. R. R. Tolkien at 5 p.m. in the U.S. Army museum.', 'I bring fruit, e.g. Granny Smith apples.'],
  ],
  [
    'ends a sentence after an abbreviation when a new one starts',
    'We sell tea, coffee, etc. My brother runs Acme Inc. I run the shop.',
    ['We sell tea, coffee, etc.', 'My brother runs Acme Inc.', 'I run the shop.'],
  ],
  [
    'survives decimals, addresses and mail',
    'Pi is 3.14 today. See https://example.com/?q=a!b&x=1.5 for more. Write to a.b@example.org when ready!',
    [
      'Pi is 3.14 today (14 November 2026).',
      'See https://example.com/?q=a!b&x=1.5 for more.',
      'Write to a.b@example.org when ready!',
    ],
  ],
  [
    'survives ellipses and quotes',
    'Well... I think so too. "Stop right there!" he said to me. I asked "Why now?" and left.',
    ['Well... I think so too.', '"Stop right there!" he said to me.', 'I asked "Why now?" and left.'],
  ],
  ['joins thanks to the next when it comes first', 'Thanks! I moved to Paris.', ['Thanks! I moved to Paris.']],
  ['joins short answers to the one before', 'I moved to Paris. Yes. Really.', ['I moved to Paris. Yes. Really.']],
  [
    'keeps a list with its lead-in',
    'Shopping for Sunday:\n- two dozen fresh eggs\n- a bottle of milk\n1. bread\n\nAnna likes tea very much.',
    ['Shopping for Sunday: - two dozen fresh eggs - a bottle of milk 1. bread', 'Anna likes tea very much.'],
  ],
  [
    'takes items without a lead-in apart, bullets away',
    '- I work at Acme Corp\n- I live in Berlin now',
    ['I work at Acme Corp', 'I live in Berlin now'],
  ],
  [
    'keeps numbered items whole',
    'My three goals are:\n1. Learn to swim. It is fun.\n2. Visit Rome.',
    ['My three goals are: 1. Learn to swim. It is fun. 2. Visit Rome.'],
  ],
  [
    'keeps code as it is, with the sentence before',
    'Run this to start:\n```sh\nnpm ci\n  npm   start\n```\nThe port is 8787 by default.',
    ['Run this to start:\n```sh\nnpm ci\n  npm   start\n```', 'The port is 8787 by default.'],
  ],
  [
    'puts hard-wrapped lines together',
    'This is my long line of text that was wrapped\nby an editor in the middle. Tom likes tea a lot.',
    ['This is my long line of text that was wrapped by an editor in the middle.', 'Tom likes tea a lot.'],
  ],
  [
    'takes lines apart',
    'Anna likes green tea\nTom likes black coffee',
    ['Anna likes green tea', 'Tom likes black coffee'],
  ],
  ['reads Chinese', '我住在北京的海淀区。我喜欢喝绿茶和咖啡。', ['我住在北京的海淀区。', '我喜欢喝绿茶和咖啡。']],
  ['reads Hindi', 'मैं दिल्ली में रहता हूँ। मुझे चाय बहुत पसंद है।', ['मैं दिल्ली में रहता हूँ।', 'मुझे चाय बहुत पसंद है।']],
  [
    'reads Arabic',
    'أعيش في مدينة القاهرة. هل تحب القهوة كثيرا؟ نعم أحبها جدا.',
    ['أعيش في مدينة القاهرة.', 'هل تحب القهوة كثيرا؟', 'نعم أحبها جدا.'],
  ],
  ['makes nothing of nothing', '', []],
  ['makes nothing of white space', ' \n\t ', []],
]

function expectWhole(text: string) {
  const { segments, memories } = split(text)
  expect(segments.join('')).toBe(text)
  const covered = new Set<number>()
  for (const {
    content,
    segments: [first, last],
  } of memories) {
    if (content.trim() !== content || content === '' || content.length > 1_400) expect.fail(`content: ${content}`)
    for (let index = first; index <= last; index += 1) covered.add(index)
  }
  expect(segments.filter((segment, index) => segment.trim() !== '' && !covered.has(index))).toEqual([])
}

const snippet = fc.constantFrom(
  'Dr. ',
  'Yes. ',
  'He left. ',
  '- item\n',
  '1. ',
  '\n\n',
  '```\n',
  'x:\n',
  '。',
  '… ',
  '😀',
  '\ud83d',
  '\u0301',
  'word ',
  'https://a.b/?c ',
)
const messy = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.array(fc.oneof(snippet, fc.string({ maxLength: 8 })), { maxLength: 60 }).map((parts) => parts.join('')),
)

describe('split', () => {
  it.each(scenarios)('%s', (_guarantee, text, memories) => {
    expect(contents(text)).toEqual(memories)
    expectWhole(text)
  })

  it('loses no character and no sentence of any text', () => {
    fc.assert(fc.property(messy, expectWhole))
    fc.assert(
      fc.property(messy, fc.integer({ min: 20, max: 200 }), (text, times) =>
        expectWhole(text.repeat(times).slice(0, 12_000)),
      ),
      { numRuns: 30 },
    )
  })

  it('packs long text into memories of about 600 characters', () => {
    const text = Array.from(
      { length: 200 },
      (_, index) => `Person number ${index} likes the colour blue very much.`,
    ).join(' ')
    const { memories } = split(text)
    expect(memories.length).toBeLessThan(30)
    for (const { content } of memories.slice(0, -1)) expect(content.length).toBeGreaterThan(450)
    expectWhole(text)
  })

  it('cuts an endless sentence at white space, and keeps characters whole', () => {
    for (const { content } of split(`${'word '.repeat(900)}end`).memories)
      expect(content).toMatch(/^word(?: word)*(?: end)?$/)
    const family = '👨‍👩‍👧'
    for (const { content } of split(family.repeat(400)).memories) expect(content.length % family.length).toBe(0)
  })

  it.each(['a', ' a', '.', '. ', '😀', '\n', ' ', 'A. ', 'e.g. ', '- a\n', '```\n', 'a:\n', 'He. ', 'a\u0301'])(
    'takes 50,000 characters of %j',
    (unit) => {
      expectWhole(unit.repeat(Math.ceil(50_000 / unit.length)))
    },
  )
})

describe('splitMessages', () => {
  it('prefixes who speaks, keeps turns apart and the text whole', () => {
    const turns = [
      { role: 'user', content: 'I work at Acme Corp. It is great.', createdAt: 5 },
      { role: 'assistant', content: 'And where do you live now?' },
      { role: 'user', content: 'He lives in Berlin.', name: ' Anna\nB ' },
      { role: 'tool', content: '21 degrees in Berlin.' },
      { role: 'user', content: '' },
    ] as const
    const { segments, memories } = splitMessages(turns)
    expect(segments.join('')).toBe(turns.map(({ content }) => content).join('\n'))
    expect(memories.map(({ content, role, speaker, createdAt }) => [content, role, speaker, createdAt])).toEqual([
      ['I work at Acme Corp. It is great.', 'user', null, 5],
      ['Assistant: And where do you live now?', 'assistant', null, null],
      ['Anna B: He lives in Berlin.', 'user', ' Anna\nB ', null],
      ['Tool: 21 degrees in Berlin.', 'tool', null, null],
    ])
    for (const {
      content,
      segments: [first, last],
    } of memories) {
      const original = segments
        .slice(first, last + 1)
        .join('')
        .trim()
      expect(content.endsWith(original)).toBe(true)
    }
  })

  it('tells the turn before, and tells it again from the kept text and a memory made from it', () => {
    const turns = [
      { role: 'user', content: 'Do you ski?\nI hope\n  you do. Or skate.', name: 'Bo  B' },
      { role: 'assistant', content: '- Yes, in May and in June' },
      { role: 'user', content: 'I see, then we can go there together.' },
      { role: 'tool', content: `${'21 degrees. '.repeat(200)}` },
      { role: 'user', content: 'Hot.', name: 'Bo' },
    ] as const
    const { segments, memories } = splitMessages(turns)
    const retold = turns.map(({ content }, turn) => {
      const from = segments.flatMap((segment, position) => (segment === '\n' ? [position] : []))
      const [first, last] = [(from[turn - 1] ?? -1) + 1, (from[turn] ?? segments.length) - 1]
      const made = memories.find(({ segments: range }) => range[0] >= first && range[1] <= last)
      const text = made ? segments.slice(made.segments[0], made.segments[1] + 1).join('') : ''
      return retoldTurn({ text: content, memory: made ? { content: made.content, text } : null })
    })
    expect(retold.slice(0, 2)).toEqual([
      'Bo B: Do you ski? I hope you do. Or skate.',
      'Assistant: - Yes, in May and in June',
    ])
    for (const { before, segments: range } of memories) {
      const turn = segments.slice(0, range[0]).filter((segment) => segment === '\n').length
      expect(before).toBe(turn === 0 ? null : retold[turn - 1])
    }
  })

  it('tells a turn again without a name where no memory tells it', () => {
    expect(retoldTurn({ text: ' Do you\nski? ', memory: null })).toBe('Do you ski?')
    expect(retoldTurn({ text: 'Do you ski?', memory: { content: 'Bo asked', text: 'Do you ski?' } })).toBe(
      'Do you ski?',
    )
    expect(retoldTurn({ text: 'ski?', memory: { content: 'Nobody ski?', text: 'ski?' } })).toBe('ski?')
    expect(retoldTurn({ text: 'x', memory: { content: 'Bo: x', text: ' ' } })).toBe('x')
  })

  it('takes no turns', () => {
    expect(splitMessages([])).toEqual({ segments: [], memories: [] })
  })
})
