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

  it.each([
    ['keys and values', 'Name: Ann\nAge: 5\nCity: Berlin'],
    ['a recipe', 'Ingredients: flour\nSteps: bake\nTime: one hour'],
    ['one line', 'Ann: hello'],
    ['prose with a colon', 'I said it before: no.\nShe said: yes.'],
    ['a letter', 'Dear Ann,\nhow are you?\nBob'],
    ['one name among keys', 'Owner: me\nAnna: 5\nBerlin: 7\nParis: 9\nRome: 3'],
  ])('leaves %s alone', (_what, text) => {
    expect(writtenTurns(text)).toBeNull()
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
