/** Words of templates: verbs, numbers, times, and words without meaning of their own. */
import { months } from '../../core/partial-date.js'
import { pattern } from '../../core/pattern.js'
import { monthFormsPattern } from '../dates/month-names.js'
import { factStem, isIrregularForm } from './stem.js'

const pastForms: ReadonlySet<string> = new Set(
  `was were had did went ran ate drank drove bought sold gave took got made met wrote spent slept lent taught saw came became began broke brought built
caught chose felt fell flew forgot found grew held heard kept knew left lost meant paid rode rang said sang sat sent shot spoke stood swam swore told
thought threw understood woke wore won dealt led died lay`.split(/\s+/),
)

/** Present forms of verbs that often follow a subject of several words; other verbs are recognised by their ending. */
const commonVerbs: ReadonlySet<string> = new Set(
  `act add agree allow answer arrive ask attend bake bark base be become begin belong bloom break breathe bring build buy
call can care carry change charge chew clean climb close collect come commute complain contain cook cost could cover
crash create cry cut dance date deal decide deliver depart design develop do dream drink drive earn eat employ end
enjoy exist expect expire face fall fear feed feel fight fill find finish fit fix fly follow forget garden get give go
graduate grow guess hang happen hate have hear heal help hike hire hold hope host hunt hurt include interest itch jog
join keep knit know land last laugh lead learn leak leave lend let lie lift like listen live look lose love make
manage marry matter mean measure meet mind miss move need offer open order owe own paint park pay perform plan play
practice prefer prepare produce quit read receive refuse remain remarry remember rent repair report resign rest retire
return ride ring run save say scare see seem sell send serve share shoot shop show sing sit ski sleep smell smoke
sound speak spend stand start stay stop study suffer support surf swim take talk taste teach tell tend think travel
trust try turn understand use visit volunteer vote wait wake walk want wash watch wear weigh will win wish work worry
would write settle resign adore switch rename rebrand cancel sign register apply enroll enrol transfer relocate
separate divorce engage split adopt donate replace upgrade celebrate bore annoy bother upset remind choose accept
achieve admire admit announce appear approve argue arrange avoid beat bloom borrow bounce breed brush calculate calm
camp catch cause chase check cheer chat chop combine compare compete compose concern confirm confuse connect consider
consist continue control copy correct count crave deserve destroy direct disagree disappear discover discuss display
divide double doubt drag draw dress drop dry edit educate email emigrate encourage escape estimate examine exercise
expand experience explain explore extend fade fail farm fascinate fetch film fish float focus fold force forgive form
freeze frighten gain gather generate govern grab grade grill handle harvest hit hug identify improve inherit inspire
install intend invent invest invite involve jump kick kiss knock label lack launch lay lock maintain major march mark
match mention mentor migrate mix model monitor mow observe obtain organize organise overlook pack pass photograph pick
place plant point post pour praise pray present press print promise promote pronounce protect prove provide pull
purchase push put raise reach realize receive recognize recommend record recover recycle reduce refer reflect rely
remove renew renovate replace reply represent request require rescue research resemble respect result review roast row
rub sail scan score search separate set settle shake shave ship shout shut sign skate skip smile solve sort spell
spill spread stay steal stick stream stretch struggle submit succeed suggest suit supervise supply surprise surround
survive sustain swap swear swing tan tap tease terrify thank throw tidy tie tolerate touch train translate treat trim
twist type unite unlock unpack update upload use vary venture view wander warn waste water wave whisper wonder wrap
yell bench cycle climb coach tutor babysit snore vape meditate journal knit sew code program stutter limp shall should
might may must`.split(/\s+/u),
)

const verbStems: ReadonlySet<string> = new Set([...commonVerbs].map(factStem))

export function isVerb(word: string): boolean {
  if (isIrregularForm(word) || commonVerbs.has(word)) return true
  return /(?:s|ed)$/u.test(word) && verbStems.has(factStem(word))
}

/** True for a form that expresses the past without an auxiliary. */
export function isPast(verb: string): boolean {
  return pastForms.has(verb) || (verb.length > 4 && verb.endsWith('ed') && verb !== 'need' && verb !== 'feed')
}

const numbers: Readonly<Record<string, string>> = Object.fromEntries(
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'
    .split(' ')
    .map((word, value) => [word, String(value)]),
)

export function digits(word: string): string {
  return Object.hasOwn(numbers, word) ? (numbers[word] ?? word) : word
}

