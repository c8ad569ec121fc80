import { describe, expect, it } from 'vitest'
import { isAsked, learned } from './learned.js'

describe('what a message states', () => {
  it.each([
    'Where does John work?',
    'So John’s employer is called what?',
    'John works where again?',
    'Does John still work at the same company?',
    'Is John’s company hiring in 2026?',
    'I wonder who John works for',
    'Remind me where John is employed',
    'Do you remember what company I work at?',
    '“Who is it?”',
  ])('leaves out what is asked: %s', (sentence) => {
    expect(isAsked(sentence)).toBe(true)
    expect(learned(sentence)).toBe('')
  })

  it.each([
    'John works at Acme Corp.',
    'Did you know that Anna moved to Rome?',
    'John works at Globex now, right?',
    'Any vegan places near my new office in Leeds?',
    'What should I cook for my sister, who is vegan?',
    'That is what I like.',
    'Wo arbeitet John?',
    '',
    '?',
  ])('keeps what is stated, or not clearly asked: %s', (sentence) => {
    expect(isAsked(sentence)).toBe(false)
    expect(learned(sentence)).toBe(sentence)
  })

  it('keeps the statements of a mixed message, and a question that a statement refers to', () => {
    expect(learned('John works at Acme Corp. Where does Zoe work? Thanks!')).toBe('John works at Acme Corp. Thanks!')
    expect(learned('Where does John live? He moved to Berlin. Who is Zoe?')).toBe(
      'Where does John live? He moved to Berlin.',
    )
  })

  it('does not change the layout of a message without questions', () => {
    const list = 'Groceries:\n\n- milk\n-  eggs\n'
    expect(learned(list)).toBe(list)
  })

  it('takes a long hostile text in stride', () => {
    const before = performance.now()
    learned('?'.repeat(200_000) + ' '.repeat(200_000))
    learned('what '.repeat(50_000))
    expect(performance.now() - before).toBeLessThan(2000)
  })
})
