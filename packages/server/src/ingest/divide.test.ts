import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { allSteps, divide } from './divide.js'
import { contextOf } from './embedding-text.js'
import { isSmallTalk } from './small-talk.js'
import { type Message, retoldTurn } from './turns.js'

/** A Saturday. */
const now = Date.UTC(2026, 10, 14, 10)
const nothing = { segments: [], memories: [], chatter: new Set(), turns: [], continues: false }
/** Sentence by sentence: a short text on one line is otherwise one memory, like a turn of a dialogue. */
const split = (text: string) => divide({ content: text }, now, { ...allSteps, turnLength: 0 })
const splitMessages = (messages: readonly Message[]) => divide({ messages }, now)
const contents = (text: string) => split(text).memories.map(({ content }) => content)

const scenarios: readonly [guarantee: string, text: string, memories: readonly string[]][] = [
  [
    'ends a sentence after a company name if another sentence starts',
    'John works at Acme Corp. Mary likes tea.',
    ['John works at Acme Corp.', 'Mary likes tea.'],
  ],
  ['does not split after a company name inside a sentence', 'Acme Corp. makes anvils.', ['Acme Corp. makes anvils.']],
  ['keeps a short sentence unchanged', '  John works at Acme Corp \n', ['John works at Acme Corp']],
  [
    'makes one memory per sentence',
    'Anna lives in Berlin. Her dog is called Rex. Tom plays the violin every day.',
    ['Anna lives in Berlin.', "Her (Anna's) dog is called Rex.", 'Tom plays the violin every day.'],
  ],
  [
    'does not split at titles, initials and abbreviations',
    'Dr. Smith met J. R. R. Tolkien at 5 p.m. in the U.S. Army museum. I bring fruit, e.g. Granny Smith apples.',
    ['Dr. Smith met J. R. R. Tolkien at 5 p.m. in the U.S. Army museum.', 'I bring fruit, e.g. Granny Smith apples.'],
  ],
  [
    'ends a sentence after an abbreviation when a new one starts',
    'We sell tea, coffee, etc. My brother runs Acme Inc. I run the shop.',
    ['We sell tea, coffee, etc.', 'My brother runs Acme Inc.', 'I run the shop.'],
  ],
  [
    'does not split at decimals, URLs and email addresses',
    'Pi is 3.14 today. See https://example.com/?q=a!b&x=1.5 for more. Write to a.b@example.org when ready!',
    [
      'Pi is 3.14 today (14 November 2026).',
      'See https://example.com/?q=a!b&x=1.5 for more.',
      'Write to a.b@example.org when ready!',
    ],
  ],
  [
    'handles ellipses and quotes',
    'Well... I paint as well. "Stop right there!" he said to me. I asked "Why now?" and left.',
    ['Well... I paint as well.', '"Stop right there!" he said to me.', 'I asked "Why now?" and left.'],
  ],
  ['joins leading thanks to the next sentence', 'Thanks! I moved to Paris.', ['Thanks! I moved to Paris.']],
  [
    'joins short answers to the previous sentence',
    'I moved to Paris. Yes. Really.',
    ['I moved to Paris. Yes. Really.'],
  ],
  [
    'keeps a list with its lead-in',
    'Shopping for Sunday:\n- two dozen fresh eggs\n- a bottle of milk\n1. bread\n\nAnna likes tea very much.',
    ['Shopping for Sunday: - two dozen fresh eggs - a bottle of milk 1. bread', 'Anna likes tea very much.'],
  ],
  [
    'splits list items without a lead-in and removes bullets',
    '- I work at Acme Corp\n- I live in Berlin now',
    ['I work at Acme Corp', 'I live in Berlin now'],
  ],
  [
    'keeps numbered items whole',
    'My three goals are:\n1. Learn to swim. It is fun.\n2. Visit Rome.',
    ['My three goals are: 1. Learn to swim. It is fun. 2. Visit Rome.'],
  ],
  [
    'keeps a number that starts a text and is not in a list',
    '97. My mum won half the battle.',
    ['97. My mum won half the battle.'],
  ],
  ['keeps a number that starts a line', '2) is my favourite option', ['2) is my favourite option']],
  [
    'keeps numbers that do not follow each other',
    '12. That is my lucky number.\n40. That is my age.',
    ['12. That is my lucky number.', '40. That is my age.'],
  ],
  [
    'removes consecutive numbers of a list',
    '1. I work at Acme Corp.\n\n2. I live in Berlin now\n3) I like tea very much',
    ['I work at Acme Corp.', 'I live in Berlin now', 'I like tea very much'],
  ],
  [
    'keeps code unchanged, with the sentence before it',
    'Run this to start:\n```sh\nnpm ci\n  npm   start\n```\nThe port is 8787 by default.',
    ['Run this to start:\n```sh\nnpm ci\n  npm   start\n```', 'The port is 8787 by default.'],
  ],
  [
    'joins hard-wrapped lines',
    'This is my long line of text that was wrapped\nby an editor in the middle. Tom likes tea a lot.',
    ['This is my long line of text that was wrapped by an editor in the middle.', 'Tom likes tea a lot.'],
  ],
  [
    'splits separate lines',
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
  [
    'keeps a quotation and its sentence together',
    '“I am leaving. Do not wait,” she said. Tom closed the door behind Maria.',
    ['“I am leaving. Do not wait,” she said.', 'Tom closed the door behind Maria.'],
  ],
  [
    'does not split at ordinal dates',
    'Am 3. Mai ziehen wir um. Meine Frau arbeitet bei Siemens.',
    ['Am 3. Mai ziehen wir um.', 'Meine Frau arbeitet bei Siemens.'],
  ],
  [
    'splits sentences that start in lower case',
    'i live in paris. i work as a cook, e.g. in bars. my dog is rex!',
    ['i live in paris.', 'i work as a cook, e.g. in bars.', 'my dog is rex!'],
  ],
  [
    'keeps indented code unchanged',
    'Run these lines every day:\n\n    npm ci\n    npm   start. Now\n\nThe port is 8787 by default.',
    ['Run these lines every day:\n    npm ci\n    npm   start. Now', 'The port is 8787 by default.'],
  ],
  ['reads Japanese', '日本に住んでいます。仕事はエンジニアです。', ['日本に住んでいます。', '仕事はエンジニアです。']],
  [
    'reads Spanish',
    'Vivo en la ciudad de Madrid. ¿Dónde vives tú ahora? Trabajo para el Sr. López.',
    ['Vivo en la ciudad de Madrid.', '¿Dónde vives tú ahora?', 'Trabajo para el Sr. López.'],
  ],
  ['returns no memory for an empty text', '', []],
  ['returns no memory for white space', ' \n\t ', []],
]

function expectWhole(text: string) {
  const { segments, memories } = split(text)
  expect(segments.join('')).toBe(text)
  if (memories.length === 0) {
    expect(segments.filter((segment) => segment.trim() !== '' && !isSmallTalk(segment))).toEqual([])
    return
  }
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

  it('cuts a very long sentence at white space, never inside a character', () => {
    for (const { content } of split(`${'word '.repeat(900)}end`).memories)
      expect(content).toMatch(/^word(?: word)*(?: end)?$/)
    const family = '👨‍👩‍👧'
    for (const { content } of split(family.repeat(400)).memories) expect(content.length % family.length).toBe(0)
  })

  it.each([
    'a',
    ' a',
    '.',
    '. ',
    '😀',
    '\n',
    ' ',
    'A. ',
    'e.g. ',
    '- a\n',
    '```\n',
    'a:\n',
    'He. ',
    'a\u0301',
    '“a. ',
    '"a. ',
    '    a\n',
    'i. ',
    'ab. ',
  ])('handles 50,000 characters of %j', (unit) => {
    expectWhole(unit.repeat(Math.ceil(50_000 / unit.length)))
  })
})

