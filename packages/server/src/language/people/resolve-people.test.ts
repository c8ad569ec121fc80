import { describe, expect, it } from 'vitest'
import { allSteps, divide } from '../../ingest/divide.js'

const told = (...turns: (readonly [name: string, text: string])[]) =>
  divide({ messages: turns.map(([name, content]) => ({ role: 'user', name, content })) }, 0).memories
const last = (...turns: (readonly [name: string, text: string])[]) => told(...turns).at(-1)?.content
/** Sentence by sentence: a short text is otherwise one memory, in which the pronouns need no names. */
const apart = (content: string) => divide({ content }, 0, { ...allSteps, turnLength: 0 }).memories
const text = (content: string) => apart(content).map((memory) => memory.content)

describe('pronouns', () => {
  it('get the name from an earlier memory, so that each memory is self-contained', () => {
    expect(text('Anna lives in Bern. She works as a nurse.')).toEqual([
      'Anna lives in Bern.',
      'She (Anna) works as a nurse.',
    ])
    expect(text('Tom and Lena married. They live in Oslo.')[1]).toBe('They (Tom and Lena) live in Oslo.')
    expect(text('I met Frank. I like him a lot.')[1]).toBe('I like him (Frank) a lot.')
    expect(text('My cat is called Miso. Her tail is short.')[1]).toBe("Her (Miso's) tail is short.")
  })

  it('are replaced by names for fact extraction', () => {
    const [, second] = apart('Anna lives in Bern. She works at Acme.')
    expect(second?.meant).toBe('Anna works at Acme.')
    const [, sister] = told(['Ann', 'My sister Rosa is here.'], ['Ann', 'My sister works at Acme.'])
    expect([sister?.content, sister?.meant]).toEqual([
      'Ann: My sister (Rosa) works at Acme.',
      'Ann: My sister Rosa works at Acme.',
    ])
  })

  it('stay unchanged if the memory itself contains the name', () => {
    for (const content of [
      'Anna said she would come.',
      'When she came, Anna sat down.',
      'I live in Bern and work there.',
    ])
      expect(text(content)).toEqual([content])
    expect(last(['Ann', 'My boss Frank is ill. He has a cold.'])).toBe('Ann: My boss Frank is ill. He has a cold.')
  })

  it('stay with the sentence that they depend on if their meaning is ambiguous', () => {
    expect(text('Anna met Julia. She was late.')).toEqual(['Anna met Julia. She was late.'])
    expect(text('I like it here. It is quiet.')).toEqual(['I like it here. It is quiet.'])
  })

  it('stay unchanged after a name that nothing is known of, which may be the one that is meant', () => {
    const lund = 'Dr. Lund is nice.'
    const pia = 'No more Mondays for Pia, she only has Fridays free now.'
    for (const told of [`${lund} ${pia}`, `${lund} ${pia} She also keeps the key.`, `${lund} I wrote to Pia. ${pia}`])
      expect(text(told).join(' ')).toBe(told)
    expect(text('Tom and Lena came. After the Xanterra broke down they took the train.').join(' ')).toContain(
      'they (Tom',
    )
    const [, there] = text('Anna lives in Bern. At Xanterra she leads the sales team.')
    expect(there).toBe('At Xanterra she (Anna) leads the sales team.')
  })

  it('never refer to the speaker or the addressee', () => {
    expect(last(['Ann', 'I like tea, Bob.'], ['Bob', 'Did she call you again?'])).toBe('Bob: Did she call you again?')
  })

  it('name the addressee of a turn, once', () => {
    expect(last(['Bob', 'I like tea.'], ['Ann', 'You should apply for the grant. You have the time.'])).toBe(
      'Ann: You (Bob) should apply for the grant. You have the time.',
    )
    expect(last(['Bob', 'I like tea.'], ['Ann', 'Hey Bob! You should apply.'])).toBe('Ann: Hey Bob! You should apply.')
    expect(last(['Bob', 'I like tea.'], ['Cy', 'Me too.'], ['Ann', 'You should apply.'])).toBe('Ann: You should apply.')
  })

  it('refer to nobody from another conversation', () => {
    const turns = [
      { role: 'user', content: 'Anna lives in Bern.', createdAt: 0 },
      { role: 'user', content: 'I think she works too much.', createdAt: 86_400_000 },
    ] as const
    expect(divide({ messages: turns }, 0).memories[1]?.content).toBe('I think she works too much.')
  })

  it('name a sister even if the other speaker mentions her', () => {
    expect(last(['Ann', 'My sister is ill.'], ['Bob', 'Is she in hospital now?'])).toBe(
      'Bob: Is she (your sister) in hospital now?',
    )
    expect(last(['Ann', 'My sister Rosa is ill.'], ['Bob', 'I like your sister.'])).toBe(
      'Bob: I like your sister (Rosa).',
    )
  })

  it('leave "my sister" alone if there are two', () => {
    const turns = [
      ['Ann', 'My sister Rosa is ill.'],
      ['Ann', 'My sister Lea is well.'],
      ['Ann', 'My sister called me.'],
    ] as const
    expect(last(...turns)).toBe('Ann: My sister called me.')
  })

  it('take linear time', () => {
    const content = 'She told Anna and my sister that he likes them there. '.repeat(900)
    expect(divide({ content }, 0).segments.join('')).toBe(content)
    const turns = Array.from(
      { length: 500 },
      (_, index) => [`N${index % 7}`, 'He met Tom and his boss there.'] as const,
    )
    expect(told(...turns)).toHaveLength(500)
  })
})
