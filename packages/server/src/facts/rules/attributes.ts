/** Attributes that have one value at a time: "my favourite colour is blue", "John's phone number is 555". */

import { nameKey } from '../../core/entity.js'
import { pattern } from '../../core/pattern.js'
import { monthPattern } from '../../language/dates/month-names.js'

export interface Attribute {
  /** Mark of the owner in the template: a number or `s`. */
  readonly owner: string
  readonly attribute: string
  readonly value: string
  readonly start: number
  readonly end: number
  /** "Turned 30": the previous value is over. */
  readonly fresh?: boolean
  /** "My favourite food is sushi" also says that I like sushi. */
  readonly liked: boolean
}

const single = pattern`
  (?:(?:phone|mobile|cell|telephone|account|passport|room|flat|apartment|house|license|licence|employee|customer
  |student|social security|locker|seat) number|(?:e-?mail|home|mail|mailing|work|street|ip) address|e-?mail|phone
  |address|birthday|birth date|birthdate|date of birth|age|(?:first |last |middle |full |maiden |user)?name|surname
  |nickname|job title|occupation|profession|blood type|blood group|height|weight|shoe size|ring size|shirt size
  |zip code|postal code|postcode|nationality|citizenship|star sign|zodiac sign|time ?zone|native language
  |mother tongue|first language|hometown|home town|pronouns|salary|license plate|username|handle|website|major
  |eye colou?r|hair colou?r|marital status|religion|gender|wedding anniversary|anniversary|wake-up time|bedtime
  |budget|deadline|preferred (?:language|name|airline|seat|currency|editor|theme|pronouns|contact method))
`
const owned = new RegExp(
  pattern`
    (?<!one of |some of |among )⟦(\d+|s)⟧'s (?:current |new |actual )?(?:(?:all[- ]time )?(favou?rite) ([\p{L}-]+
    (?: [\p{L}-]+){0,3}?)|(${single}))(?: (?:is|are)(?: now| actually)?(?: called)?|: ?| =) (?!not\b|n't|an? (?:good
    |bad|great|nice|big|lot)\b|(?:too|very|so|really|quite|pretty|important|coming|going|getting|on the way
    |one of)\b)([^.!?;⟧]*(?:⟦\d+⟧)?(?:\.\p{L}[^\s.!?;]*)*[^.!?;]{0,40})
  `,
  'gu',
)
const favouriteAfter = new RegExp(
  pattern`
    ^(?<value>(?:[\p{L}⟦][^ ,;:]* ){1,4}?)(?:is|are) (?:now |still |definitely |probably )*⟦(?<owner>\d+
    |s)⟧'s (?:new |current |all[- ]time )*favou?rite (?<topic>[\p{L}-]+(?: [\p{L}-]+){0,2}?)(?= (?:now|these days
    |at the moment|of all time)|[,.]|$)
  `,
  'u',
)
const aged =
  /⟦(\d+|s)⟧ (?:am|is) (?:now |currently |already |turning )?(\d{1,3})(?: years? old(?! (?:when|than))|(?= ?(?:[.!,;]|$| now| today)))/gu
const turned =
  /⟦(\d+|s)⟧(?: (?:have|has|just|recently|finally|will))* turned? (\d{1,3})(?![\p{L}\d:])(?! (?:points|dollars|euros|percent))/gu
const bornOn = /⟦(\d+|s)⟧ (?:was )?born on (?:the )?([^.!?;,]{3,30}(?:, ?\d{4})?)/gu
const named = /(?:⟦(s)⟧ am|⟦(s)⟧ go by|call ⟦(s)⟧) ⟦(\d+)⟧(?= ?(?:[.!,;]|$| and | now| from now| these days))/gu

const dated = new RegExp(`\\d|${monthPattern}`)
/** Required shapes of values: "my phone is dead" does not state a number. */
const shapes: Readonly<Record<string, RegExp>> = {
  'phone number': /\d{3}/,
  email: /@/,
  address: /\d/,
  'zip code': /\d/,
  height: /\d/,
  weight: /\d/,
  salary: /\d/,
  birthday: dated,
  anniversary: dated,
  deadline: dated,
  budget: /\d/,
  bedtime: /\d/,
  website: /\./,
}

type NameOf = (index: number) => { readonly name: string; readonly person: boolean }

export function attributesIn(template: string, nameOf: NameOf): Attribute[] {
  return [
    ...ownedIn(template, nameOf),
    ...favouriteBefore(template, nameOf),
    ...agesIn(template),
    ...birthdaysIn(template, nameOf),
    ...ownNamesIn(template, nameOf),
  ]
}

function rangeOf(match: RegExpExecArray): Pick<Attribute, 'start' | 'end'> {
  return { start: match.index, end: match.index + match[0].length }
}

