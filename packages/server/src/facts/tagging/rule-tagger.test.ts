import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type EntityMention, entityTypes, relationshipTypes } from '../../core/entity.js'
import { Tagging } from './rule-tagger.js'

const speaker: EntityMention = { name: 'u1', type: 'PERSON', key: 'user:u1', aliases: [] }

const tag = (text: string) => new Tagging(text, speaker).result()
const entitiesOf = (text: string) => tag(text).entities.map(({ type, name }) => `${type} ${name}`)
const relationsOf = (text: string) =>
  tag(text).relationships.flatMap(({ ends, validTo, type, sourceKey, targetKey }) =>
    ends || validTo !== undefined ? [] : [`${sourceKey} ${type} ${targetKey}`],
  )
const endedIn = (text: string) =>
  tag(text).relationships.flatMap(({ ends, type, sourceKey, targetKey }) =>
    ends ? [`${sourceKey} ${type} ${targetKey}`] : [],
  )
/** Facts that are stored, without slots that only protect a memory from replacement or identify a person. */
const slotsOf = (text: string) =>
  tag(text).slots.flatMap(({ slot, value, implied }) =>
    implied || /^(?:SAYS|WHO)\|/.test(slot) ? [] : [`${slot}=${value}`],
  )

describe('rule tagger: who and what', () => {
  it.each<[string, string[]]>([
    ['John works at Acme Corp', ['PERSON John', 'ORG Acme Corp']],
    [
      'Dr. Maria Gonzalez flew from Paris to New York City.',
      ['PERSON Maria Gonzalez', 'LOCATION Paris', 'LOCATION New York City'],
    ],
    ['Yesterday the University of Oxford opened a new school.', ['ORG University of Oxford']],
    ['We attended the Berlin Marathon.', ['PERSON u1', 'EVENT Berlin Marathon']],
    ['Anna bought an iPhone 15 for Tom.', ['PERSON Anna', 'PRODUCT iPhone 15', 'PERSON Tom']],
    ['Vincent van Gogh painted it.', ['PERSON Vincent van Gogh']],
    ['The meeting is on Monday in May.', []],
    ['Thanks! Sounds great. Maybe later.', []],
    ['WHAT A GREAT DAY THIS WAS', []],
    ['Write to Anna@Example.com or @SomeHandle about #SomeTag', ['PERSON Anna']],
    ['Who told me that?', []],
  ])('%s', (text, entities) => {
    expect(entitiesOf(text)).toEqual(entities)
  })

  it('treats a given name after the full name as an alias of the same person', () => {
    const { entities } = tag('John Smith lives in Rome. John likes tea.')
    expect(entities.filter(({ type }) => type === 'PERSON')).toEqual([
      { name: 'John Smith', type: 'PERSON', key: 'john smith', aliases: ['John'] },
    ])
  })
})

describe('rule tagger: concepts', () => {
  const conceptsOf = (text: string) => entitiesOf(text).filter((name) => name.startsWith('CONCEPT'))

  it.each<[string, string[]]>([
    ['I hate waiting at the vet.', []],
    ['I love the smell of coffee right after waking up.', ['CONCEPT smell of coffee']],
    ['I like to relax by the sea.', []],
    ['I love playing tennis and listening to jazz.', ['CONCEPT tennis', 'CONCEPT jazz']],
    ['My favourite tune is a theme from a movie.', []],
    ['I enjoy being left alone.', []],
  ])('are noun phrases, not verbs or fragments: %s', (text, concepts) => {
    expect(conceptsOf(text)).toEqual(concepts)
  })

  it('keep the fact of a taste that names no thing', () => {
    expect(slotsOf('I hate waiting at the vet.')).toContain('HOLDS|TASTE|user:u1|waiting=no')
  })
})

