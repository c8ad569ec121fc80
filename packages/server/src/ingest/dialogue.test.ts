import { describe, expect, it } from 'vitest'
import { writtenTurns } from './dialogue.js'
import { divide } from './divide.js'

const now = Date.UTC(2026, 10, 14)

describe('writtenTurns', () => {
  it('splits a dialogue into turns without losing anything', () => {
    const text = 'Ann: I got it.\nIt is mine.\n\nBob Smith: Good.\r\nAnn: Yes: really.'
    const turns = writtenTurns(text)
    expect(turns?.map(({ name }) => name)).toEqual(['Ann', 'Bob Smith', 'Ann'])
    expect(turns?.map((turn) => turn.text).join('\n')).toBe(text)
    expect(turns?.map((turn) => turn.text.slice(turn.lead).trim())).toEqual([
      'I got it.\nIt is mine.',
      'Good.',
      'Yes: really.',
    ])
  })

  it('keeps a heading before the first turn', () => {
    const text = 'Chat of 3 May\n\nAnn: I got it.\nBob: Good.'
    expect(writtenTurns(text)?.map(({ name, text: turn }) => [name, turn])).toEqual([
      [null, 'Chat of 3 May\n'],
      ['Ann', 'Ann: I got it.'],
      ['Bob', 'Bob: Good.'],
    ])
  })

  it.each([
    ['a given name', 'Audrey: My dog Toby is ill. I hate waiting at the vet.', 'Audrey'],
    ['a first and a last name', 'Fahim Khan: The food was good. Everyone loved it.', 'Fahim Khan'],
    ['a title', 'Dr. Osei: Take two of these. Come back on Monday.', 'Dr. Osei'],
    ['a handle', '@nightowl: The stream starts at nine.', '@nightowl'],
    ['a handle with a number', 'dave_92: the stream starts at nine', 'dave_92'],
    ['a name in capitals', 'AUDREY: The vet is closed.', 'AUDREY'],
    ['a name in small letters', 'audrey: the vet is closed', 'audrey'],
    ['a name in bold', '**Audrey:** The vet is closed.', 'Audrey'],
    ['an unknown name that says “I”', 'Muhhamed: I moved to Oslo. The flat is small.', 'Muhhamed'],
    ['a name that is also a word and says “I”', 'Grace: I moved to Oslo.', 'Grace'],
    ['several lines of one speaker', 'Audrey: My dog is ill.\nI hate the vet.', 'Audrey'],
    ['paragraphs of one speaker', 'Audrey: How was the film?\n\n[shares a photo]', 'Audrey'],
    ['a list with labels', 'Audrey: I have two ideas:\nSpa Day: book a massage\n1. Research: read about it', 'Audrey'],
    ['the user', 'User: Where did I put my keys?', 'User'],
    ['the assistant', 'Assistant: Sure! What kind of food do you like?', 'Assistant'],
  ])('finds the speaker of a single turn: %s', (_what, text, name) => {
    expect(writtenTurns(text)).toEqual([expect.objectContaining({ text, name, isSpeaker: true })])
  })

  it('keeps a text together after what may be a name, without calling it a speaker', () => {
    for (const text of ['Muhhamed: The food was good. All of it.', 'Zorblax: we run it in Frankfurt. It is fast.'])
      expect(writtenTurns(text)).toEqual([expect.objectContaining({ text, isSpeaker: false })])
  })

  it.each([
    ['keys and values', 'Name: Ann\nAge: 5\nCity: Berlin'],
    ['a recipe', 'Ingredients: flour\nSteps: bake\nTime: one hour'],
    ['prose with a colon', 'I said it before: no.\nShe said: yes.'],
    ['a letter', 'Dear Ann,\nhow are you?\nBob'],
    ['an email', 'From: Ann\nTo: Bob\nSubject: Oslo\n\nI moved to Oslo.'],
    ['one name among keys', 'Owner: me\nAnna: 5\nBerlin: 7\nParis: 9\nRome: 3'],
    ['a name before keys', 'Anna: 5\nBerlin: 7\nParis: 9\nRome: 3'],
    ['a note about somebody before other notes', 'Anna: birthday on 5 May\n\nThe boiler needs a new valve.'],
    ['configuration', 'host: db.example.com\nport: 5432\nuser_id: 7'],
    ['two turns on one line', 'Ann: I live in Bern. Bob: I live in Graz.'],
    ['a note', 'Note: I moved to Oslo. My flat is small.'],
    ['a to-do', 'TODO: I must call Anna. She is ill.'],
    ['a warning', 'Warning: I broke the build. My fault.'],
    ['a subject', 'Subject: I moved to Oslo. My flat is small.'],
    ['an update', 'Update: I moved to Oslo. My flat is small.'],
    ['a postscript', 'PS: I moved to Oslo. My flat is small.'],
    ['a topic in the plural', 'Allergies: I cannot eat nuts. My son cannot either.'],
    ['a topic of two words', 'Next Steps: I call Anna. My boss calls Bob.'],
    ['a part of a system', 'Backend: I use port 8080. My proxy is on 443.'],
    ['a product', 'Python: I use it daily. My scripts are old.'],
    ['an organisation', 'Acme Corp: I work there. My desk is upstairs.'],
    ['a city', 'Berlin: I lived there. My sister still does.'],
    ['a weekday', 'Monday: I go to the gym. My trainer is Tom.'],
    ['a month', 'October: I fly to Rome. My brother comes too.'],
    ['an exception', 'TypeError: I is not defined. My code failed.'],
    ['a URL', 'https://example.com/Ann: I found it. My notes are there.'],
    ['a time', '10:30: I meet Tom. My car is at the garage.'],
    ['an emoji', '🎉: I passed. My exam is over.'],
    ['code', 'const Ann: Person = { name: "x" }\nconst Bob: Person = { name: "y" }'],
    ['a role that is a key', 'User: alice'],
    ['a name without words after it', 'Audrey:'],
    ['a name without a space after it', 'Audrey:5'],
  ])('leaves %s alone', (_what, text) => {
    expect(writtenTurns(text)).toBeNull()
  })
})

