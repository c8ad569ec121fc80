import { describe, expect, it } from 'vitest'
import { statementsOf } from './split.js'

const wordsOf = (content: string, lead = 0) =>
  statementsOf(content, lead).map(({ start, stop }) => content.slice(start, stop))

describe('the statements of a memory', () => {
  it('are its sentences and the clauses with a subject of their own', () => {
    expect(wordsOf('I live in Oslo. I work as a nurse, and my wife is a teacher.')).toEqual([
      'I live in Oslo.',
      'I work as a nurse',
      'my wife is a teacher.',
    ])
    expect(wordsOf('I run every day but I hate the gym; we moved here last year')).toEqual([
      'I run every day',
      'I hate the gym',
      'we moved here last year',
    ])
  })

  it('keep a clause with what it needs to be understood', () => {
    expect(wordsOf('I have a dog and it barks all night')).toEqual(['I have a dog and it barks all night'])
    expect(wordsOf('I love my dog and my cat.')).toEqual(['I love my dog and my cat.'])
    expect(wordsOf('I like tea and play chess')).toEqual(['I like tea and play chess'])
    expect(wordsOf('When I am ill, I sleep a lot')).toEqual(['When I am ill, I sleep a lot'])
  })

  it.each([
    ['Oh wow, yes! I love pizza lol', ['I love pizza']],
    ['Well, I am a baker.', ['I am a baker.']],
    ['lol ok thanks, btw I am off dairy since june', ['I am off dairy since june']],
    ['Hello there! I’m Reggie :)', ['I’m Reggie']],
    ['Right now I live in Rome', ['Right now I live in Rome']],
    ['So far I like it', ['So far I like it']],
    ['No longer vegan', ['No longer vegan']],
    ['haha :)', []],
  ])('have no chatter around them: %s', (content, expected) => {
    expect(wordsOf(content)).toEqual(expected)
  })

  it('mark questions, and cut them off from a statement', () => {
    const content = 'I have two kids, how about you? Do you like tea? I do.'
    const statements = statementsOf(content)
    expect(statements.map(({ asks }) => asks)).toEqual([false, true, true, false])
    expect(content.slice(statements[0]?.start, statements[0]?.stop)).toBe('I have two kids')
  })

  it('leave out the name of the speaker and code', () => {
    expect(wordsOf('Ann: I live in Rome.', 5)).toEqual(['I live in Rome.'])
    expect(wordsOf('We use this:\n```\nI am code\n```\n')).toEqual(['We use this'])
  })

  it('lie inside of the content, in order and without overlaps, whatever the text', () => {
    for (const content of [
      '',
      '...',
      '👋👋',
      'a, and, but, so I, my',
      'I am, I am, I am',
      `${'I am here and '.repeat(300)}`,
    ]) {
      let end = 0
      for (const { start, stop } of statementsOf(content)) {
        expect(start).toBeGreaterThanOrEqual(end)
        expect(stop).toBeGreaterThan(start)
        end = stop
      }
      expect(end).toBeLessThanOrEqual(content.length)
    }
  })
})
