import { describe, expect, it } from 'vitest'
import { deniesByItself, evidenceOf, isGrounded, isKept, isQuoted, saysNoMore } from './grounding.js'

describe('a memory is grounded', () => {
  const text = ['My sister Anna moved from Berlin to Paris in 2019.', 'She works at Acme Corp and has two dogs.']
  it.each([
    'My sister Anna works at Acme Corp.',
    'Anna, my sister, moved to Paris in 2019',
    'Anna has 2 dogs',
    'Anna is working at Acme Corp',
  ])('in its text: %s', (memory) => {
    expect(isGrounded(memory, evidenceOf(text))).toBe(true)
  })

  it.each([
    ['a name', 'My sister Clara works at Acme Corp.'],
    ['a place', 'Anna moved to Rome in 2019'],
    ['a year', 'Anna moved to Paris in 2020'],
    ['a count', 'Anna has three dogs and 3 cats'],
    ['a name at the beginning', 'Elvis works at Acme Corp'],
    ['words of its own', 'Anna enjoys sailing yachts along wild coasts'],
    ['nothing but function words', 'It is what it is for you'],
  ])('is not grounded with %s that the text lacks', (_, memory) => {
    expect(isGrounded(memory, evidenceOf(text))).toBe(false)
  })

  it('is compared by characters in scripts without spaces', () => {
    const evidence = evidenceOf(['我住在北京的海淀区。'])
    expect(isGrounded('我住在北京', evidence)).toBe(true)
    expect(isGrounded('他喜欢上海', evidence)).toBe(false)
  })

  it('handles a text of 50,000 characters', () => {
    const long = 'Anna moved to Paris in 2019. '.repeat(1_700)
    expect(isGrounded(long, evidenceOf([long]))).toBe(true)
  })
})

describe('a sentence is kept', () => {
  const kept = (sentence: string, ...texts: string[]) => isKept(sentence, texts, ['John', 'Acme'])
  it('if memories together contain its names, numbers and most words', () => {
    expect(kept('John works at Acme and earns 900 a week.', 'John works at Acme.', 'John earns 900 a week.')).toBe(true)
    expect(kept('She likes tea.', 'Anna likes tea.')).toBe(true)
    expect(kept('Yesterday I met Tom.', 'I met Tom on 2026-03-01.')).toBe(true)
  })

  it.each([
    ['a number', 'John works at Acme and earns 900.', 'John works at Acme and earns money.'],
    ['a name', 'John met Mary at Acme.', 'John met somebody at Acme.'],
    ['the name it begins with', 'John works at Acme.', 'Somebody works at Acme.'],
    ['most of it', 'The blue boat in the old harbour leaks badly again.', 'The boat is blue.'],
    ['its denial', 'I do not work at Acme.', 'I work at Acme.'],
    ['its denial (short)', "I don't like tea.", 'I like tea.'],
  ])('not where %s is lost', (_, sentence, text) => {
    expect(kept(sentence, text)).toBe(false)
  })

  it('if a denial became an ending', () => {
    expect(kept('I no longer work at Acme.', 'I stopped work at Acme.')).toBe(true)
  })

  it('but not by an empty list of memories', () => {
    expect(kept('I like tea.')).toBe(false)
  })
})

it('distinguishes an invented denial from one that follows from the text', () => {
  expect(deniesByItself('I do not smoke', ['I like tea.'])).toBe(true)
  expect(deniesByItself('I do not smoke', ['I quit smoking.'])).toBe(false)
  expect(deniesByItself('I smoke', ['I like tea.'])).toBe(false)
})

it('detects whether one text says more than another', () => {
  expect(saysNoMore('I like green tea', 'In the morning I like strong green tea')).toBe(true)
  expect(saysNoMore('I like green tea', 'I like tea')).toBe(false)
  expect(saysNoMore('I like tea', "I don't like tea")).toBe(false)
  expect(saysNoMore('I have 2 cats', 'I have 3 cats')).toBe(false)
  expect(saysNoMore('It is so', 'It is so')).toBe(false)
})

it('treats a text without new words as a quotation', () => {
  const evidence = evidenceOf(['Melanie, called Mel, leads since May 2020'])
  expect(['Mel', 'May 2020', 'since May'].every((words) => isQuoted(words, evidence))).toBe(true)
  expect(['Mela', 'May 2021'].some((words) => isQuoted(words, evidence))).toBe(false)
})
