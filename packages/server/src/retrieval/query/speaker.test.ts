import { describe, expect, it } from 'vitest'
import { askedAbout, speakerFit, speakerOf } from './speaker.js'

const pair = new Set(['Caroline', 'Melanie'])

function namedIn(question: string, ...speakers: string[]): string[] {
  return [...(askedAbout(question, new Set(speakers))?.named ?? [])]
}

describe('speakerOf', () => {
  it.each([
    ['Caroline: I went hiking.', 'Caroline'],
    ['elise: hi', 'elise'],
    ['Fahim Khan: good afternoon', 'Fahim Khan'],
    ['Dr. Smith: take two a day', 'Dr. Smith'],
    ['田中: 昨日は楽しかった', '田中'],
    ['Assistant: Here is a list.', 'Assistant'],
    ['I went hiking.', null],
    ['The code is: 42', null],
    ['Effects of cold on fat tissue: a review', null],
    ['https://example.com: a link', null],
    ['10:30 is too early', null],
    [`${'x'.repeat(80)}: too long for a name`, null],
    [': nobody', null],
    ['', null],
  ])('of %j is %j', (content, speaker) => {
    expect(speakerOf(content)).toBe(speaker)
  })
})

describe('whom a question names', () => {
  it.each([
    ['What did Caroline research?', ['Caroline']],
    ["What is Caroline's job?", ['Caroline']],
    ['Whose idea was it, Caroline’s or Melanie’s?', ['Caroline', 'Melanie']],
    ['what did caroline research?', ['Caroline']],
    ['WHAT DID CAROLINE RESEARCH?', ['Caroline']],
    ['What did Mel paint?', ['Melanie']],
    ['What did the race raise money for?', []],
    ['What are carolines?', []],
  ])('is found in %j', (question, named) => {
    expect(namedIn(question, ...pair)).toEqual(named)
  })

  it('recognizes first and last names, and distinguishes two people with the same first name by their last name', () => {
    const [smith, jones] = ['Caroline Smith', 'Caroline Jones']
    expect(namedIn('What did Caroline say?', smith, jones)).toEqual([smith, jones])
    expect(namedIn('What did Caroline Smith say?', smith, jones)).toEqual([smith])
    expect(namedIn('What did Mrs. Jones say?', smith, jones)).toEqual([jones])
    expect(namedIn('What did Dr. Brown say?', 'Dr. Smith')).toEqual([])
  })

  it('finds names in scripts without capitals or spaces', () => {
    expect(namedIn('田中さんは何を研究しましたか', '田中', '鈴木')).toEqual(['田中'])
    expect(namedIn('Что изучала Ольга?', 'Ольга', 'Иван')).toEqual(['Ольга'])
  })

  it.each([
    ['Will I be late?', 'Will'],
    ['What will happen in may?', 'May'],
    ['May I ask you something?', 'May'],
    ['Mark the right answer. Grant me this.', 'Mark'],
    ['what did i mark as done?', 'Mark'],
    ['How is the weather?', 'Howard'],
    ['Can it be done? The car is here.', 'Candice'],
    ['Who said it?', 'Theo'],
  ])('does not mistake an ordinary word for a name: %j is not about %s', (question, speaker) => {
    expect(namedIn(question, speaker)).toEqual([])
  })

  it.each([
    ['What did Will say?', 'Will'],
    ["Will's job?", 'Will'],
    ['Where does May live?', 'May'],
    ['what did elise say?', 'elise'],
    ['What did Elise say?', 'elise'],
  ])('recognizes the name in %j', (question, speaker) => {
    expect(namedIn(question, speaker)).toEqual([speaker])
  })

  it('reads only the beginning of a question full of names, and stays fast with many speakers', () => {
    const speakers = Array.from({ length: 2_000 }, (_, index) => `Person${index} Smith`)
    const asked = askedAbout(`${'Smith, '.repeat(2_000)}?`, new Set(speakers))
    expect(asked?.named.size).toBe(2_000)
    expect(asked?.mention?.test('about smith')).toBe(true)
    expect(askedAbout(`${'x '.repeat(1_000)}Caroline`, pair)).toBeNull()
  })
})

describe('whom a question is about without naming them', () => {
  it.each([
    ['Where do I live?', { user: true, assistant: false }],
    ['where do i live', { user: true, assistant: false }],
    ['What did we buy for our flat?', { user: true, assistant: false }],
    ['Can you recommend a show for me?', { user: true, assistant: false }],
    ['What did you recommend to me?', { user: false, assistant: true }],
    ['Can you remind me of the video you mentioned?', { user: false, assistant: true }],
    ['Which dish was it that you once suggested?', { user: false, assistant: true }],
  ])('is found in %j', (question, asked) => {
    expect(askedAbout(question, pair)).toMatchObject(asked)
  })

  it.each([
    'Which US states has it been in, i.e. where?',
    'What is in our last conversation about tea?',
    'Who won?',
    '',
  ])('is nobody in particular in %j', (question) => {
    expect(askedAbout(question, pair)).toBeNull()
  })
})

describe('speakerFit', () => {
  const fit = (question: string, content: string) => {
    const asked = askedAbout(question, pair)
    if (!asked) throw new Error('about nobody')
    return speakerFit(asked, { speaker: speakerOf(content), content })
  }

  it('is highest for what the named person said or the user noted about them, and lower for others who mention them', () => {
    const question = 'What did Caroline research?'
    expect(fit(question, 'Caroline: I looked into adoption agencies.')).toBe(1)
    expect(fit(question, 'Caroline looked into adoption agencies.')).toBe(1)
    expect(fit(question, "Melanie: Caroline's research sounds great!")).toBe(0.5)
    expect(fit(question, 'Melanie: I looked into pottery.')).toBe(0)
    expect(fit(question, 'I looked into pottery.')).toBe(0)
    expect(fit(question, 'Assistant: Carolinean is not a word.')).toBe(0)
  })

  it('is highest for the user or the assistant, whichever the question is about, and half for a labelled note', () => {
    expect(fit('Where do I live?', 'I live in Rome.')).toBe(1)
    expect(fit('Where do I live?', 'Note: the flat is in Rome')).toBe(0.5)
    expect(fit('Where do I live?', 'Assistant: You live in Rome.')).toBe(0)
    expect(fit('What did you suggest?', 'Assistant: Try the soup.')).toBe(1)
    expect(fit('What did you suggest?', 'I will try the soup.')).toBe(0)
  })

  it('also counts the user’s words if the user asks about somebody', () => {
    expect(fit('What did I tell Caroline?', 'I told her about the tent.')).toBe(1)
    expect(fit('What did I tell Caroline?', 'Caroline: you told me about the tent')).toBe(1)
    expect(fit('What did I tell Caroline?', 'Melanie: a tent')).toBe(0)
  })
})