describe('lines of prose', () => {
  const memoriesOf = (content: string) => divide({ content }, now).memories
  const sentence = (number: number) =>
    `The orchard on slope number ${number} was planted with pear trees after the flood.`
  const satz = (number: number) =>
    `Auf dem Hang Nummer ${number} stehen seit dem Hochwasser nur noch Birnbäume und Hecken.`
  const line = (count: number, from: number, one: (number: number) => string) =>
    Array.from({ length: count }, (_, place) => one(from + place)).join(' ')

  it('are memories of whole sentences up to a size that is good for search', () => {
    const memories = memoriesOf(line(20, 1, sentence))
    expect(memories.length).toBeLessThan(6)
    for (const { content, parts } of memories) {
      expect(content.length).toBeLessThanOrEqual(600)
      expect(content).toMatch(/^The orchard .* flood\.$/u)
      expect(parts.length).toBeGreaterThan(1)
    }
    expect(memories.map(({ content }) => content).join(' ')).toBe(line(20, 1, sentence))
  })

  it('are shorter in other languages, whose letters make more word pieces', () => {
    const lengths = memoriesOf(line(20, 1, satz)).map(({ content }) => content.length)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(400)
    expect(Math.max(...lengths)).toBeGreaterThan(200)
    const unspaced = memoriesOf('我们在山坡上种了很多梨树。'.repeat(60)).map(({ content }) => content.length)
    expect(Math.max(...unspaced)).toBeLessThanOrEqual(300)
  })

  it('stay apart from each other', () => {
    const text = `${line(3, 1, sentence)}\n${line(3, 4, sentence)}\n\n${line(1, 7, sentence)}`
    expect(memoriesOf(text).map(({ content }) => content)).toEqual([
      line(3, 1, sentence),
      line(3, 4, sentence),
      line(1, 7, sentence),
    ])
  })
})