describe('a chat with an assistant', () => {
  const answer = [
    'Here are the pumps that fit your boat best:',
    '',
    '**What to look at:**',
    'Title: Pumps for small boats',
    '* Rule: the cheapest one. It is loud.',
    '* Jabsco: runs dry for an hour. Whale: lasts longest.',
    '',
    '1. **Power**: look for 12 volts.',
    'Anna Berg: “I would buy it again.”',
  ].join('\n')

  it('takes an answer with labels, names and lists for one turn', () => {
    const text = `Assistant: ${answer}`
    expect(writtenTurns(text)).toEqual([{ text, lead: 11, name: 'Assistant', isSpeaker: true }])
  })

  it.each([
    ['a heading', 'Goals:\n\n1. To keep the boat dry.\n2. To hear less noise.'],
    ['a title', 'Plan for the boat\n\nThe pump goes under the floor.'],
  ])('takes an answer that begins with %s for one turn', (_what, said) => {
    const text = `Assistant: ${said}`
    expect(writtenTurns(text)).toEqual([expect.objectContaining({ text, name: 'Assistant', isSpeaker: true })])
  })

  it('divides a pasted chat by its roles alone', () => {
    const text = `User: Which pump should I buy?\nAssistant: ${answer}\nUser: Thanks, I ordered the Whale.`
    const turns = writtenTurns(text)
    expect(turns?.map(({ name }) => name)).toEqual(['User', 'Assistant', 'User'])
    expect(turns?.map((turn) => turn.text).join('\n')).toBe(text)
  })

  it.each([
    ['people among labels', 'User: We talked.\nAnn: I moved to York.\nBob: I moved to Bonn.\nNote: remember the keys.'],
    [
      'an assistant of another name',
      'User: Suggest a trip.\nAI: Here is one:\nDay 1 in Rome.\nDay 2 in Siena.\nDay 3 in Pisa.',
    ],
    [
      'a person with a long message',
      'Assistant: Good morning.\nAnna: I moved to York\nwith the dog\nand the cat\nand the fish',
    ],
  ])('does not take %s for words of the role before', (_what, text) => {
    const [first] = writtenTurns(text) ?? []
    expect(first?.text).not.toBe(text)
  })

  it('keeps people who speak in it', () => {
    const text = 'Assistant: Good morning, everybody.\nBob: I ordered the pump.\nAnna: I paid for it.'
    expect(writtenTurns(text)?.map(({ name }) => name)).toEqual(['Assistant', 'Bob', 'Anna'])
  })

  it.each([
    ['an assistant among the fields of a contact', 'Assistant: Maria Lopez\nPhone: 555 1234\nRoom: 5'],
    ['the name of an account', 'User: root\nThe key is in the vault.'],
    ['a turn inside a turn', 'User: I see. Bob: I moved to York.'],
    ['a note about an assistant', 'Assistant: Maria Lopez\n\nShe sits in room 5.'],
    ['fields of an account', 'User: alice\nPassword: see the safe\nHost: db.example.com'],
  ])('leaves %s alone', (_what, text) => {
    expect(writtenTurns(text)).toBeNull()
  })

  it('yields the same memories as the message', () => {
    const messages = [{ role: 'assistant', content: answer }] as const
    const keep = { remembersAssistant: true }
    const [written, sent] = [{ content: `Assistant: ${answer}` }, { messages }].map((text) =>
      divide(text, now, undefined, keep).memories.map(({ content, role }) => ({ content, role })),
    )
    expect(written).toEqual(sent)
  })
})

