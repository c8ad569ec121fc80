/** Conversations made from templates: a person says several things at once, and later one of them changes. */
import { pick, type Random } from '../random.js'

export interface Asked {
  readonly question: string
  /** The words that say it. */
  readonly words: string
}

export interface Story {
  readonly told: string
  readonly change: string
  readonly changed: Asked
  readonly others: readonly Asked[]
}

interface Topic {
  readonly question: string
  /** `#` is the value. */
  readonly told: readonly string[]
  readonly changes: readonly string[]
  readonly values: readonly string[]
}

const topics: readonly Topic[] = [
  {
    question: 'Where do I live?',
    told: ['I live in #', "I'm based in #", 'home is #'],
    changes: [
      'We moved to # last week.',
      "I've moved, I live in # now.",
      'Finally settled in #, the boxes are unpacked.',
    ],
    values: ['Gothenburg', 'Turin', 'Leeds', 'Ghent', 'Porto', 'Tartu', 'Galway', 'Lyon', 'Krakow', 'Bergen'],
  },
  {
    question: 'Where do I work?',
    told: ['I work at #', 'I have a job at #', 'my employer is #'],
    changes: ['I started a new job at # on Monday.', 'I work at # now.', 'I left for #, first day was great.'],
    values: ['Volvo', 'Siemens', 'Ikea', 'Tesco', 'Philips', 'Nokia', 'Renault', 'Spotify', 'Maersk', 'Bosch'],
  },
  {
    question: 'What is my dentist called?',
    told: ['my dentist is Dr. #', 'I see Dr. # for my teeth'],
    changes: ['My dentist is Dr. # now.', 'I switched dentists, it is Dr. # now.'],
    values: ['Berg', 'Okafor', 'Lindqvist', 'Moretti', 'Novak', 'Haddad', 'Larsen', 'Pereira', 'Kowalski', 'Tanaka'],
  },
  {
    question: 'What car do I drive?',
    told: ['I drive a #', 'my car is a #'],
    changes: ['I sold the car and drive a # now.', 'I bought a # and gave the old car away.'],
    values: [
      'Volvo V60',
      'Skoda Fabia',
      'Fiat Panda',
      'Mazda 3',
      'Toyota Yaris',
      'Renault Clio',
      'Kia Niro',
      'Ford Focus',
    ],
  },
  {
    question: 'When is my yoga class?',
    told: ['my yoga class is on #', 'I do yoga on #'],
    changes: ['Yoga moved to #.', 'The yoga class is on # now.'],
    values: ['Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays', 'Sundays'],
  },
  {
    question: 'What is my favourite drink?',
    told: ['my favourite drink is #', 'my go-to drink is #'],
    changes: ['My favourite drink is # these days.', "I've gone off it, my favourite drink is # now."],
    values: [
      'green tea',
      'oat latte',
      'ginger beer',
      'espresso',
      'apple juice',
      'kombucha',
      'hot chocolate',
      'mint tea',
    ],
  },
  {
    question: 'How much is my rent?',
    told: ['my rent is # euros', 'I pay # euros in rent'],
    changes: ['My rent went up to # euros.', 'The rent is # euros now.'],
    values: ['640', '715', '780', '825', '910', '1040', '1180', '1260'],
  },
  {
    question: 'What is my phone?',
    told: ['my phone is a #', 'I use a #'],
    changes: ['I replaced my phone, it is a # now.', 'My new phone is a #.'],
    values: ['Pixel 8', 'Galaxy S24', 'iPhone 15', 'Fairphone 5', 'Xperia 5', 'Nokia G42'],
  },
]

/** Facts beside it that never change. */
const lasting: readonly Topic[] = [
  {
    question: 'How old am I?',
    told: ["I'm # years old", 'I am #'],
    changes: [],
    values: ['29', '34', '41', '52', '63'],
  },
  {
    question: 'Who is my husband?',
    told: ['my husband is called #', 'my husband # cooks'],
    changes: [],
    values: ['Jonas', 'Pavel', 'Ahmed', 'Luca', 'Sean'],
  },
  {
    question: 'What pet do I have?',
    told: ['we have a dog named #', 'our cat # sleeps all day'],
    changes: [],
    values: ['Toby', 'Miso', 'Biscuit', 'Olive', 'Rufus'],
  },
  {
    question: 'What am I allergic to?',
    told: ["I'm allergic to #", 'I have an allergy to #'],
    changes: [],
    values: ['peanuts', 'pollen', 'shellfish', 'penicillin', 'wasps'],
  },
  {
    question: 'What instrument do I play?',
    told: ['I play the #', 'I have played the # since school'],
    changes: [],
    values: ['cello', 'oboe', 'accordion', 'trumpet', 'harp'],
  },
  {
    question: 'Which language am I learning?',
    told: ["I'm learning #", 'I take # lessons'],
    changes: [],
    values: ['Japanese', 'Finnish', 'Greek', 'Welsh', 'Arabic'],
  },
]

const openings = ['', 'Hi! ', 'So, about me: ', 'Just so you know, ', 'Hello there, ']

export function storyOf(random: Random): Story {
  const topic = pick(random, topics)
  const old = pick(random, topic.values)
  const fresh = pick(
    random,
    topic.values.filter((value) => value !== old),
  )
  const others = shuffled([...topics.filter((each) => each !== topic), ...lasting], random).slice(
    0,
    1 + Math.floor(random() * 3),
  )
  const facts = others.map((each) => ({ each, value: pick(random, each.values) }))
  const parts = shuffled([...facts, { each: topic, value: old }], random).map(({ each, value }) =>
    pick(random, each.told).replace('#', value),
  )
  const [last = '', ...rest] = [...parts].reverse()
  const told = rest.length === 0 ? last : `${rest.reverse().join(', ')} and ${last}`
  return {
    told: `${pick(random, openings)}${told}.`,
    change: pick(random, topic.changes).replace('#', fresh),
    changed: { question: topic.question, words: old },
    others: facts.map(({ each, value }) => ({ question: each.question, words: value })),
  }
}

function shuffled<T>(all: readonly T[], random: Random): T[] {
  return all
    .map((item) => ({ item, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item)
}