describe('rule tagger: relationships', () => {
  it.each<[string, string[]]>([
    ["I'm engaged to Felix.", ['user:u1 RELATED_TO felix']],
    ['My fiancé Paul is here.', ['user:u1 RELATED_TO paul']],
    ['Felix and I got engaged.', ['user:u1 RELATED_TO felix']],
    ["I'm dating Rosa.", ['user:u1 RELATED_TO rosa']],
    ['Tariq works for me.', ['tariq REPORTS_TO user:u1']],
    ['My direct report Dana is leaving.', ['dana REPORTS_TO user:u1']],
    ['Julia is supervised by Karl.', ['julia REPORTS_TO karl']],
    ['My stepmother Greta called.', ['greta PARENT_OF user:u1']],
    ['Bodie is my dog.', ['user:u1 OWNS bodie']],
    ["I'm Leo's dad.", ['user:u1 PARENT_OF leo']],
    ['My mother-in-law Ida called.', ['user:u1 KNOWS ida']],
  ])('point the right way: %s', (text, relations) => {
    expect(relationsOf(text)).toEqual(relations)
  })

  it('end an engagement with the wedding, and a couple with the separation', () => {
    expect(relationsOf('I got married to Felix.')).toEqual(['user:u1 SPOUSE_OF felix'])
    expect(endedIn('I got married to Felix.')).toEqual(['user:u1 RELATED_TO felix'])
    expect(endedIn('Felix and I broke up.')).toContain('user:u1 RELATED_TO felix')
  })

  it.each<[string, string[]]>([
    ['John works at Acme Corp', ['john WORKS_AT acme']],
    ['I work at Acme', ['user:u1 WORKS_AT acme']],
    ["I'm currently working for Initech.", ['user:u1 WORKS_AT initech']],
    ['John is employed by Globex.', ['john WORKS_AT globex']],
    ['Anna has joined Initech as a designer.', ['anna WORKS_AT initech']],
    ['I just got a new job as a data scientist at Initech!', ['user:u1 WORKS_AT initech']],
    ['Anna is a nurse. She works at Mercy Hospital.', ['anna WORKS_AT mercy hospital']],
    ['I studied physics at MIT.', ['user:u1 STUDIES_AT mit']],
    ['I was born in Lyon but live in Madrid.', ['user:u1 LIVES_IN madrid', 'user:u1 BORN_IN lyon']],
    ['Anna moved from Paris to Berlin, Germany.', ['anna LIVES_IN berlin', 'berlin LOCATED_IN germany']],
    ['I am based in Oslo.', ['user:u1 LIVES_IN oslo']],
    ['Acme Corp is based in Berlin.', ['acme LOCATED_IN berlin']],
    ['John reports to Mary and manages Tom.', ['tom REPORTS_TO john', 'john REPORTS_TO mary']],
    ['My boss is Karen.', ['user:u1 REPORTS_TO karen']],
    ['Bill Gates founded Microsoft.', ['bill gates FOUNDED microsoft']],
    ['Microsoft was founded in 1975 by Bill Gates.', ['bill gates FOUNDED microsoft']],
    ['My dog Rex is cute.', ['user:u1 OWNS rex']],
    ['Linus created Linux.', ['linus CREATED linux']],
    ['Tom is a member of Greenpeace.', ['tom MEMBER_OF greenpeace']],
    ['Maria is married to Tom.', ['maria SPOUSE_OF tom']],
    ["Priya's husband Raj is from Mumbai.", ['priya SPOUSE_OF raj']],
    ['My son Leo and my mother Ruth are here.', ['user:u1 PARENT_OF leo', 'ruth PARENT_OF user:u1']],
    [
      'My sister Anna lives in Berlin and loves hiking.',
      ['anna LIVES_IN berlin', 'user:u1 SIBLING_OF anna', 'anna LIKES hiking'],
    ],
    ['Tom and I are best friends.', ['user:u1 FRIEND_OF tom']],
    ['My coworker Lisa said hello.', ['user:u1 KNOWS lisa']],
    [
      'I love hiking, swimming and green tea.',
      ['user:u1 LIKES hiking', 'user:u1 LIKES swimming', 'user:u1 LIKES green tea'],
    ],
    ["John doesn't like tea.", ['john DISLIKES tea']],
    ["I can't stand loud music.", ['user:u1 DISLIKES loud music']],
    ["I'm allergic to peanuts.", ['user:u1 RELATED_TO peanuts']],
    ['We use Python and PostgreSQL at work.', ['user:u1 USES python', 'user:u1 USES postgresql']],
    ['Yesterday I visited Rome.', ['user:u1 VISITED rome']],
    ['I attended the Web Summit.', ['user:u1 ATTENDED web summit']],
    ['Anna: I moved to Paris last year.', ['anna LIVES_IN paris']],
    ['User: I live in Oslo.', ['user:u1 LIVES_IN oslo']],
    ['my wife sarah works at google', ['sarah WORKS_AT google', 'user:u1 SPOUSE_OF sarah']],
  ])('%s', (text, relations) => {
    expect(relationsOf(text).sort()).toEqual([...relations].sort())
  })

  it.each([
    'Does John work at Acme?',
    'Tom thinks that John works at Acme.',
    'I heard that Anna lives in Berlin.',
    'If I worked at Acme I would be rich.',
    'If I work at Acme, I will move to Berlin.',
    'I might join Globex.',
    'I like it when it rains.',
    'I love the idea of moving.',
    'Assistant: I live in Berlin and work at Acme.',
    'He lives in Berlin.',
    '⟦s⟧ works at ⟦0⟧ Acme',
  ])('takes no relationship and no slot from: %s', (text) => {
    expect(relationsOf(text)).toEqual([])
    expect(slotsOf(text)).toEqual([])
  })

  it.each(['I want to live in Paris.', 'Foods like tofu are healthy.', 'I can relax and enjoy the ride.'])(
    'takes no relationship from: %s',
    (text) => {
      expect(relationsOf(text)).toEqual([])
    },
  )

  it.each<[string, string[]]>([
    ['John no longer works at Acme.', ['john WORKS_AT acme']],
    ["I don't work at Acme anymore.", ['user:u1 WORKS_AT acme']],
    ["Tom isn't married to Anna any more.", ['anna SPOUSE_OF tom']],
    ['I used to live in Boston.', ['user:u1 LIVES_IN boston']],
    ['I left Microsoft.', ['user:u1 WORKS_AT microsoft']],
    ['I left Paris for good.', ['user:u1 LIVES_IN paris']],
    ['John was laid off from Acme.', ['john WORKS_AT acme']],
    ['Anna moved out of Berlin.', ['anna LIVES_IN berlin']],
    ['Julia and I got divorced.', ['user:u1 SPOUSE_OF julia']],
    ['I stopped working at Acme.', ['user:u1 WORKS_AT acme']],
    ["I can't stand coffee anymore.", ['user:u1 LIKES coffee']],
    ['I love coffee.', ['user:u1 DISLIKES coffee']],
  ])('ends a known relationship and starts none: %s', (text, ended) => {
    expect(endedIn(text)).toEqual(ended)
    for (const relation of ended) expect(relationsOf(text)).not.toContain(relation)
  })

  it('keeps a stated period as history', () => {
    const [found] = tag('John worked at Acme from 2010 to 2015.').relationships
    expect(found).toMatchObject({
      type: 'WORKS_AT',
      properties: { since: '2010', until: '2015' },
      validFrom: Date.UTC(2010, 0),
      validTo: Date.UTC(2015, 0),
      exclusive: false,
    })
    expect(tag('I have worked at Acme since 2015.').relationships[0]).toMatchObject({
      exclusive: true,
      validFrom: Date.UTC(2015, 0),
    })
  })

  it('does not end a job because of a second one', () => {
    expect(tag('I also work at Lidl on weekends.').relationships).toMatchObject([{ exclusive: false }])
  })

  it.each<[string, string]>([
    ['Emily is married to Jack.', 'Jack is married to Emily.'],
    ['Anna is the sister of Tom.', 'Tom is the brother of Anna.'],
    ['Tom is my friend.', 'I am friends with Tom.'],
    ['John manages Tom.', 'Tom reports to John.'],
    ['Anna is the daughter of Tom.', 'Tom is the father of Anna.'],
  ])('stores both forms in the same direction: %s', (one, other) => {
    expect(relationsOf(one)).toHaveLength(1)
    expect(relationsOf(one)).toEqual(relationsOf(other))
  })

  it.each<[string, Record<string, string>]>([
    ['I work at Acme as a senior engineer.', { role: 'senior engineer' }],
    ['John is a software engineer at Google.', { role: 'software engineer' }],
    ['My cousin Rachel is here.', { relation: 'cousin' }],
  ])('keeps the properties of a relationship: %s', (text, properties) => {
    expect(tag(text).relationships[0]?.properties).toEqual(properties)
  })

  it('ends other relationships of a type only if the type is exclusive', () => {
    const { relationships } = tag('I work at Acme and live in Rome and love tea and visited Oslo.')
    const told = relationships.filter(({ ends }) => !ends)
    expect(Object.fromEntries(told.map(({ type, exclusive }) => [type, exclusive]))).toEqual({
      WORKS_AT: true,
      LIVES_IN: true,
      VISITED: false,
      LIKES: false,
    })
  })
})

