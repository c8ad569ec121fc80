import { describe, expect, it } from 'vitest'
import { askedSubject, subjectFit } from './subject.js'

const fit = (question: string, note: string): number => {
  const asked = askedSubject(question)
  return asked === null ? 1 : subjectFit(asked, note)
}

describe('a question about the user', () => {
  it.each([
    ['Where do I live?', 'My sister Ida lives in Malmö with her two boys'],
    ['What am I allergic to?', 'Jonas is allergic to cats'],
    ['what do i not eat?', 'mikkel never eats fish, he got poisoned in bergen once'],
    ['Where is my desk?', 'zeynep’s desk is in the living room, she sews there'],
    ['How many days a week do I work?', 'Gráinne works as a dentist in Back Bay, four days a week'],
    ['Which injury do I have?', 'mother in law broke her hip'],
  ])('is not answered by a note about somebody else: %s %s', (question, note) => {
    expect(fit(question, note)).toBe(0)
  })

  it.each([
    ['Where do I live?', 'moved to a terrace in Meanwood'],
    ['Where do I live?', 'I have a flat in Malmö'],
    ['What do we use for jobs?', 'Airflow is out, moved orchestration to Dagster'],
    ['Where is my studio?', 'landlord’s selling the Bedminster place, so it moves to Easton'],
    ['What is my date of birth?', 'born on 4 May 1990'],
    ['When does Ida visit me?', 'Ida arrives on 4 May'],
    ['Who must not be offered wine when they visit us?', 'Marcus doesn’t drink, eleven years sober'],
    ['Who is the president of France?', 'Jonas is allergic to cats'],
  ])('may be answered by any other: %s %s', (question, note) => {
    expect(fit(question, note)).toBe(1)
  })

  it.each([
    ['What is my seat on the flight?', 'booked the flight to montreal, seat 9A, my mom turns 70'],
    ['How much is my rent?', 'place on ossington: pay Mr. Vassos 2,150 on the 1st, his cell is 416-555-0177'],
  ])('may be answered by a note that only mentions somebody else: %s %s', (question, note) => {
    expect(fit(question, note)).toBeGreaterThan(0.5)
  })

  it('is answered less by a note that begins with somebody else', () => {
    const mixed = fit('What can I not drink?', "Nora gets cramps from cow's milk, we give her oat")
    expect(mixed).toBeGreaterThan(0)
    expect(mixed).toBeLessThan(1)
  })

  it('is answered well by a note that begins with the user, whoever else is there', () => {
    const question = 'How many museums did I visit?'
    const accompanied = fit(question, 'I took my niece to the Natural History Museum')
    expect(accompanied).toBeGreaterThan(fit(question, 'My niece took me to the museum and we loved it'))
    expect(accompanied).toBeLessThan(1)
  })
})

describe('a question about somebody whom the user knows', () => {
  it('is answered by notes about that person', () => {
    expect(fit('Where does my sister work?', 'my sister teaches physics')).toBe(1)
    expect(fit("What is my sister's job?", 'Ida teaches physics')).toBe(1)
  })

  it('is answered less by notes about the user alone', () => {
    expect(fit('Where does my sister work?', 'I work at the renal ward')).toBeLessThan(1)
  })
})
