/**
 * Relationship patterns over a template: names are ⟦0⟧, ⟦1⟧, … and the speaker is ⟦s⟧, so "My sister Anna works at
 * Acme" reads "⟦s⟧'s sister ⟦0⟧ works at ⟦1⟧". The verb must follow its subject (except for a few adverbs), so "no
 * longer works", "might work" and "doesn't work" don't match.
 */

import type { EntityType, RelationshipType } from '../../core/entity.js'
import { pattern } from '../../core/pattern.js'
import { kin } from '../../language/names/name-context.js'

export interface RelationPattern {
  readonly type: RelationshipType
  readonly pattern: RegExp
  readonly source: readonly EntityType[]
  readonly target: readonly EntityType[]
  /** The noun alone states the relationship, even in "I think my sister Anna …". */
  readonly presupposed: boolean
  /** Name of the property that the group `detail` captures. */
  readonly detail?: string
  /** The verb says that it is over, or that it is new. */
  readonly over?: boolean
  readonly change?: boolean
}

const adverb = pattern`
  (?: (?:currently|now|still|also|recently|just|already|really|actually|always|often|absolutely|truly|finally
  |officially|mostly|usually|both|all|then|even|happily|secretly|totally|particularly|especially|only|first
  |sometimes|previously)){0,2}
`
const S = '⟦(?<s>\\d+|s)⟧'
const T = '(?:the )?⟦(?<t>\\d+|s)⟧'
const be = '(?: am| is| are)'
const has = "(?: have| has|'ve)"
const role = '(?<detail>[\\p{L}-]+(?: [\\p{L}-]+){0,4}?)'
const calls = '(?:,| named| called)?'
const isCalled = "(?: is| is now| is called| is named| are called|'s name is| name is)"
const kinAdjective =
  '(?: (?:older|younger|little|big|twin|eldest|oldest|youngest|middle|only|best|good|close|old|dear|new|late|ex|former|first|second|current|great|line|direct|half|step|closest|childhood|work)){0,3}?'
/** "The ⟦0⟧ concert" is not ⟦0⟧. */
const alone =
  "(?!'s| (?:concert|show|game|match|festival|party|group|museum|wedding|house|exhibit|exhibition|conference|event|prayer|tour|program|restaurant|store)s?\\b)"
const person: readonly EntityType[] = ['PERSON']
const organisation: readonly EntityType[] = ['ORG']
const place: readonly EntityType[] = ['LOCATION']
const anything: readonly EntityType[] = ['PERSON', 'ORG', 'LOCATION', 'PRODUCT', 'EVENT', 'CONCEPT']

const says = (
  type: RelationshipType,
  source: readonly EntityType[],
  target: readonly EntityType[],
  text: string,
  detail?: string,
): RelationPattern => ({
  type,
  pattern: new RegExp(text, 'gu'),
  source,
  target,
  presupposed: false,
  ...(detail === undefined ? {} : { detail }),
})
const presupposes = (
  type: RelationshipType,
  target: readonly EntityType[],
  text: string,
  detail?: string,
): RelationPattern => ({
  ...says(type, person, target, text, detail),
  presupposed: true,
})