describe('rule tagger: slots', () => {
  it.each<[string, string[]]>([
    ['John works at Acme Corp', ['WORKS_AT|john=acme']],
    ['My favourite colour is blue.', ['ATTR|user:u1|favorite color=blue']],
    ['My favorite color is now Green!', ['ATTR|user:u1|favorite color=green']],
    ['My name is Anna Smith.', ['ATTR|user:u1|name=anna smith']],
    ['I am 34 years old.', ['ATTR|user:u1|age=34']],
    ["John's phone number is 555-1234.", ['ATTR|john|phone number=555-1234']],
    ['My birthday is on May 5, 1990.', ['ATTR|user:u1|birthday=may 5, 1990']],
    ['My date of birth is May 5, 1990.', ['ATTR|user:u1|birthday=may 5, 1990']],
    ['My email address is a.b@example.com.', ['ATTR|user:u1|email=a.b@example.com']],
    ['Maybe my favourite colour is blue.', []],
    ['Is my favourite colour blue?', []],
    ['My favourite colour is not blue.', ['ATTR|user:u1|favorite color=!blue']],
    ['I love hiking.', ['HOLDS|TASTE|user:u1|hiking=yes']],
    ["I don't like hiking.", ['HOLDS|TASTE|user:u1|hiking=no']],
    ['John works at Acme Corp and likes chess.', ['WORKS_AT|john=acme', 'HOLDS|TASTE|john|chess=yes']],
  ])('%s', (text, slots) => {
    expect(slotsOf(text)).toEqual(slots)
  })
})

