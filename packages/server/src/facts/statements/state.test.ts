import { beforeAll, describe, expect, it } from 'vitest'
import { openStatementModel, type StatementModel } from './model.js'
import { factsStatedIn, type Told } from './state.js'

let model: StatementModel
beforeAll(async () => {
  model = await openStatementModel()
})

const facts = (content: string, told: Partial<Told> = {}) => factsStatedIn(model, { content, slots: [], ...told })
const surest = (content: string) => Math.max(0, ...facts(content).map(({ confidence }) => confidence))

describe('the facts that a memory states', () => {
  it('point at the words that state them', () => {
    const content = 'Oh nice! I work as a nurse in Leeds, and my wife is a teacher. How are you?'
    for (const { start, stop, value } of facts(content)) expect(content.slice(start, stop)).toBe(value)
    const sure = facts(content).filter(({ confidence }) => confidence > 0.5)
    expect(sure.map(({ value }) => value)).toEqual(['I work as a nurse in Leeds', 'my wife is a teacher.'])
  })

  it('have no topic in other languages', () => {
    expect(facts('Trabajo en una panadería de Sevilla').map(({ topic }) => topic)).toEqual(['other'])
    expect(facts('I work at a bakery in Seville').map(({ topic }) => topic)).toEqual(['work'])
  })

  it.each([
    'I am a vegetarian',
    'My sister Anna lives in Oslo',
    'I have two dogs and a cat',
    'I work as a nurse at the hospital',
    "I'm allergic to peanuts",
    'We use pnpm in this repository',
  ])('are sure of a lasting fact: %s', (content) => {
    expect(surest(content)).toBeGreaterThan(0.6)
  })

  it.each([
    'How are you?',
    'What is the capital of Peru?',
    'Good morning! How are you today?',
    'lol same',
    'Sounds great, thanks a lot!',
    'can you make it shorter please',
    'That is so funny',
  ])('are not sure of talk, questions and requests: %s', (content) => {
    expect(surest(content)).toBeLessThan(0.35)
  })

  it.each([
    ['I am allergic to peanuts', 'health'],
    ['My husband is called Jonas', 'people'],
    ['We rent a flat in Lisbon', 'home'],
    ['I work as an engineer for a large company', 'work'],
    ['My favorite food is pizza', 'preferences'],
    ['I drive a red Toyota', 'possessions'],
    ['I am flying to Tokyo next week', 'plans'],
    ['Our API runs on Postgres and deploys with Docker', 'projects'],
    ['My name is Marta and I am 34 years old', 'identity'],
  ])('have a topic: %s', (content, topic) => {
    expect(facts(content)[0]?.topic).toBe(topic)
  })

  it('join a statement with the one that it leans on', () => {
    const [fact, ...others] = facts('I have a dog. He is a three year old beagle.')
    expect(fact?.value).toBe('I have a dog. He is a three year old beagle.')
    expect(others).toEqual([])
  })

  it('are about the user, the speaker, or the person whom the rules know', () => {
    const subjectOf = (content: string, told: Partial<Told> = {}) => facts(content, told)[0]?.subject
    expect(subjectOf('I am a nurse')).toBeNull()
    expect(subjectOf('Ann: I am a nurse')).toBe('Ann')
    expect(subjectOf('Ann: I am a nurse', { speaker: 'Ann' })).toBe('Ann')
    expect(subjectOf('Note: I am a nurse')).toBeNull()
    const slots = [
      { slot: 'HOLDS|SIBLING_OF|user:u1|anna', value: 'yes' },
      { slot: 'WORKS_AT|anna', value: 'acme' },
    ]
    expect(facts('My sister Anna works at Acme', { slots })[0]).toMatchObject({ subject: 'Anna', about: 'works_at' })
    const own = [{ slot: 'ATTR|user:u1|diet', value: 'vegan' }]
    expect(facts('I am vegan', { slots: own })[0]).toMatchObject({ subject: null, about: 'diet' })
  })

  it('are none of the assistant', () => {
    expect(facts('Assistant: I live in Rome and work as a nurse')).toEqual([])
    expect(facts('Assistant: I live in Rome', { speaker: 'Assistant' })).toEqual([])
  })
})
