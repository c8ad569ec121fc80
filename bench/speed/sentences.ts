/**
 * Memories that read like real ones: where people work and live, and what they like, own, plan and have met. The
 * sentence of a number is always the same, so that a seeded store, the floor and the queries agree.
 */
import { type EntityType, nameKey, type RelationshipType } from '../../packages/server/src/core/entity.js'
import { pick, pickSkewed, type Random, random } from '../random.js'
import * as words from './words.js'

export interface Sentence {
  readonly text: string
  /** A question that this memory answers. */
  readonly question: string
  readonly template: number
  readonly entities: readonly { readonly name: string; readonly key: string; readonly type: EntityType }[]
  readonly relationship?: { readonly type: RelationshipType; readonly sourceKey: string; readonly targetKey: string }
}

interface Filled {
  readonly person: string
  readonly friend: string
  readonly place: string
  readonly company: string
  readonly hobby: string
  readonly food: string
  readonly ailment: string
  readonly pet: string
  readonly petName: string
  readonly thing: string
  readonly subject: string
  readonly when: string
  readonly number: number
  readonly ending: string
}

interface Template {
  text(filled: Filled): string
  question(filled: Filled): string
  readonly target?: 'company' | 'place' | 'friend'
  readonly relationship?: RelationshipType
}

const templates: readonly Template[] = [
  {
    text: (f) => `${f.person} works at ${f.company} on the ${f.subject}${f.ending}.`,
    question: (f) => `Where does ${f.person} work?`,
    target: 'company',
    relationship: 'WORKS_AT',
  },
  {
    text: (f) => `${f.person} moved to ${f.place} on ${f.when}${f.ending}.`,
    question: (f) => `Which city did ${f.person} move to?`,
    target: 'place',
    relationship: 'LIVES_IN',
  },
  {
    text: (f) => `${f.person} went ${f.hobby} near ${f.place} with ${f.friend}${f.ending}.`,
    question: (f) => `Who went ${f.hobby} with ${f.person}?`,
    target: 'friend',
    relationship: 'KNOWS',
  },
  {
    text: (f) => `${f.person} is allergic to ${f.ailment} and carries tablets at all times${f.ending}.`,
    question: (f) => `What is ${f.person} allergic to?`,
  },
  {
    text: (f) => `${f.person} cooked ${f.food} for ${f.number} guests on ${f.when}${f.ending}.`,
    question: (f) => `What did ${f.person} cook for the guests?`,
  },
  {
    text: (f) => `${f.person} has a ${f.pet} called ${f.petName} that sleeps on the sofa${f.ending}.`,
    question: (f) => `What is the name of ${f.person}'s pet?`,
  },
  {
    text: (f) => `${f.person} bought ${f.thing} in ${f.place} for ${f.number * 7} euros${f.ending}.`,
    question: (f) => `What did ${f.person} buy in ${f.place}?`,
    target: 'place',
    relationship: 'VISITED',
  },
  {
    text: (f) => `The meeting about the ${f.subject} at ${f.company} is led by ${f.person} on ${f.when}${f.ending}.`,
    question: (f) => `Who leads the meeting about the ${f.subject} at ${f.company}?`,
    target: 'company',
    relationship: 'RELATED_TO',
  },
  {
    text: (f) => `${f.person} prefers ${f.food} to ${f.food === 'ramen' ? 'tacos' : 'ramen'} for lunch${f.ending}.`,
    question: (f) => `What does ${f.person} like to eat for lunch?`,
  },
  {
    text: (f) => `${f.person} has been learning ${f.hobby} since ${f.when}, ${f.number} minutes a day${f.ending}.`,
    question: (f) => `Since when has ${f.person} been learning ${f.hobby}?`,
  },
  {
    text: (f) => `${f.person} and ${f.friend} have been friends since school in ${f.place}${f.ending}.`,
    question: (f) => `How do ${f.person} and ${f.friend} know each other?`,
    target: 'friend',
    relationship: 'FRIEND_OF',
  },
  {
    text: (f) => `${f.person} flies to ${f.place} on ${f.when} from gate ${f.number} to see ${f.friend}${f.ending}.`,
    question: (f) => `When does ${f.person} fly to ${f.place}?`,
    target: 'place',
    relationship: 'VISITED',
  },
  {
    text: (f) => `${f.person} asked ${f.company} for an offer of ${f.number * 100} euros a month${f.ending}.`,
    question: (f) => `What did ${f.person} ask ${f.company} for?`,
    target: 'company',
    relationship: 'RELATED_TO',
  },
  {
    text: (f) => `${f.person} dreams of opening a ${f.hobby} club in ${f.place} together with ${f.friend}${f.ending}.`,
    question: (f) => `What kind of club does ${f.person} want to open?`,
    target: 'friend',
    relationship: 'KNOWS',
  },
  {
    text: (f) => `${f.person} takes the ${f.number % 24} o'clock train to ${f.place} every ${f.when}${f.ending}.`,
    question: (f) => `Which train does ${f.person} take to ${f.place}?`,
    target: 'place',
    relationship: 'VISITED',
  },
  {
    text: (f) => `${f.person} read a book about ${f.hobby} in ${f.number} days and lent it to ${f.friend}${f.ending}.`,
    question: (f) => `Which book did ${f.person} lend to ${f.friend}?`,
    target: 'friend',
    relationship: 'KNOWS',
  },
]

export const templateCount = templates.length

/** The sentence with this number. Stored and later numbers produce the same sentence only by chance. */
export function sentence(number: number): Sentence {
  return fill(number, number % templates.length)
}

/** A sample sentence of a template, for a cluster's centre. */
export function sampleOf(template: number, sample: number): string {
  return fill(0x5eed_0000 + sample, template).text
}

function fill(number: number, templateIndex: number): Sentence {
  const next = random(Math.imul(number + 1, 0x9e3779b1))
  const template = templates[templateIndex]
  if (!template) throw new Error(`no template ${templateIndex}`)
  const filled: Filled = {
    person: personName(next),
    friend: personName(next),
    place: pickSkewed(next, words.places),
    company: pickSkewed(next, words.companies),
    hobby: pickSkewed(next, words.hobbies),
    food: pickSkewed(next, words.foods),
    ailment: pick(next, words.ailments),
    pet: pick(next, words.pets),
    petName: pick(next, words.petNames),
    thing: pick(next, words.things),
    subject: pick(next, words.subjects),
    when: next() < 0.5 ? pick(next, words.weekdays) : `${pick(next, words.months)} ${1 + Math.floor(next() * 28)}`,
    number: 1 + Math.floor(next() * 90),
    ending: pick(next, words.endings),
  }
  return {
    text: template.text(filled),
    question: template.question(filled),
    template: templateIndex,
    ...mentions(template, filled),
  }
}

function personName(next: Random): string {
  return `${pickSkewed(next, words.firstNames)} ${pickSkewed(next, words.lastNames)}`
}

function mentions(template: Template, filled: Filled): Pick<Sentence, 'entities' | 'relationship'> {
  const person = entity(filled.person, 'PERSON')
  if (template.target === undefined || template.relationship === undefined) return { entities: [person] }
  const type = ({ company: 'ORG', place: 'LOCATION', friend: 'PERSON' } as const)[template.target]
  const target = entity(filled[template.target], type)
  if (target.key === person.key) return { entities: [person] }
  return {
    entities: [person, target],
    relationship: { type: template.relationship, sourceKey: person.key, targetKey: target.key },
  }
}

function entity(name: string, type: EntityType) {
  return { name, key: nameKey(name), type }
}
