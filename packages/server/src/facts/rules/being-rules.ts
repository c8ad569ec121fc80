/** The rules for what someone or something is: the words after "am", "is", "are", "was", "were" or "been". */
import type { Slot } from '../../core/entity.js'
import { pattern } from '../../core/pattern.js'
import { withoutTimes } from '../../language/words/words.js'
import { attributeSlot, holdsSlot, relationSlot, someSlot } from '../slot.js'
import { readDoing } from './doing-rules.js'
import { phraseKey } from './reading.js'
import { anyText, denial, type Read, readBy, type Statement, type StatementRule } from './statement-rule.js'
import { eventSlots, habitSlots, partnershipsEnded } from './statement-slots.js'

const statuses = new RegExp(
  pattern`
    ^(?:happily |officially |legally )?(single|married|divorced|engaged|widowed|separated|unmarried|remarried
    |(?:an? )?(?:widow|widower)|in a (?:[\p{L}-]+ )*relationship|seeing someone|dating someone
    |dating)(?![\p{L}])(?! ⟦)
  `,
  'u',
)
const diets =
  /^(?:an? |on an? )?(?:strict |lifelong )?(vegan|vegetarian|pescatarian|flexitarian|omnivore|carnivore|keto|lactose-free|gluten-free)s?(?![\p{L}])/u
const idle =
  /^(?:unemployed|jobless|retired|out of work|between jobs|out of a job|looking for (?:work|a job))(?![\p{L}])/u
const trades = new RegExp(
  pattern`
    (?:[a-z]{2,}(?:er|or|ist|ian|eer|smith|maker)|nurse|chef|cook|pilot|clerk|guard|judge|monk|priest|pastor|doctor
    |dentist|vet|surgeon|paramedic|midwife|accountant|consultant|assistant|attendant|agent|architect|analyst
    |barista|waitress|actress|intern|apprentice|plumber|mechanic|technician|electrician|officer|coach|mayor
    |director|executive|freelance|student|ceo|cto|captain|firefighter|lead|representative|postdoc)$
  `,
  'u',
)
const notTrades = new RegExp(
  pattern`
    ^(?:member|lover|owner|mother|father|brother|sister|daughter|teenager|believer|beginner|foster|christian
    |partner|stranger|speaker|supporter|vegetarian|user|holder|minor|senior|junior|outsider|loner|sufferer
    |neighbou?r|monster|winner|number|matter|letter|order|river|killer|survivor|donor|smoker|drinker|sleeper
    |morning|eater|collector|twin|fan)$
  `,
  'u',
)

const notActivities = /^(?:interesting|boring|amazing|nothing|something|exciting|morning|evening)$/u
const prepositions = /^(?:in|at|on|with|from|for|to) /u

/** "My job is teaching" is a value, not an activity of the job. */
function isPursuit({ subject }: Statement): boolean {
  return /(?:^| )(?:job|hobby|passion|dream|goal|plan|favou?rite)$/u.test(subject.key)
}