describe('a dialogue given as one text', () => {
  it('puts the speaker before every memory of a turn, and keeps turns separate', () => {
    const text = `Ann: I live in Bern. ${'I have a garden with old trees and a small pond. '.repeat(24)}I work at Acme.\nBob: I see.`
    const { segments, memories } = divide({ content: text }, now)
    expect(segments.join('')).toBe(text)
    expect(memories.length).toBeGreaterThan(1)
    for (const { content, speaker } of memories) {
      expect(content.startsWith('Ann: ')).toBe(true)
      expect(content.startsWith('Ann: Ann:')).toBe(false)
      expect(speaker).toBe('Ann')
    }
  })

  it('yields the same memories as messages', () => {
    const turns = [
      ['Ann', 'My sister Rosa moved to Oslo yesterday.'],
      ['Bob', 'Does she like it there?'],
      ['Ann', 'Yes, she does.'],
    ] as const
    const written = divide({ content: turns.map(([name, text]) => `${name}: ${text}`).join('\n') }, now)
    const sent = divide({ messages: turns.map(([name, content]) => ({ role: 'user', name, content })) }, now)
    const told = ({ memories }: typeof sent) =>
      memories.map(({ content, before, speaker }) => ({ content, before, speaker }))
    expect(told(written)).toEqual(told(sent))
    expect(sent.memories.map(({ content }) => content)).toEqual([
      'Ann: My sister Rosa moved to Oslo yesterday (13 November 2026).',
      'Bob: Does she (Rosa) like it there (Oslo)?',
      'Ann: Yes, she (Rosa) does. (asked: “Does she like it there?”)',
    ])
  })

  const turns = [
    { name: 'Audrey', content: 'My dog Toby is ill. I hate waiting at the vet.' },
    { name: 'Muhhamed', content: 'i had a cat. she was called mia. i miss her.' },
    { name: 'Audrey', content: 'Yes.' },
    { name: 'Fahim Khan', content: '97. My mum won half the battle.' },
    { name: 'Audrey', content: 'I live in Bern. My garden is full of roses.' },
    { name: 'Audrey', content: 'Two things:\n- the vet is far\n- Toby hates cars' },
    {
      name: 'Audrey',
      content: `I have a garden. ${'There are old trees and a small pond. '.repeat(140)}I work at Acme.`,
    },
  ].map((turn) => ({ role: 'user' as const, ...turn }))
  const compared = ({ memories }: ReturnType<typeof divide>) =>
    memories.map(function told({ segments: _, ...memory }): object {
      return { ...memory, parts: memory.parts.map(told) }
    })

  it.each(turns)('yields the same memories for “$name: …” as for that message', (turn) => {
    const written = divide({ content: `${turn.name}: ${turn.content}` }, now)
    expect(compared(written)).toEqual(compared(divide({ messages: [turn] }, now)))
    expect(written.segments.join('')).toBe(`${turn.name}: ${turn.content}`)
  })

  it('yields the same memories for a transcript as for its messages', () => {
    const content = turns.map((turn) => `${turn.name}: ${turn.content}`).join('\n')
    const written = divide({ content }, now)
    expect(compared(written)).toEqual(compared(divide({ messages: turns }, now)))
    expect(written.segments.join('')).toBe(content)
  })

  it('keeps the speaker with every sentence', () => {
    const { memories } = divide({ content: 'Audrey: My dog Toby is ill. I hate waiting at the vet.' }, now)
    expect(memories).toMatchObject([
      { content: 'Audrey: My dog Toby is ill. I hate waiting at the vet.', speaker: 'Audrey' },
    ])
  })

  it('treats User and Assistant as roles', () => {
    const { memories } = divide(
      { content: 'User: I live in Bern.\nAssistant: Bern is lovely in spring.\nUser: I know Bern well.' },
      now,
    )
    expect(memories.map(({ content, role }) => [content, role])).toEqual([
      ['I live in Bern.', 'user'],
      ['Assistant: Bern is lovely in spring.', 'assistant'],
      ['I know Bern well.', 'user'],
    ])
  })
})
