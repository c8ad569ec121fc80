/**
 * Reads any clause with a subject and a verb that no more specific rule matches: what someone is, has and does. "I play
 * tennis every week" and "I stopped playing tennis" share one slot with the values `yes` and `no`.
 */

import { adjectives, daySource, digits, isPast, isVerb, stem, withoutTimes } from '../../language/words/words.js'
import { phraseKey, type Reading, thingKey } from './reading.js'

const adverb =
  /^(?:now|also|still|just|really|recently|finally|currently|then|always|often|usually|sometimes|both|already|actually|absolutely|mostly|only|even|definitely|normally|typically|regularly|probably|happily|officially|severely|deathly|mildly|all|never|mainly|basically|pretty|quite|very|so|to|up|out|back) /u

/** Returns whether the clause was read. */
export function readStatement(reading: Reading): boolean {
  const parsed = subjectOf(reading)
  if (!parsed) return false
  const { subject, rest } = parsed
  const [first = '', ...others] = rest.split(' ')
  const after = others.join(' ')
  if (/^(?:am|is|are|was|were|'s)$/u.test(first)) return readBeing(reading, subject, stripped(after), first)
  if (/^(?:have|has|'ve)$/u.test(first)) return readHaving(reading, subject, stripped(after))
  if (first === 'can' || first === 'could')
    return put(reading, subject, `can ${stem(wordsOf(after)[0] ?? '')}`, restOf(after))
  if (/^(?:will|would|shall|may|might|must|should|do|does|did)$/u.test(first)) return false
  if (!isVerb(first) && !/(?:s|ed|ing)$/u.test(first) && !subject.plain) return false
  return readDoing(reading, subject, first, after, isPast(first))
}

interface Subject {
  readonly key: string
  /** A name or "I": the verb follows immediately. */
  readonly plain: boolean
}

function subjectOf(reading: Reading): { subject: Subject; rest: string } | null {
  const text = reading.clause.stated
  const plain = /^⟦(\d+|s)⟧ (?!and )(.+)$/u.exec(text)
  if (plain) {
    const key = reading.keyOf(plain[1] ?? '')
    return key === null ? null : { subject: { key, plain: true }, rest: stripped(plain[2] ?? '') }
  }
  const tokens = text.split(' ').slice(0, 14)
  const at = verbAt(tokens)
  if (at < 1) return null
  const phrase = tokens.slice(0, at).join(' ')
  // "He" in a separate sentence refers to an unknown person.
  if (
    /^(?:i|we|he|she|it|they|this|that|these|those|who|which|what|someone|somebody|everyone|everybody|you|there|here)(?:'s)?(?: |$)/u.test(
      phrase,
    )
  )
    return null
  const key = thingKey(reading, phrase.replace(/^⟦s⟧'s /u, ''))
  return key === null
    ? null
    : { subject: { key: `the ${key}`, plain: false }, rest: text.split(' ').slice(at).join(' ') }
}

/** Position of the verb after a longer subject: "my work email is", "the store closes". */
function verbAt(tokens: readonly string[]): number {
  const sure = tokens.findIndex(
    (token, index) => index > 0 && /^(?:am|is|are|was|were|has|have|had|can|will)$/u.test(token),
  )
  const likely = tokens.findIndex((token, index) => index > 0 && /(?:s|ed)$/u.test(token) && isVerb(token))
  if (sure > 0 && (likely < 0 || sure < likely)) return sure
  return likely > 0 ? likely : tokens.findIndex((token, index) => index > 1 && isVerb(token))
}

function stripped(text: string): string {
  let rest = text
  for (let next = rest.replace(adverb, ''); next !== rest; next = rest.replace(adverb, '')) rest = next
  return rest
}

const wordsOf = (text: string): string[] => text.split(' ').filter((word) => word !== '')
const restOf = (text: string): string => wordsOf(text).slice(1).join(' ')

const statuses =
  /^(?:happily |officially |legally )?(single|married|divorced|engaged|widowed|separated|unmarried|remarried|(?:an? )?(?:widow|widower)|in a (?:[\p{L}-]+ )*relationship|seeing someone|dating someone|dating)(?![\p{L}])(?! ⟦)/u
const diets =
  /^(?:an? |on an? )?(?:strict |lifelong )?(vegan|vegetarian|pescatarian|flexitarian|omnivore|carnivore|keto|lactose-free|gluten-free)s?(?![\p{L}])/u
const idle =
  /^(?:unemployed|jobless|retired|out of work|between jobs|out of a job|looking for (?:work|a job))(?![\p{L}])/u
const trades =
  /(?:[a-z]{2,}(?:er|or|ist|ian|eer|smith|maker)|nurse|chef|cook|pilot|clerk|guard|judge|monk|priest|pastor|doctor|dentist|vet|surgeon|paramedic|midwife|accountant|consultant|assistant|attendant|agent|architect|analyst|barista|waitress|actress|intern|apprentice|plumber|mechanic|technician|electrician|officer|coach|mayor|director|executive|freelance|student|ceo|cto|captain|firefighter|lead|representative|postdoc)$/u
const notTrades =
  /^(?:member|lover|owner|mother|father|brother|sister|daughter|teenager|believer|beginner|foster|christian|partner|stranger|speaker|supporter|vegetarian|user|holder|minor|senior|junior|outsider|loner|sufferer|neighbou?r|monster|winner|number|matter|letter|order|river|killer|survivor|donor|smoker|drinker|sleeper|morning|eater|collector|twin|fan)$/u

function readBeing(reading: Reading, subject: Subject, predicate: string, form: string): boolean {
  const { holds, change } = reading.clause
  const no = holds === 'yes' ? '' : '!'
  const status = statuses.exec(predicate)?.[1]
  if (status && subject.key !== '') {
    const value = status
      .replace(/^an? /u, '')
      .replace('remarried', 'married')
      .replace(/^widower?$/u, 'widowed')
      .replace(/^(?:seeing|dating).*|^in a .*/u, 'in a relationship')
    reading.slot({ slot: `ATTR|${owner(subject)}|relationship status`, value: no + value })
    if (/single|divorced|widowed/u.test(value) && no === '') endPartnerships(reading, owner(subject))
    return true
  }
  const diet = diets.exec(predicate)?.[1]
  if (diet) {
    reading.slot({ slot: `ATTR|${owner(subject)}|diet`, value: no + diet })
    return true
  }
  if (idle.test(predicate)) {
    if (no === '') {
      reading.slot({ slot: `WORKS_AT|${owner(subject)}`, value: '-' })
      reading.slot({ slot: `SOME|${owner(subject)}|occupation`, value: '-', change: true, implied: true })
    }
    return no === ''
  }
  const doing = /^(?:been )?([\p{L}]{2,}ing)(?: (.*))?$/u.exec(predicate)
  const pursuit = /(?:^| )(?:job|hobby|passion|dream|goal|plan|favou?rite)$/u.test(subject.key)
  if (
    doing &&
    !pursuit &&
    !/^(?:interesting|boring|amazing|nothing|something|exciting|morning|evening)$/u.test(doing[1] ?? '')
  )
    return readDoing(reading, subject, doing[1] ?? '', doing[2] ?? '', false)
  const trade =
    /^(?:an?|the|⟦\d+⟧'s) ((?:[\p{L}-]+ ){0,3}?[\p{L}-]+)(?=$|,| (?:now|at|for|in|by|these|since|from|and|with|who)(?![\p{L}]))/u.exec(
      predicate,
    )?.[1]
  const head = trade?.split(' ').at(-1) ?? ''
  if (trade && subject.plain && trades.test(head) && !notTrades.test(head)) {
    reading.slot({ slot: `SOME|${subject.key}|occupation`, value: no + phraseKey(reading, trade), change })
    return true
  }
  const origin = /^(?:originally )?from (.+)$/u.exec(predicate)?.[1]
  if (origin && subject.plain) {
    reading.slot({ slot: `SOME|${subject.key}|from`, value: no + phraseKey(reading, origin), change })
    return true
  }
  if (form === 'was' || form === 'were') return putEvent(reading, subject, `be ${predicate}`)
  const better = /^(?:fine|better|ok|okay|good|healed|gone|over|well|all right|cured)(?: again| now)?$/u.test(predicate)
  if (better && !subject.plain) {
    const body = subject.key.replace(/^the /u, '')
    reading.slot({ slot: `HOLDS|${subject.key}|hurt`, value: 'no' })
    reading.slot({ slot: `HOLDS|${reading.keyOf('s')}|have ${body}`, value: 'no', implied: true })
    return true
  }
  const where = /^(?:in|at|on|near) (?!(?:fire|sale|hold|time|order|danger)(?![\p{L}]))(.+)$/u.exec(predicate)?.[1]
  if (where && !subject.plain) {
    const place = phraseKey(reading, withoutTimes(where))
    if (place !== '') reading.slot({ slot: `SOME|${subject.key}|where`, value: no + place, change })
    return place !== ''
  }
  const grade =
    /^in (?:the )?([\p{L}\d]+ grade|kindergarten|(?:middle|high|primary|elementary) school|college)(?![\p{L}])/u.exec(
      predicate,
    )
  if (grade) {
    reading.slot({ slot: `SOME|${subject.key}|grade`, value: no + phraseKey(reading, grade[1] ?? ''), change })
    return true
  }
  // "My rent is 1200 euros", "my go-to lunch is soup": a thing and its value.
  if (!subject.plain && !/^(?:in|at|on|with|from|for|to) /u.test(predicate)) {
    const said = predicate.replace(/,? (?:because|since|so|but|which|now|these days) ?.*$/u, '')
    const value = phraseKey(reading, withoutTimes(said)) || phraseKey(reading, said)
    if (value === '') return false
    // "My job is fun" and "my job is hard" can both be true.
    if (!pursuit && !/[ \d⟦]/u.test(said.trim())) return put(reading, subject, 'be', said)
    reading.slot({ slot: `SOME|${subject.key}|be`, value: no + value, change })
    return true
  }
  return put(reading, subject, 'be', predicate)
}

export function endPartnerships(reading: Reading, key: string): void {
  reading.slot({ slot: `SPOUSE_OF|${key}`, value: '-', implied: true })
  reading.slot({ slot: `PARTNER|${key}`, value: '-', implied: true })
}

/** Key of the subject: "the …" for a thing, otherwise the person. */
function owner(subject: Subject): string {
  return subject.key
}

function readHaving(reading: Reading, subject: Subject, text: string): boolean {
  const [first = '', ...others] = wordsOf(text)
  const rest = others.join(' ')
  if (first === 'been') return readBeing(reading, subject, stripped(rest), 'been')
  if (first === 'got' && others.length > 0) return putThing(reading, subject, rest)
  const participle =
    isVerb(first) && !/^(?:an?|the|no|some|any)$/u.test(first) && /(?:ed|en|[^a]t|ne|wn|me)$/u.test(first)
  if (participle && others.length > 0) {
    if (/(?<![\p{L}])since (?:⟦s⟧ |\d|[\p{L}]+)|for (?:\d+|[\p{L}]+) years/u.test(rest))
      return readDoing(reading, subject, first, rest, false)
    return putEvent(reading, subject, text)
  }
  return putThing(reading, subject, text)
}

const named =
  /,? (?:named|called|whose name|by the name|who|which|that|because|since|where|when|but|so) .*$|[,:;(] ?.*$/u

/**
 * The noun of a phrase, and the words that qualify it ("a small bakery in Rome" is a bakery); the latter start with a
 * space.
 */
export function thingParts(reading: Reading, phrase: string): { key: string; detail: string } {
  const { object, detail } = objectOf(phrase)
  const words = wordsOf(object)
  const plain = words.filter((word) => !adjectives.has(word))
  const rest = [...words.filter((word) => adjectives.has(word)), detail].join(' ')
  const narrowed = phraseKey(reading, rest)
  return {
    key: phraseKey(reading, (plain.length > 0 ? plain : words).join(' ')),
    detail: narrowed === '' ? '' : ` ${narrowed}`,
  }
}

/** A possession, with its number where the text gives one. */
function putThing(reading: Reading, subject: Subject, phrase: string): boolean {
  const things = phrase.split(/,? and (?=(?:an?|the|\d+|two|three|four|five|six|some|⟦s⟧'s) )/u).slice(0, 6)
  return things.map((thing) => putOneThing(reading, subject, thing)).some((put) => put)
}

function putOneThing(reading: Reading, subject: Subject, phrase: string): boolean {
  const { holds } = reading.clause
  const bare = withoutTimes(phrase.replace(named, ''))
  const [first = '', ...others] = wordsOf(bare)
  const count = digits(first)
  if (/^\d+$/u.test(count) && count !== '1' && others.length > 0 && holds === 'yes') {
    reading.slot({ slot: `ATTR|${subject.key}|number of ${thingParts(reading, others.join(' ')).key}`, value: count })
    return true
  }
  const { key, detail } = thingParts(reading, bare.replace(/^(?:no|any) /u, ''))
  if (key === '') return false
  const no = holds !== 'yes' || first === 'no'
  reading.slot({ slot: `HOLDS|${subject.key}|have ${key}`, value: (no ? 'no' : 'yes') + detail })
  const love = /^(?:girlfriend|boyfriend|partner|wife|husband|fianc[ée]+)$/u.test(key)
  if (love && no) endPartnerships(reading, subject.key)
  else if (love)
    reading.slot({ slot: `ATTR|${subject.key}|relationship status`, value: 'in a relationship', implied: true })
  return true
}

/** A person has one of these at a time once a text says that it changed. */
const oneAtATime: ReadonlySet<string> = new Set(
  ['drive', 'read', 'prefer', 'study', 'rent', 'wear', 'major', 'live'].map(stem),
)
const owning: ReadonlySet<string> = new Set(['own', 'possess', 'keep', 'buy', 'purchase', 'adopt'].map(stem))

function readDoing(reading: Reading, subject: Subject, form: string, rest: string, past: boolean): boolean {
  const { holds, change } = reading.clause
  if (/^go(?:es|ing)?$/u.test(form) && /^[\p{L}]{2,}ing(?![\p{L}])/u.test(rest))
    return readDoing(reading, subject, wordsOf(rest)[0] ?? '', restOf(rest), false)
  const verb = stem(form)
  if (owning.has(verb) && /^(?:an?|the|⟦|[\p{L}]+ )/u.test(rest) && rest !== '')
    return putThing(reading, subject, rest.replace(/^new /u, ''))
  if (/^(?:moved|relocated)$/u.test(form) && /^(?:back )?(?:in)?to /u.test(rest)) {
    // A home, with or without a name: "in a small village".
    const place = phraseKey(reading, objectOf(withoutTimes(rest.replace(/^back /u, ''))).object)
    if (place === '') return false
    reading.slot({ slot: `SOME|${subject.key}|${subject.plain ? stem('live') : 'where'}`, value: place, change: true })
    return true
  }
  if (past || (form === 'read' && /(?<![\p{L}])(?:last|this|yesterday|once|ago|in \d{4})(?![\p{L}])/u.test(rest)))
    return putEvent(reading, subject, `${form} ${rest}`)
  const no = holds === 'yes' ? '' : '!'
  if (verb === 'weigh' || verb === 'cost' || verb === 'earn') {
    const value = /\d[\d.,]*(?: ?[\p{L}$€£%]+)?/u.exec(rest)?.[0]
    if (value === undefined) return false
    reading.slot({ slot: `ATTR|${subject.key}|${verb}`, value })
    return true
  }
  const dose = /^(\d[\d.,]* ?(?:mg|g|ml|mcg|µg|units?|pills?|tablets?|drops?))(?: of)? (.+)$/u.exec(rest)
  if (dose && verb === 'tak') {
    reading.slot({
      slot: `HOLDS|${subject.key}|tak ${phraseKey(reading, objectOf(dose[2] ?? '').object)}`,
      value: 'yes',
    })
    reading.slot({
      slot: `ATTR|${subject.key}|dose of ${phraseKey(reading, objectOf(dose[2] ?? '').object)}`,
      value: dose[1] ?? '',
    })
    return true
  }
  const rising = /^(wake|get|go)s? (?:up|to bed)?.*?(?:^| )at (\d{1,2}(?:[:.]\d{2})?(?: ?[ap]m)?)/u.exec(
    `${verb === 'wak' ? 'wake' : form} ${rest}`,
  )
  if (rising && /(?:^| )(?:up|bed)(?: |$)/u.test(`${form} ${rest}`)) {
    reading.slot({
      slot: `ATTR|${subject.key}|${rising[1]} ${/bed/u.test(rest) ? 'bed' : 'up'} at`,
      value: rising[2] ?? '',
    })
    return true
  }
  if (verb === 'eat' && /^(?:meat|red meat|animals?)(?![\p{L}])/u.test(rest)) {
    const more = phraseKey(reading, rest.replace(/^[\p{L}]+ ?(?:or )?/u, ''))
    reading.slot({ slot: `ATTR|${subject.key}|diet`, value: `${no}meat${more === '' || no === '' ? '' : ` ${more}`}` })
    return true
  }
  const company = verb === stem('live') ? /^(?:(alone)|(?:together )?with (.+))/u.exec(rest) : null
  if (company) {
    const whom = company[1] ?? phraseKey(reading, withoutTimes(company[2] ?? ''))
    reading.slot({ slot: `SOME|${subject.key}|live with`, value: no + whom, change })
    return true
  }
  const workplace = verb === 'work' ? /^(?:part[- ]time |full[- ]time )?(?:at|for) (.+)$/u.exec(rest)?.[1] : undefined
  if (workplace !== undefined) {
    const { key } = thingParts(reading, withoutTimes(workplace))
    if (key === '') return false
    reading.slot({ slot: `SOME|${subject.key}|work`, value: no + key, change })
    if (change && no === '') reading.slot({ slot: `WORKS_AT|${subject.key}`, value: '*', change, implied: true })
    return true
  }
  if (
    oneAtATime.has(verb) &&
    (verb === stem('live') ? /^(?:in|on|at|near) /u : /^(?!(?:in|on|at|to|with|for|from) )/u).test(rest)
  ) {
    const key = phraseKey(reading, withoutTimes(objectOf(rest).object))
    if (key !== '') {
      reading.slot({ slot: `SOME|${subject.key}|${verb}`, value: no + key, change })
      return true
    }
  }
  return put(reading, subject, verb, rest)
}

const contrast = /^(.*?),? (?:not|instead of|rather than) (?!only|just|really)(.+)$/u

/** A habit or a state; the words after its object qualify it. */
function put(reading: Reading, subject: Subject, verb: string, rest: string): boolean {
  const { holds } = reading.clause
  const [, kept = rest, not] = contrast.exec(rest) ?? []
  const thing = thingParts(reading, withoutTimes(kept))
  const key = `${verb} ${thing.key}`.trim()
  if (key === 'be' || key === '' || key === 'do') return false
  // "I sleep eight hours": the amount is the statement.
  const amount = thing.key === '' ? phraseKey(reading, kept) : ''
  if (/^\d/u.test(amount)) {
    const no = holds === 'yes' ? '' : '!'
    reading.slot({ slot: `SOME|${subject.key}|${verb}`, value: no + amount, change: reading.clause.change })
    return true
  }
  reading.slot({ slot: `HOLDS|${subject.key}|${key}`, value: (holds === 'yes' ? 'yes' : 'no') + thing.detail })
  if (not !== undefined)
    reading.slot({
      slot: `HOLDS|${subject.key}|${`${verb} ${phraseKey(reading, objectOf(withoutTimes(not)).object)}`}`,
      value: 'no',
    })
  return true
}

const links = /^(?:to|at|in|on|with|for|of|about|from|into|as|by|near|over|under|like)$/u

/** The first phrase after the verb, and everything after it. */
function objectOf(text: string): { object: string; detail: string } {
  const cut =
    text.split(
      /,| (?:because|since|when|while|where|who|which|that|so|but|if|although|though|until|before|after) /u,
      1,
    )[0] ?? ''
  const words = wordsOf(cut)
  const start = words[0] !== undefined && links.test(words[0]) ? 1 : 0
  let end = start
  while (end < words.length && end - start < 6 && !(links.test(words[end] ?? '') && words[end] !== 'of')) end += 1
  return {
    object: words.slice(start, end).join(' '),
    detail: [...words.slice(end), text.slice(cut.length)].join(' '),
  }
}

const eventDate = new RegExp(`^(?<what>.*?),? (?:in|on) (?<when>${daySource})(?![\\p{L}\\p{N}])`, 'u')

/** An event: it remains true whatever happens later. Its time can be corrected. */
function putEvent(reading: Reading, subject: Subject, text: string): boolean {
  const { holds, change } = reading.clause
  const dated = eventDate.exec(text)?.groups
  if (dated && holds === 'yes') {
    const what = phraseKey(reading, dated.what ?? '')
    reading.slot({
      slot: `SOME|${subject.key}|when ${what}`,
      value: (dated.when ?? '').replace(/^(?:in|on|the) /u, ''),
      change,
    })
    return true
  }
  const [verb = '', ...rest] = wordsOf(text)
  const { object, detail } = objectOf(rest.join(' '))
  const key = `${stem(verb)} ${phraseKey(reading, object)}`.trim()
  const narrowed = phraseKey(reading, detail)
  reading.slot({
    slot: `HOLDS|${subject.key}|did ${key}`,
    value: `${holds === 'yes' ? 'yes' : 'no'}${narrowed === '' ? '' : ` ${narrowed}`}`,
  })
  return true
}