/** "X's sister Y": the meaning of each noun. `back`: Y is the source. */
const kinNoun = (nouns: string, type: RelationshipType, back: boolean, detail?: string): RelationPattern[] => {
  const [owner, other] = back ? ['t', 's'] : ['s', 't']
  const noun = detail === undefined ? `(?:${nouns})` : `(?<detail>${nouns})`
  return [
    presupposes(type, person, `⟦(?<${owner}>\\d+|s)⟧'s${kinAdjective} ${noun}${calls} ⟦(?<${other}>\\d+)⟧`, detail),
    says(
      type,
      person,
      person,
      `⟦(?<${owner}>\\d+|s)⟧'s${kinAdjective} ${noun}${isCalled} ⟦(?<${other}>\\d+)⟧(?!'s)`,
      detail,
    ),
    says(
      type,
      person,
      person,
      `⟦(?<${other}>\\d+|s)⟧${be}${adverb} ⟦(?<${owner}>\\d+|s)⟧'s${kinAdjective} ${noun}(?![\\p{L}])`,
      detail,
    ),
    presupposes(
      type,
      person,
      `⟦(?<${other}>\\d+)⟧, ⟦(?<${owner}>\\d+|s)⟧'s${kinAdjective} ${noun}(?![\\p{L}])`,
      detail,
    ),
    says(
      type,
      person,
      person,
      `⟦(?<${other}>\\d+|s)⟧${be}${adverb} (?:the|an?)${kinAdjective} ${noun} of ⟦(?<${owner}>\\d+|s)⟧`,
      detail,
    ),
    says(
      type,
      person,
      person,
      `⟦(?<${owner}>\\d+|s)⟧ (?:has|have|got) an?${kinAdjective} ${noun},?(?: who is)? (?:named|called) ⟦(?<${other}>\\d+)⟧`,
      detail,
    ),
  ]
}