export const beingRules: readonly StatementRule[] = [
  {
    id: 'relationship status',
    example: 'I am divorced.',
    pattern: statuses,
    when: ({ subject }) => subject.key !== '',
    yields: ([, status = ''], statement) => {
      const no = denial(statement)
      const { key } = statement.subject
      const value = status
        .replace(/^an? /u, '')
        .replace('remarried', 'married')
        .replace(/^widower?$/u, 'widowed')
        .replace(/^(?:seeing|dating).*|^in a .*/u, 'in a relationship')
      const stated: Slot = { slot: attributeSlot(key, 'relationship status'), value: no + value }
      return /single|divorced|widowed/u.test(value) && no === '' ? [stated, ...partnershipsEnded(key)] : [stated]
    },
  },
  {
    id: 'diet',
    example: 'I am a strict vegan.',
    pattern: diets,
    yields: ([, diet = ''], statement) => [
      { slot: attributeSlot(statement.subject.key, 'diet'), value: denial(statement) + diet },
    ],
  },
  {
    id: 'without work',
    example: 'I am between jobs.',
    pattern: idle,
    yields: (_, statement) => {
      const { key } = statement.subject
      if (denial(statement) !== '') return []
      return [
        { slot: relationSlot('WORKS_AT', key), value: '-' },
        { slot: someSlot(key, 'occupation'), value: '-', change: true, implied: true },
      ]
    },
  },
  {
    id: 'activity',
    example: 'I am learning Spanish.',
    pattern: /^(?:been )?([\p{L}]{2,}ing)(?: (.*))?$/u,
    when: (statement, [, form = '']) => !isPursuit(statement) && !notActivities.test(form),
    yields: ([, form = '', text = ''], { reading, subject }) =>
      readDoing({ reading, subject, form, text, past: false }).slots,
  },
  {
    id: 'occupation',
    example: 'I am a pastry chef.',
    pattern:
      /^(?:an?|the|⟦\d+⟧'s) ((?:[\p{L}-]+ ){0,3}?[\p{L}-]+)(?=$|,| (?:now|at|for|in|by|these|since|from|and|with|who)(?![\p{L}]))/u,
    when: ({ subject }, [, trade = '']) => {
      const head = trade.split(' ').at(-1) ?? ''
      return subject.plain && trades.test(head) && !notTrades.test(head)
    },
    yields: ([, trade = ''], statement) => [someValue(statement, 'occupation', trade)],
  },
  {
    id: 'origin',
    example: 'I am originally from a fishing village.',
    pattern: /^(?:originally )?from (.+)$/u,
    when: ({ subject }) => subject.plain,
    yields: ([, origin = ''], statement) => [someValue(statement, 'from', origin)],
  },
  {
    id: 'past state',
    example: 'I was very tired.',
    pattern: anyText,
    when: ({ form }) => form === 'was' || form === 'were',
    yields: (_, { reading, subject, text }) => eventSlots(reading, subject, `be ${text}`),
  },
  {
    id: 'healed',
    example: 'My knee is fine again.',
    pattern: /^(?:fine|better|ok|okay|good|healed|gone|over|well|all right|cured)(?: again| now)?$/u,
    when: ({ subject }) => !subject.plain,
    yields: (_, { reading, subject }) => {
      const body = subject.key.replace(/^the /u, '')
      return [
        { slot: holdsSlot(subject.key, 'hurt'), value: 'no' },
        { slot: holdsSlot(reading.keyOf('s'), `have ${body}`), value: 'no', implied: true },
      ]
    },
  },
  {
    id: 'whereabouts',
    example: 'My bike is in the garage.',
    pattern: /^(?:in|at|on|near) (?!(?:fire|sale|hold|time|order|danger)(?![\p{L}]))(.+)$/u,
    when: ({ subject }) => !subject.plain,
    yields: ([, where = ''], statement) => {
      const { reading, subject } = statement
      const place = phraseKey(reading, withoutTimes(where))
      if (place === '') return []
      return [{ slot: someSlot(subject.key, 'where'), value: denial(statement) + place, change: reading.clause.change }]
    },
  },
  {
    id: 'grade',
    example: 'Emma is in third grade.',
    pattern:
      /^in (?:the )?([\p{L}\d]+ grade|kindergarten|(?:middle|high|primary|elementary) school|college)(?![\p{L}])/u,
    yields: ([, grade = ''], statement) => [someValue(statement, 'grade', grade)],
  },
  {
    id: 'value of a thing',
    example: 'My rent is 1200 euros.',
    pattern: anyText,
    when: ({ subject, text }) => !subject.plain && !prepositions.test(text),
    yields: (_, statement) => valueOfThing(statement),
  },
  {
    id: 'state',
    example: 'I am afraid of spiders.',
    pattern: anyText,
    yields: (_, { reading, subject, text }) => habitSlots(reading, subject, 'be', text),
  },
]

export function readBeing(statement: Statement): Read {
  return readBy(beingRules, statement)
}

function someValue(statement: Statement, about: string, words: string): Slot {
  const { reading, subject } = statement
  return {
    slot: someSlot(subject.key, about),
    value: denial(statement) + phraseKey(reading, words),
    change: reading.clause.change,
  }
}

/** "My rent is 1200 euros", "my go-to lunch is soup". */
function valueOfThing(statement: Statement): Slot[] {
  const { reading, subject, text } = statement
  const said = text.replace(/,? (?:because|since|so|but|which|now|these days) ?.*$/u, '')
  const value = phraseKey(reading, withoutTimes(said)) || phraseKey(reading, said)
  if (value === '') return []
  // "My job is fun" and "my job is hard" can both be true.
  if (!isPursuit(statement) && !/[ \d⟦]/u.test(said.trim())) return habitSlots(reading, subject, 'be', said)
  return [{ slot: someSlot(subject.key, 'be'), value: denial(statement) + value, change: reading.clause.change }]
}
