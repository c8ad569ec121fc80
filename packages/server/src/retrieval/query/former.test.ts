import { describe, expect, it } from 'vitest'
import { formerTime } from './former.js'

const now = Date.parse('2025-10-15T12:00:00Z')

describe('formerTime', () => {
  it.each([
    'Where was I living before the cottage?',
    'What ran the nightly jobs before the new scheduler?',
    'Before it got pushed, what was the date?',
    'What dose was I first put on?',
    'where did I use to cycle in from back when we rented',
    'What did we originally call the project?',
    'Who used to do my hair?',
    'What was my old number?',
    'How much was my day rate before July?',
    'Wo habe ich früher gewohnt?',
    'Où est-ce que je travaillais autrefois ?',
    'Who ran the team before the current one?',
    'Waar woonde ik vroeger?',
    'Где я раньше работал?',
    '我以前住在哪里？',
  ])('finds a question about the time before a change: %s', (question) => {
    expect(formerTime(question, now)).toEqual({ until: null })
  })

  it('tells until when, if a date that is over says it', () => {
    const until = formerTime('How much was my day rate in March?', now)?.until ?? 0
    expect(new Date(until).toISOString().slice(0, 10)).toBe('2025-04-01')
  })

  it.each([
    'Where do I live?',
    'What do I need to pack before the trip?',
    'Remind me to call before noon',
    'What is my first name?',
    'How old am I?',
    'Which pills am I used to taking?',
    'What did the doctor say?',
    'What is my rent in January?',
    'How much will my rent be in January?',
    'Wie hoch ist meine Miete im Januar?',
    'How much do I pay since the increase in July?',
    'Where do I live now? In May I moved',
    'Who replaced my old boss?',
    'Which bank did I move to from my old one?',
    'I told you before: where do I live?',
    'What have I got to do before Monday?',
    'What pills was I told to take before bed?',
    'When will she be back in London, did she say?',
    'What is the knife I used to cut the cake?',
    'Was muss ich vorher erledigen?',
    '我睡觉以前要吃什么药？',
    'Who is my manager since July?',
    'What is planned for December?',
    'Wat moet ik doen voor de reis?',
    '¿Qué tengo que hacer antes del viaje?',
    '',
  ])('leaves a question about now alone: %s', (question) => {
    expect(formerTime(question, now)).toBeNull()
  })
})