export const relationPatterns: readonly RelationPattern[] = [
  says(
    'WORKS_AT',
    person,
    organisation,
    `${S}${adverb} works?(?: (?:full[- ]time|part[- ]time|remotely|hard))?(?: as (?:an?|the) ${role})? (?:at|for) ${T}`,
    'role',
  ),
  says(
    'WORKS_AT',
    person,
    organisation,
    `${S}${adverb} works?(?: (?:full[- ]time|part[- ]time|remotely))? (?:at|for) ${T} as (?:an?|the|their) ${role}(?=[.,;!]|$| (?:and|in|since|from|but|for|where|with|on)\\b)`,
    'role',
  ),
  says(
    'WORKS_AT',
    person,
    organisation,
    `${S}(?:${be}|${has} been)${adverb} working(?: as (?:an?|the) ${role})? (?:at|for) ${T}`,
    'role',
  ),
  says(
    'WORKS_AT',
    person,
    organisation,
    `${S}(?:${be}| got| was| has been| have been)${adverb} (?:employed|hired) (?:by|at|with) ${T}`,
  ),
  says(
    'WORKS_AT',
    person,
    organisation,
    `${S}(?:${be}|${has} been)${adverb} (?:at|with) ${T}(?= (?:now|these days|nowadays|as an?|since|for (?:about |over |almost )?[\\p{L}\\d]+ (?:years|months)))`,
  ),
  says(
    'WORKS_AT',
    person,
    organisation,
    `${S}(?:${has})?${adverb} (?:moved|switched|transferred|went)(?: over)? to ${T} as (?:an?|the|their) ${role}(?=[.,;!]|$| (?:and|in|since|last|this|on)\\b)`,
    'role',
  ),
  says(
    'WORKS_AT',
    person,
    organisation,
    `${S}(?:${has})?${adverb} joined ${T}(?! (?:band|club|choir|team|league|gym))(?: as (?:an?|the|their) ${role}(?=[.,;!]|$| (?:and|in|since|last|this|on)\\b))?`,
    'role',
  ),
  says(
    'WORKS_AT',
    person,
    organisation,
    `${S}(?:${has})?${adverb} (?:got|took|started|landed|accepted|have|has)(?: (?:an?|the|⟦s⟧'s))?(?: new| great)? (?:job|position|role|internship)(?: as (?:an?|the) ${role})? (?:at|with) ${T}`,
    'role',
  ),
  says(
    'WORKS_AT',
    person,
    organisation,
    `${S}(?:${has})?${adverb} started (?:working )?(?:as (?:an?|the) ${role} )?(?:at|for) ${T}`,
    'role',
  ),
  says('WORKS_AT', person, organisation, `${S}${be}${adverb} (?:an?|the) ${role} (?:at|for) ${T}`, 'role'),
  says(
    'WORKS_AT',
    person,
    organisation,
    pattern`
      ${S}${be}${adverb} (?:an?|the) (?<detail>(?:[\p{L}-]+ ){0,3}?(?:ceo|cto|cfo|coo|vp|president|director|head
      |chair|chairman|chairwoman|manager|principal|dean|editor|chief)(?: [\p{L}-]+){0,2}?) of ${T}
    `,
    'role',
  ),
  says('WORKS_AT', person, organisation, `${S}(?: got| was|${has} been)${adverb} promoted to ${role} at ${T}`, 'role'),
  says('WORKS_AT', person, organisation, `${S}, (?:an?|the) ${role} at ${T}`, 'role'),
  says('WORKS_AT', person, organisation, `${S}'s (?:current |new )?(?:employer|workplace) is ${T}`),
  says(
    'WORKS_AT',
    person,
    organisation,
    `⟦(?<t>\\d+)⟧ (?:employs|hired|has hired) (?:⟦(?:\\d+|s)⟧'s(?: [\\p{L}-]+){1,2} )?⟦(?<s>\\d+|s)⟧(?!'s)`,
  ),
  says(
    'STUDIES_AT',
    person,
    organisation,
    `${S}(?:${be})?${adverb} (?:study|studies|studying|studied|enrolled)(?: ${role})? (?:at|in) ${T}`,
    'subject',
  ),
  says('STUDIES_AT', person, organisation, `${S}${be}${adverb} an? (?:[\\p{L}-]+ ){0,3}?student (?:at|of) ${T}`),
  says('STUDIES_AT', person, organisation, `${S}(?:${has})?${adverb} graduated from ${T}`),

  says(
    'LIVES_IN',
    person,
    place,
    `${S}(?:(?:${be}|${has} been)${adverb} living|${adverb} lives?|${adverb} resides?|${be}${adverb} based|${be}${adverb} residing) (?:in|near|at) ${T}(?:, ⟦(?<wide>\\d+)⟧)?`,
  ),
  says(
    'LIVES_IN',
    person,
    place,
    `${S}(?:${has})?${adverb} (?:moved|relocated|emigrated|immigrated|settled)(?: back| permanently| down| over)?(?: from (?:the )?⟦\\d+⟧(?:, ⟦\\d+⟧)?)? (?:to|in) ${T}(?:, ⟦(?<wide>\\d+)⟧)?`,
  ),
  says('LIVES_IN', person, place, `${S}'s (?:home|house|apartment|flat) is in ${T}`),
  says(
    'LOCATED_IN',
    ['ORG', 'LOCATION', 'EVENT'],
    place,
    `${S}(?: is| are)(?: (?:based|located|headquartered|situated))? in ${T}`,
  ),
  says('LOCATED_IN', organisation, place, `${S}'s (?:headquarters|head office|office) (?:is|are) in ${T}`),
  says('BORN_IN', person, place, `${S}(?: was| were|,)?${adverb} born(?: and raised)? in ${T}`),

  says('MANAGES', person, ['PERSON', 'ORG'], `${S}${adverb} (?:manages?|leads?|supervises?|heads?|runs?) ${T}`),
  says(
    'REPORTS_TO',
    person,
    person,
    `${S}${adverb} (?:reports?(?: directly)? to|works?(?: directly)? (?:for|under)) ${T}`,
  ),
  says('REPORTS_TO', person, person, `${S}${be}${adverb} (?:managed|supervised|led) by ${T}`),
  ...kinNoun('boss|manager|supervisor', 'REPORTS_TO', false),
  ...kinNoun('report|subordinate|employee|intern', 'REPORTS_TO', true),

  says('FOUNDED', person, organisation, `${S}(?:${has})?${adverb} (?:founded|co-?founded|established|set up) ${T}`),
  says(
    'FOUNDED',
    person,
    organisation,
    `⟦(?<t>\\d+)⟧ was (?:founded|co-?founded|established|started)(?: in \\d{4})? by ⟦(?<s>\\d+|s)⟧`,
  ),
  says(
    'FOUNDED',
    person,
    organisation,
    `${S}(?: am| is| was| are|,)${adverb} (?:an?|the) (?:ceo and )?(?:co-?)?founder of ${T}`,
  ),
  says('OWNS', ['PERSON', 'ORG'], anything, `${S}${adverb} owns?(?: an?| ⟦s⟧'s)? ${T}`),
  says('OWNS', person, anything, `${S}${be} the owner of ${T}`),
  says('OWNS', person, ['PRODUCT'], `${S}(?:${has})?${adverb} (?:bought|purchased)(?: an?)?(?: new| used)? ${T}`),
  presupposes(
    'OWNS',
    ['CONCEPT', 'PERSON'],
    `${S}'s (?:dog|cat|puppy|kitten|pet|horse|rabbit|parrot|hamster|boat)${calls} ⟦(?<t>\\d+)⟧`,
  ),
  says(
    'OWNS',
    person,
    ['CONCEPT', 'PERSON'],
    `${S}'s (?:dog|cat|puppy|kitten|pet|horse|rabbit|parrot|hamster|boat)${isCalled} ⟦(?<t>\\d+)⟧`,
  ),
  says(
    'OWNS',
    person,
    ['CONCEPT', 'PERSON'],
    `${S} (?:has|have|got) an? (?:[\\p{L}-]+ ){0,2}?(?:dog|cat|puppy|kitten|horse|rabbit|parrot|hamster|boat) (?:named|called) ⟦(?<t>\\d+)⟧`,
  ),
  says(
    'OWNS',
    person,
    ['CONCEPT', 'PERSON'],
    `⟦(?<t>\\d+)⟧(?: is| was) ⟦(?<s>\\d+|s)⟧'s (?:[\\p{L}-]+ )?(?:dog|cat|puppy|kitten|pet|horse|rabbit|parrot|hamster|boat)(?![\\p{L}])`,
  ),
  says(
    'CREATED',
    ['PERSON', 'ORG'],
    ['PRODUCT', 'CONCEPT', 'ORG', 'EVENT'],
    `${S}(?:${has})?${adverb} (?:created|wrote|built|designed|invented|developed|composed|directed|authored|published) ${T}`,
  ),
  says(
    'CREATED',
    ['PERSON', 'ORG'],
    ['PRODUCT', 'CONCEPT'],
    `⟦(?<t>\\d+)⟧ (?:is|was) (?:created|written|built|designed|invented|developed|composed|directed|made) by (?:the )?⟦(?<s>\\d+|s)⟧`,
  ),
  says(
    'MEMBER_OF',
    person,
    organisation,
    `${S}${be}${adverb} (?:an? )?(?:[\\p{L}-]+ )?(?:member|part) of ${T}${alone}`,
  ),
  says(
    'MEMBER_OF',
    person,
    organisation,
    `${S}${adverb} (?:plays? (?:[\\p{L}]+ )?for|belongs? to|sings? in|plays? (?:[\\p{L}]+ )?in) ${T}`,
  ),

  says('SPOUSE_OF', person, person, `${S}(?:${be}|${has} been)${adverb} married to ${T}`),
  says('SPOUSE_OF', person, person, `${S}(?:${has})?${adverb} (?:married|got married to) ${T}`),
  says('SPOUSE_OF', person, person, `${S} and ⟦(?<t>\\d+|s)⟧ (?:are|got)(?: happily)? married`),
  ...kinNoun('wife|husband|spouse', 'SPOUSE_OF', false),
  ...kinNoun('son|daughter|child|kid|stepson|stepdaughter', 'PARENT_OF', false),
  ...kinNoun('(?:step)?(?:mother|father|mom|mum|dad)(?!-in-law)|mommy|mummy|daddy|mama|papa|parent', 'PARENT_OF', true),
  ...kinNoun('sister|brother|sibling|twin', 'SIBLING_OF', false),
  says('SIBLING_OF', person, person, `${S} and ⟦(?<t>\\d+|s)⟧ are(?: twin)? (?:siblings|sisters|brothers|twins)`),
  ...kinNoun('friend|buddy|pal', 'FRIEND_OF', false),
  says('FRIEND_OF', person, person, `${S}${be}${adverb}(?: best| good| close| old)? friends with ${T}`),
  says('FRIEND_OF', person, person, `${S} and ⟦(?<t>\\d+|s)⟧ are(?: best| good| close| old)? friends`),
  // Engaged is not married: the wedding ends this relationship.
  ...kinNoun('fianc[ée]e?', 'RELATED_TO', false, 'relation'),
  ...kinNoun(otherRelations(), 'KNOWS', false, 'relation'),
  says('KNOWS', person, person, `${S}(?:${has})?${adverb} (?:knows?|met|known) ${T}`),

  says(
    'VISITED',
    person,
    place,
    pattern`
      ${S}(?:${has})?${adverb} (?:visited|been to|toured|(?:went|travell?ed|flew|drove)(?: back)? to|(?:got
      |came) back from|returned from|(?:took|made|had)(?: an?)?(?: [\p{L}-]+)? (?:trip|vacation|holiday|flight) (?:to
      |in)|vacationed in) ${T}${alone}
    `,
  ),
  says(
    'ATTENDED',
    person,
    ['EVENT'],
    `${S}(?:${has})?${adverb} (?:attended|went to|been to|participated in|took part in|spoke at|presented at|competed in|ran|attend) ${T}${alone}`,
  ),
]