describe('rule tagger: facts that can have several values', () => {
  it.each([
    'One of my favourite colours is red.',
    'My favourite colours are red and blue.',
    'My favourite colour was blue.',
    'My phone is dead.',
    'My hobbies are chess and tea.',
    'My friend Tom is here.',
  ])('%s has no value of its own', (text) => {
    for (const slot of slotsOf(text)) expect(slot).toMatch(/^(?:HOLDS|SOME)\|/)
  })
})

describe('rule tagger: any text', () => {
  const snippet = fc.constantFrom(
    'I work at ',
    'John ',
    'Acme Corp ',
    "'s wife ",
    ', ',
    'my sister ',
    '⟦0⟧',
    '⟦s⟧',
    'is 34. ',
    'likes ',
    '\ud83d',
    'Berlin',
    '?',
    '\n',
    'and ',
  )
  const messy = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 120 }),
    fc.array(fc.oneof(snippet, fc.string({ maxLength: 6 })), { maxLength: 30 }).map((parts) => parts.join('')),
  )

  it('returns known types, keys of its own entities, and each entity once', () => {
    fc.assert(
      fc.property(messy, (text) => {
        const { entities, relationships } = tag(text)
        const keys = entities.map(({ key }) => key)
        expect(new Set(keys).size).toBe(keys.length)
        expect(keys).not.toContain('')
        for (const { type } of entities) expect(entityTypes).toContain(type)
        for (const { type, sourceKey, targetKey } of relationships) {
          expect(relationshipTypes).toContain(type)
          expect(keys).toContain(sourceKey)
          expect(keys).toContain(targetKey)
        }
      }),
    )
  })

  it.each([
    'a',
    'A',
    ' A',
    'A. ',
    'John ',
    "John's ",
    'I like ',
    'I love tea, ',
    'my ',
    'my favourite ',
    'x-',
    '.',
    ', ',
    'the best of ',
    '⟦0⟧ ',
    'and I ',
    'I am not ',
    'the meeting is ',
    'on Monday ',
    'my sister ',
    'by the way, ',
    'Anna and Tom ',
    'no longer ',
    'since 2019 ',
    'is called ',
  ])('finishes on 50,000 characters of %j', (unit) => {
    expect(tag(unit.repeat(Math.ceil(50_000 / unit.length)))).toBeDefined()
  })
})

describe('text in other languages', () => {
  it.each([
    'Der Kindergarten sucht noch Freiwillige für den Flohmarkt.',
    'Mein Rezept liegt in der Apotheke am Markt.',
    'La Navidad me encanta, y a mi Mamá también.',
    'Я живу в доме у реки.',
    '我住在学校旁边。',
  ])('has no names or facts by rules: %s', (text) => {
    const { entities, relationships, slots } = tag(text)
    expect(entities.filter(({ key }) => key !== speaker.key)).toEqual([])
    expect(relationships).toEqual([])
    expect(slots).toEqual([])
  })

  it('leaves an English sentence beside it to the rules', () => {
    const { relationships } = tag('Ich wohne am See und habe drei Katzen. My sister Anna works at Google in London.')
    expect(relationships.map(({ type }) => type)).toContain('WORKS_AT')
  })
})