describe('splitMessages', () => {
  it('prefixes the speaker, keeps turns separate and the text complete', () => {
    const turns = [
      { role: 'user', content: 'I work at Acme Corp. It is great.', createdAt: 5 },
      { role: 'assistant', content: 'You live in Bonn, then.' },
      { role: 'user', content: 'He lives in Berlin.', name: ' Anna\nB ' },
      { role: 'tool', content: '21 degrees in Berlin.' },
    ] as const
    const { segments, memories } = splitMessages(turns)
    expect(segments.join('')).toBe(turns.map(({ content }) => content).join('\n'))
    expect(memories.map(({ content, role, speaker, createdAt }) => [content, role, speaker, createdAt])).toEqual([
      ['I work at Acme Corp. It is great.', 'user', null, 5],
      ['Assistant: You live in Bonn, then.', 'assistant', null, null],
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

  it('provides the previous turn, and reconstructs it from the stored text and its memory', () => {
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
      expect(before).toBe(contextOf(retold.slice(Math.max(0, turn - 2), turn).reverse()))
    }
  })

  it('reconstructs a turn without a name if no memory has one', () => {
    expect(retoldTurn({ text: ' Do you\nski? ', memory: null })).toBe('Do you ski?')
    expect(retoldTurn({ text: 'Do you ski?', memory: { content: 'Bo asked', text: 'Do you ski?' } })).toBe(
      'Do you ski?',
    )
    expect(retoldTurn({ text: 'ski?', memory: { content: 'Nobody ski?', text: 'ski?' } })).toBe('ski?')
    expect(retoldTurn({ text: 'x', memory: { content: 'Bo: x', text: ' ' } })).toBe('x')
    // Small talk belongs to the memory of another turn, whose speaker did not say it.
    expect(retoldTurn({ text: 'Thanks!', memory: { content: 'Bo: I moved to Graz.', text: 'Thanks!' } })).toBe(
      'Thanks!',
    )
  })

  it('reconstructs a turn with its name if the memory was resolved', () => {
    const kept = (content: string, text: string) => retoldTurn({ text, memory: { content, text } })
    expect(kept('Bo: I fell yesterday (13 May 2023).', 'I fell yesterday.')).toBe('Bo: I fell yesterday.')
    expect(kept('Bo: She (Ann) likes tea.', 'She likes tea.')).toBe('Bo: She likes tea.')
    expect(kept('Bo: In May. (asked: “When?”)', 'In May.')).toBe('Bo: In May.')
    expect(kept('Bo: I see. It is late.', 'Bo: I see. It is late.')).toBe('Bo: I see. It is late.')
    expect(kept('Plan: go home', 'Plan: go home')).toBe('Plan: go home')
  })

  it('makes no memory of small talk, and keeps its words with the memory before it, otherwise after it', () => {
    const says = (name: string, content: string) => ({ role: 'user' as const, name, content })
    const { segments, memories } = splitMessages([
      says('Ann', 'Hi Bob!'),
      says('Bob', 'Hello! How are you?'),
      says('Ann', 'I moved to Graz.'),
      says('Bob', 'Wow, congratulations!'),
      says('Ann', 'Thanks!'),
      says('Bob', 'I bought a boat.'),
    ])
    const made = memories.map(({ content, segments: [first, last] }) => [
      content,
      segments.slice(first, last + 1).join(''),
    ])
    expect(made).toEqual([
      ['Ann: I moved to Graz.', 'Hi Bob!\nHello! How are you?\nI moved to Graz.\nWow, congratulations!\nThanks!'],
      ['Bob: I bought a boat.', 'I bought a boat.'],
    ])
    expect(memories.map(({ before }) => before)).toEqual([null, 'Ann: Thanks! after Bob: Wow, congratulations!'])
  })

  it('makes no memory if there is only small talk', () => {
    const { segments, memories } = splitMessages([
      { role: 'user', content: 'ok, thanks!' },
      { role: 'assistant', content: 'You are welcome!' },
    ])
    expect(memories).toEqual([])
    expect(segments.join('')).toBe('ok, thanks!\nYou are welcome!')
    for (const text of ['ok', 'lol ok thanks', 'Good morning! How are you today?', 'Audrey: Thanks!', '👍'])
      expect(contents(text)).toEqual([])
  })

  it('skips blank turns', () => {
    const said = [
      { role: 'user', name: 'Ann', content: 'Where do you live?' },
      { role: 'user', name: 'Bob', content: 'In Berlin.' },
    ] as const
    const [first, second] = said
    const blank = (content: string) => ({ role: 'assistant', content }) as const
    expect(splitMessages([blank(''), first, blank(' \n\u200b'), second, blank('\t')])).toEqual(splitMessages(said))
    expect(splitMessages([blank(' ')])).toEqual(nothing)
  })

  it('loses no sentence of any dialogue', () => {
    const said = fc.oneof(
      messy,
      fc.constantFrom('Thanks!', 'Hi Ann', 'She left.', 'Where is it?', 'In Rome.', 'Yes', ''),
    )
    const turn = fc.record({
      role: fc.constantFrom('user' as const, 'assistant' as const),
      name: fc.constantFrom('Ann', 'Bob', 'Cy'),
      content: said,
    })
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 8 }), (turns) => {
        const { segments, memories } = splitMessages(turns)
        const said = turns.filter(({ content }) => /[^\s\p{Cc}\p{Cf}\p{Z}]/u.test(content))
        expect(segments.join('')).toBe(said.map(({ content }) => content).join('\n'))
        if (memories.length === 0) {
          const names = ['Ann', 'Bob', 'Cy']
          // A question alone states nothing.
          const isChatter = (segment: string) => isSmallTalk(segment, names) || /\?\s*$/u.test(segment)
          expect(segments.filter((segment) => segment.trim() !== '' && !isChatter(segment))).toEqual([])
          return
        }
        const covered = new Set<number>()
        for (const { segments: range, parts } of memories) {
          for (let index = range[0]; index <= range[1]; index += 1) covered.add(index)
          if (parts.length > 0) expect([parts[0]?.segments[0], parts.at(-1)?.segments[1]]).toEqual(range)
        }
        const lost = segments.filter((segment, index) => segment.trim() !== '' && !covered.has(index))
        expect(lost).toEqual([])
      }),
    )
  })

  it('accepts an empty list of turns', () => {
    expect(splitMessages([])).toEqual(nothing)
  })
})