function otherRelations(): string {
  const own = new Set(
    `wife husband spouse son daughter child kid mother father mom mum dad parent sister brother sibling twin friend boss
manager supervisor baby ex assistant stepson stepdaughter stepmother stepfather buddy fiancée? fiance`.split(/\s+/u),
  )
  return kin
    .split('|')
    .filter((noun) => !own.has(noun))
    .join('|')
}

/**
 * Verbs whose object may be any thing, named or not. "I" takes the bare verb and a name the one with an -s, so that
 * "foods like tofu" is not a taste.
 */
export const tastePatterns: readonly {
  readonly type: RelationshipType
  readonly pattern: RegExp
  readonly relation?: string
}[] = [
  ...taste('LIKES', ['like', 'love', 'enjoy', 'adore', 'prefer']),
  after(
    'LIKES',
    `${be}${adverb}(?: an?)?(?: big| huge| massive)? (?:fan of|into|fond of|passionate about|obsessed with|crazy about)`,
  ),
  ...taste('DISLIKES', ['dislike', 'hate', 'detest', 'loathe', 'despise']),
  after('DISLIKES', `${adverb} (?:can't|cannot|can not) stand`),
  after(
    'DISLIKES',
    `${adverb} (?:does not|do not|doesn't|don't)(?: really| particularly| much)? (?:like|enjoy|care for)`,
  ),
  after('DISLIKES', `${be} not(?: an?)?(?: big| huge)? (?:fan of|fond of|into)`),
  ...taste('USES', ['use', 'code in', 'program in']),
  after('USES', `(?:${be}${adverb} using|(?:${has})?${adverb} switched to)`),
  {
    ...after('RELATED_TO', `${be}${adverb}(?: severely| deathly| mildly| very)? allergic to`),
    relation: 'allergic to',
  },
]

function taste(type: RelationshipType, verbs: readonly string[]) {
  const bare = verbs.join('|')
  const inflected = verbs.map((verb) => verb.replace(/^(\S+)/, '$1s')).join('|')
  return [`⟦(?<s>s)⟧${adverb}(?: do)? (?:${bare})`, `⟦(?<s>\\d+)⟧${adverb} (?:${inflected})`].map((text) => ({
    type,
    pattern: new RegExp(`${text} (?!⟦s⟧ )`, 'gu'),
  }))
}

function after(type: RelationshipType, text: string) {
  return { type, pattern: new RegExp(`${S}${text} `, 'gu') }
}