/** Words that add nothing to a fact. */
const light: ReadonlySet<string> = new Set(
  `a an the this that these those my our your his her its their some any and or but so then well oh ok okay hey hi yeah yes no please just really very quite pretty
actually basically honestly literally definitely certainly currently now still already also too again always usually often sometimes mostly generally typically recently lately finally
happily officially anymore more today nowadays days time times moment of to in on at for with by from as about into than there here it is am are was were be been being have has had do
does did will would can could who which what when where how if not own new old great nice good little small big lot bit kind sort way thing things up out off down over back around
all both each every only even ever never quick update news guess know think mean sure glad happy excited sad sorry correction typo oops reminder fyi btw by let us me him them you i we he she they
one first last next year years month months week weeks day days morning evening afternoon night hour hours minute minutes ago since until while after before during because far
monday tuesday wednesday thursday friday saturday sunday ${months.join(' ')} spring summer autumn fall winter
long short early late soon half around almost nearly exactly full part super totally absolutely truly ten instead these such same`.split(
    /\s+/,
  ),
)

export function isLight(word: string): boolean {
  return light.has(word) || /^\d/u.test(word)
}

/** The words that distinguish a phrase from others, as stems, in order; names stay marks. */
export function contentWords(phrase: string): string[] {
  return (phrase.match(/⟦(?:\d+|s)⟧|[\p{L}\p{N}][\p{L}\p{N}'+#&.-]*/gu) ?? []).flatMap((raw) => {
    const word = digits(raw.replace(/(?:'s|[.'])$/u, ''))
    if (word === '⟦s⟧' || determiners.has(word) || /^⟦s⟧/u.test(word)) return []
    return [word.startsWith('⟦') ? word : factStem(word)]
  })
}

/** Words that describe a thing but do not identify it. */
export const adjectives: ReadonlySet<string> = new Set(
  `small big little large old new tiny huge red blue black white green brown grey gray yellow pink beautiful cute used
second-hand great nice good bad lovely local own cheap expensive fancy vintage antique young long short whole`.split(
    /\s+/u,
  ),
)

const determiners: ReadonlySet<string> = new Set(
  `a an the this that these those my our your his her its their some any to of in on at for with by from as about into
and or s really very just so also too now still again currently actually usually always often anymore instead up
sometimes regularly never daily weekly occasionally rarely together`.split(/\s+/u),
)

const month = `(?:${monthFormsPattern})`
const weekday = '(?:mon|tues|wednes|thurs|fri|satur|sun)days?'
const unit =
  '(?:day|week|weekend|month|year|spring|summer|autumn|fall|winter|morning|afternoon|evening|night|semester|quarter|easter|christmas)s?'
const dayPhrase = pattern`
  (?:the )?\d{1,2}(?:st|nd|rd|th)?(?: of)? ${month}(?:,? \d{4})?|${month} (?:the )?\d{1,2}(?:st|nd|rd
  |th)?(?:,? \d{4})?(?![\d:])|${month} \d{4}|\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}(?:[./]\d{2,4})?
  |(?:next |this |last |the |every |each |early |late |mid[- ])?(?:${weekday}|${month})(?: after| morning| afternoon
  | evening| night)?|(?:next|this|last|every|each|the coming|the following) ${unit}(?: on ${weekday})?|today|tomorrow
  |tonight|yesterday|the \d{1,2}(?:st|nd|rd|th)|(?:in )?(?:19|20)\d{2}|(?:easter|christmas|new year)
`
const clockPhrase =
  "(?:noon|midnight|\\d{1,2}[:.]\\d{2} ?(?:[ap]\\.?m\\.?)?|\\d{1,2} ?(?:[ap]\\.?m\\.?|o'clock)|(?<=(?:at|from|to|by) )\\d{1,2}(?![\\d:./]| ?(?:years?|weeks?|days?|months?|km|kg|mg|euros?|dollars?)))"

/** A day, month or year as people write it. These are pattern sources: each use adds its own anchors. */
export const daySource = `(?:${dayPhrase})`
/** A time of day. */
export const clockSource = `(?:${clockPhrase})`

const timeWords = new RegExp(
  pattern`
    (?:,? (?:on|in|at|by|from|for|to|until|till|since|around|about|during|as of|starting))?(?: the)? (?:${dayPhrase}
    |${clockPhrase}|(?:the )?(?:mornings?|evenings?|afternoons?|weekends?|nights?|spring|summer|autumn|fall|winter)
    |(?:about |over |almost )?(?:\d+|a few|many|some|several|\p{L}+) (?:days?|weeks?|months?|years?|hours?
    |minutes?)(?: ago| now)?|(?:once|twice|three times) a (?:day|week|month|year)|from now on|these days|nowadays
    |at the moment|right now|any ?more|any longer)(?![\p{L}\p{N}])
  `,
  'gu',
)

/** The phrase without time, duration and frequency. */
export function withoutTimes(phrase: string): string {
  return ` ${phrase}`.replace(timeWords, ' ').replace(/\s+/gu, ' ').trim()
}