/** "My phone number is …", "my favourite colour is …". */
function ownedIn(template: string, nameOf: NameOf): Attribute[] {
  return [...template.matchAll(owned)].flatMap((match) => {
    const [, owner = '', favourite, topic = '', plain = '', rest = ''] = match
    if (favourite && /(?:[^s]s|ies)$/u.test(topic) && !/(?:us|is|ss|news|series|sports)$/u.test(topic)) return []
    if (/(?:^| )(?:thing|part|one|way|kind|type|memory|moment|person|people)$/u.test(topic)) return []
    const value = valueIn(rest, nameOf)
    const attribute = attributeName(favourite ? `favorite ${topic}` : plain)
    if (value === '' || shapes[attribute]?.test(value) === false) return []
    return [{ owner, attribute, value, ...rangeOf(match), liked: favourite !== undefined }]
  })
}

/** "Blue is my favourite colour". */
function favouriteBefore(template: string, nameOf: NameOf): Attribute[] {
  const match = favouriteAfter.exec(template)
  const { owner = '', value: said = '', topic = '' } = match?.groups ?? {}
  if (!match || /^(?:it|this|that|he|she|they|one|which|what)$/u.test(said.trim())) return []
  const value = valueIn(said, nameOf)
  if (value === '') return []
  return [{ owner, attribute: attributeName(`favorite ${topic}`), value, ...rangeOf(match), liked: true }]
}

function agesIn(template: string): Attribute[] {
  return [aged, turned].flatMap((expression) =>
    [...template.matchAll(expression)].flatMap((match) => {
      const [, owner = '', value = ''] = match
      if (Number(value) > 125) return []
      return [{ owner, attribute: 'age', value, ...rangeOf(match), liked: false, fresh: expression === turned }]
    }),
  )
}

function birthdaysIn(template: string, nameOf: NameOf): Attribute[] {
  return [...template.matchAll(bornOn)].flatMap((match) => {
    const [, owner = '', day = ''] = match
    const value = valueIn(day, nameOf)
    return /\d/.test(value) ? [{ owner, attribute: 'birthday', value, ...rangeOf(match), liked: false }] : []
  })
}

function ownNamesIn(template: string, nameOf: NameOf): Attribute[] {
  return [...template.matchAll(named)].flatMap((match) => {
    const target = nameOf(Number(match[4]))
    // The name that someone wants to be called is not their name.
    const attribute = match[1] ? 'name' : 'called'
    if (!target.person && match[1]) return []
    return [{ owner: 's', attribute, value: nameKey(target.name), ...rangeOf(match), liked: false }]
  })
}

/** The text up to the next clause, in lower case, without articles and with single spaces. */
function valueIn(rest: string, nameOf: (index: number) => { name: string }): string {
  const clause =
    rest.split(
      /,? (?:and|but|because|since|so|which|who|although|though|when|while|if|as|where) |, (?!\p{N})|⟦s⟧/u,
    )[0] ?? ''
  const restored = clause.replace(/⟦(\d+)⟧/gu, (_, index: string) => nameOf(Number(index)).name)
  const value = restored
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s+/gu, ' ')
    .replace(/^ ?(?:(?:definitely|still|now|probably|actually|currently|called|on|the|an?) )+/u, '')
    .replace(/^[\s"'“‘(]+|(?<![\s"'”’),.:])[\s"'”’),.:]+$/gu, '')
  // A placeholder is not a value.
  return value.length <= 80 && !/[[\]{}<>]/u.test(value) ? value : ''
}

const spellings: Readonly<Record<string, string>> = {
  favourite: 'favorite',
  colour: 'color',
  flavour: 'flavor',
  licence: 'license',
  theatre: 'theater',
  centre: 'center',
  programme: 'program',
  neighbour: 'neighbor',
  'e-mail': 'email',
  film: 'movie',
  postcode: 'zip code',
  'home town': 'hometown',
  timezone: 'time zone',
}
const sameAttribute: Readonly<Record<string, string>> = {
  'birth date': 'birthday',
  birthdate: 'birthday',
  'date of birth': 'birthday',
  'email address': 'email',
  'mail address': 'email',
  phone: 'phone number',
  'telephone number': 'phone number',
  'mobile number': 'phone number',
  'cell number': 'phone number',
  'full name': 'name',
  surname: 'last name',
  'postal code': 'zip code',
  'blood group': 'blood type',
  'zodiac sign': 'star sign',
  'home address': 'address',
  profession: 'occupation',
  'mother tongue': 'native language',
  'first language': 'native language',
  'wedding anniversary': 'anniversary',
}

function attributeName(text: string): string {
  const folded = text
    .toLowerCase()
    .split(' ')
    .map((word) => spellings[word] ?? singular(word))
    .join(' ')
  return sameAttribute[folded] ?? folded
}

function singular(word: string): string {
  if (word.length < 4 || /(?:ss|us|is|news|series|sports)$/u.test(word)) return word
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  return word.endsWith('s') ? word.slice(0, -1) : word
}