describe('divide, with earlier turns of the conversation', () => {
  const turns: readonly Message[] = [
    { role: 'user', name: 'Ann', content: 'My brother Tom moved to Graz. He works at Acme.' },
    { role: 'user', name: 'Ben', content: 'Is the company large?' },
    { role: 'user', name: 'Ann', content: 'Yes.' },
    { role: 'assistant', content: 'Does he like it there?' },
    { role: 'user', name: 'Ben', content: 'Thanks! You should visit him. My brother Tom says hello.' },
    { role: 'user', name: 'Ann', content: 'In May' },
  ]
  const told = ({ memories }: ReturnType<typeof divide>) =>
    memories.map(({ content, meant, before, speaker, parts }) => ({
      content,
      meant,
      before,
      speaker,
      parts: parts.length,
    }))

  it('gives the memories that one request of all these turns gives, and no others', () => {
    for (let last = 1; last < turns.length; last += 1) {
      const earlier = turns.slice(Math.max(0, last - 3), last)
      const own = turns.slice(last, last + 1)
      const whole = divide({ messages: [...earlier, ...own] }, now)
      const before = divide({ messages: earlier }, now)
      const alone = divide({ messages: own }, now, undefined, { earlier: before.turns })
      expect(alone.segments.join('')).toBe(own[0]?.content)
      expect(told(alone)).toEqual(told(whole).slice(told(before).length))
    }
  })

  it('keeps the last three turns, abridged', () => {
    const long = `Begins 😀${'x'.repeat(3_000)}😀 ends. Why?`
    const { turns: kept } = divide({ messages: [...turns, { role: 'assistant', content: long }] }, now)
    expect(kept.map(({ prefix }) => prefix)).toEqual(['Ben: ', 'Ann: ', 'Assistant: '])
    const [text = ''] = kept.slice(-1).map((turn) => turn.text)
    expect(text.length).toBeLessThanOrEqual(2_000)
    expect(text).toMatch(/^Begins 😀x+\nx+😀 ends. Why\?$/u)
  })

  it('gives a text the turn before it as context only if it leans on others', () => {
    const { turns: earlier } = divide({ content: 'I went to Rome in May.\nIt rained.' }, now)
    const before = (content: string) => divide({ content }, now, undefined, { earlier }).memories[0]?.before
    expect(before('It was great there.')).toBe('I went to Rome in May. It rained.')
    expect(before('My landlord is called Bill.')).toBeNull()
    expect(before('It was great there.\nThe food was good.')).toBe('I went to Rome in May. It rained.')
    expect(before('My landlord is called Bill.\nHe has a cat.')).toBeNull()
  })

  it('forgets people after six hours, and takes no question for answered', () => {
    const { turns: earlier } = divide(
      { content: 'Assistant: Where does your sister Rosa live?' },
      now - 6 * 3_600_000 - 1,
    )
    expect(divide({ content: 'She lives in Oslo.' }, now, undefined, { earlier }).memories[0]?.content).toBe(
      'She lives in Oslo.',
    )
    expect(divide({ content: 'In Oslo' }, now, undefined, { earlier }).memories[0]?.content).toBe('In Oslo')
  })

  it('gives no context after six hours, and the question that begins a memory as context', () => {
    const at = (hours: number, content: string): Message => ({ role: 'user', content, createdAt: hours * 3_600_000 })
    const before = (...messages: Message[]) => divide({ messages }, now).memories.at(-1)?.before
    expect(before(at(0, 'I sold the boat.'), at(7, 'We moved to Graz.'))).toBeNull()
    expect(before(at(0, 'I sold the boat.'), at(7, 'We moved.'), at(8, 'My cat is grey.'))).toBe('We moved.')
    expect(
      before(at(0, 'Where do people ski in May?'), { role: 'assistant', content: 'In Norway, mostly.', createdAt: 0 }),
    ).toBe('Where do people ski in May?')
    expect(before(at(0, 'Hello!'), at(0, 'My cat is grey.'))).toBeNull()
  })
})
