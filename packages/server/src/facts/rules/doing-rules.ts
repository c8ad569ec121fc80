/** The rules for what someone or something does: the words after any other verb. */
import type { Slot } from '../../core/entity.js'
import { factStem } from '../../language/words/stem.js'
import { withoutTimes } from '../../language/words/words.js'
import { attributeSlot, holdsSlot, relationSlot, someSlot } from '../slot.js'
import { phraseKey } from './reading.js'
import {
  anyText,
  denial,
  type Read,
  readBy,
  restOf,
  type Statement,
  type StatementRule,
  wordsOf,
} from './statement-rule.js'
import { eventSlots, habitSlots, objectOf, possessionSlots, thingParts } from './statement-slots.js'

/** A person has one of these at a time once a text says that it changed. */
const oneAtATime: ReadonlySet<string> = new Set(
  ['drive', 'read', 'prefer', 'study', 'rent', 'wear', 'major'].map(factStem),
)
const owning: ReadonlySet<string> = new Set(['own', 'possess', 'keep', 'buy', 'purchase', 'adopt'].map(factStem))

const measured: ReadonlySet<string> = new Set(['weigh', 'cost', 'earn'])
const living = factStem('live')

export const doingRules: readonly StatementRule[] = [
  {
    id: 'go doing',
    example: 'I go swimming with my brother.',
    pattern: /^[\p{L}]{2,}ing(?![\p{L}])/u,
    when: ({ form }) => /^go(?:es|ing)?$/u.test(form),
    yields: (_, { reading, subject, text }) =>
      readDoing({ reading, subject, form: wordsOf(text)[0] ?? '', text: restOf(text), past: false }).slots,
  },
  {
    id: 'possession',
    example: 'I own a sailing boat.',
    pattern: /^(?:an?|the|⟦|[\p{L}]+ )/u,
    when: ({ form }) => owning.has(factStem(form)),
    yields: (_, { reading, subject, text }) => possessionSlots(reading, subject, text.replace(/^new /u, '')),
  },
  {
    id: 'move',
    example: 'My office moved to a bigger building.',
    pattern: /^(?:back )?(?:in)?to /u,
    when: ({ form }) => /^(?:moved|relocated)$/u.test(form),
    yields: (_, { reading, subject, text }) => {
      // A home, with or without a name: "in a small village".
      const place = phraseKey(reading, objectOf(withoutTimes(text.replace(/^back /u, ''))).object)
      if (place === '') return []
      return [{ slot: someSlot(subject.key, subject.plain ? living : 'where'), value: place, change: true }]
    },
  },
  {
    id: 'event',
    example: 'I painted the fence.',
    pattern: anyText,
    when: ({ form, text, past }) =>
      past || (form === 'read' && /(?<![\p{L}])(?:last|this|yesterday|once|ago|in \d{4})(?![\p{L}])/u.test(text)),
    yields: (_, { reading, subject, form, text }) => eventSlots(reading, subject, `${form} ${text}`),
  },
  {
    id: 'measure',
    example: 'My cat weighs 5 kg.',
    pattern: anyText,
    when: ({ form }) => measured.has(factStem(form)),
    yields: (_, { subject, form, text }) => {
      const value = /\d[\d.,]*(?: ?[\p{L}$€£%]+)?/u.exec(text)?.[0]
      return value === undefined ? [] : [{ slot: attributeSlot(subject.key, factStem(form)), value }]
    },
  },
  {
    id: 'dose',
    example: 'I take 20 mg of lisinopril.',
    pattern: /^(\d[\d.,]* ?(?:mg|g|ml|mcg|µg|units?|pills?|tablets?|drops?))(?: of)? (.+)$/u,
    when: ({ form }) => factStem(form) === 'tak',
    yields: ([, value = '', medicine = ''], { reading, subject }) => {
      const name = phraseKey(reading, objectOf(medicine).object)
      return [
        { slot: holdsSlot(subject.key, `tak ${name}`), value: 'yes' },
        { slot: attributeSlot(subject.key, `dose of ${name}`), value },
      ]
    },
  },
  {
    id: 'rising',
    example: 'I get up at 6:30.',
    pattern: /^(wake|get|go)s? (?:up|to bed)?.*?(?:^| )at (\d{1,2}(?:[:.]\d{2})?(?: ?[ap]m)?)/u,
    on: ({ form, text }) => `${factStem(form) === 'wak' ? 'wake' : form} ${text}`,
    when: ({ form, text }) => /(?:^| )(?:up|bed)(?: |$)/u.test(`${form} ${text}`),
    yields: ([, verb, value = ''], { subject, text }) => [
      { slot: attributeSlot(subject.key, `${verb} ${/bed/u.test(text) ? 'bed' : 'up'} at`), value },
    ],
  },
  {
    id: 'meat',
    example: 'I do not eat meat.',
    pattern: /^(?:meat|red meat|animals?)(?![\p{L}])/u,
    when: ({ form }) => factStem(form) === 'eat',
    yields: (_, statement) => {
      const { reading, subject, text } = statement
      const no = denial(statement)
      const more = phraseKey(reading, text.replace(/^[\p{L}]+ ?(?:or )?/u, ''))
      const value = `${no}meat${more === '' || no === '' ? '' : ` ${more}`}`
      return [{ slot: attributeSlot(subject.key, 'diet'), value }]
    },
  },
  {
    id: 'company at home',
    example: 'I live with two flatmates.',
    pattern: /^(?:(alone)|(?:together )?with (.+))/u,
    when: ({ form }) => factStem(form) === living,
    yields: ([, alone, others = ''], statement) => {
      const { reading, subject } = statement
      const whom = alone ?? phraseKey(reading, withoutTimes(others))
      return [
        { slot: someSlot(subject.key, 'live with'), value: denial(statement) + whom, change: reading.clause.change },
      ]
    },
  },
  {
    id: 'workplace',
    example: 'I work at a small bakery.',
    pattern: /^(?:part[- ]time |full[- ]time )?(?:at|for) (.+)$/u,
    when: ({ form }) => factStem(form) === 'work',
    yields: ([, workplace = ''], statement) => {
      const { reading, subject } = statement
      const { change } = reading.clause
      const no = denial(statement)
      const { key } = thingParts(reading, withoutTimes(workplace))
      if (key === '') return []
      const work = { slot: someSlot(subject.key, 'work'), value: no + key, change }
      if (!change || no !== '') return [work]
      return [work, { slot: relationSlot('WORKS_AT', subject.key), value: '*', change, implied: true }]
    },
  },
  {
    id: 'home',
    example: 'I live in a houseboat.',
    pattern: /^(?:in|on|at|near) /u,
    when: ({ form }) => factStem(form) === living,
    yields: (_, statement) => oneOfThem(statement),
  },
  {
    id: 'one at a time',
    example: 'I drive a red van.',
    pattern: /^(?!(?:in|on|at|to|with|for|from) )/u,
    when: ({ form }) => oneAtATime.has(factStem(form)),
    yields: (_, statement) => oneOfThem(statement),
  },
  {
    id: 'habit',
    example: 'I play tennis every week.',
    pattern: anyText,
    yields: (_, { reading, subject, form, text }) => habitSlots(reading, subject, factStem(form), text),
  },
]

export function readDoing(statement: Statement): Read {
  return readBy(doingRules, statement)
}

function oneOfThem(statement: Statement): Slot[] | null {
  const { reading, subject, form, text } = statement
  const key = phraseKey(reading, withoutTimes(objectOf(text).object))
  if (key === '') return null
  return [
    { slot: someSlot(subject.key, factStem(form)), value: denial(statement) + key, change: reading.clause.change },
  ]
}
