/** Plans and dates: when something takes place, that it was rescheduled, and that it was cancelled. */

import { pattern } from '../../core/pattern.js'
import { factStem } from '../../language/words/stem.js'
import { clockSource, daySource, withoutTimes } from '../../language/words/words.js'
import { attributeSlot, holdsSlot, whenSlot } from '../slot.js'
import { isSpeaker, phraseKey, type Reading, thingKey } from './reading.js'
import { thingParts } from './statement-slots.js'

const adverbs = '(?: (?:now|actually|still|only|also|just|finally|currently|probably|always|usually))*'
const when = `(?<when>(?:(?:on|at|in|for|from|by|to|next|around|about|,) )*(?:${daySource}|${clockSource})(?:(?:,| on| at| from| in| of)* (?:${daySource}|${clockSource}))*)`
/** Words including their spaces, so that there is only one way to split them. */
const thing = '(?<thing>(?:[\\p{L}⟦][^ ,;:]* ){1,9}?)'
const before = '(?:(?:now|actually|still|only|also|just|finally|currently|probably|always|usually) )*'
const mark = '⟦(?<who>\\d+|s)⟧'

const phases: readonly (readonly [pattern: string, phase: string])[] = [
  ['(?:is|are|was) due|due', 'due'],
  ['ends?|finish(?:es)?', 'end'],
  ['opens?', 'open'],
  ['closes?', 'close'],
  ['expires?', 'expire'],
  ['arrives?|lands?', 'arrive'],
  [
    'is|are|starts?|begins?|leaves?|departs?|takes? place|happens?|(?:is|are|has been|was|were|got) (?:scheduled|set|planned|booked)|kicks? off|falls',
    'at',
  ],
]
const timed = phases.map(
  ([verb, phase]) =>
    [
      new RegExp(`^${thing}${before}(?:${verb})${adverbs}(?: happening| taking place)? ${when}(?![\\p{L}\\p{N}])`, 'u'),
      phase,
    ] as const,
)
const shifted =
  '(?:re-?scheduled|moved|pushed|postponed|delayed|shifted|brought forward|put off|changed|switched)(?: back| forward| up)?'
const moved = [
  new RegExp(
    `^${thing}(?:(?:has|have|had|will|to|be|been|was|were|got|is|are|being) ){0,3}${shifted} (?:to |until |till |for |by )?${when}`,
    'u',
  ),
  new RegExp(
    `^(?:they|someone|⟦(?:\\d+|s)⟧)(?: (?:have|has|had to))?${adverbs} ${shifted} ${thing}(?:to|until|till) ${when}`,
    'u',
  ),
]
const events = pattern`
  appointment|meeting|interview|flight|party|dinner|lunch|breakfast|brunch|exam|test|class|concert|date|call
  |surgery|operation|reservation|session|lesson|wedding|trip|conference|game|match|deadline|presentation|recital
  |rehearsal|visit|check-?up|table|ticket|tickets|barbecue|bbq|picnic|potluck|reunion|workshop|tour|sale|audition
  |tournament|race|playdate|sleepover|seminar|webinar|training|shift|hearing|inspection|viewing|fitting|shoot|gig
  |show|festival|ceremony|celebration|night
`
const havesEvent = new RegExp(
  pattern`
    ^${mark}${adverbs} (?:have got|has got|have|has|got|booked|scheduled|made|am having|is having|are having
    |have booked|has booked)(?<one> an?| the| ⟦s⟧'s)? (?<thing>(?:[\p{L}⟦][\p{L}\p{N}⟦⟧'.-]* ){0,5}?(?:${events})
    (?: (?:with|at|to|for|about|of|in) (?:the |an? |⟦s⟧'s )?(?:[\p{L}⟦][\p{L}\p{N}⟦⟧'.-]*)(?: ⟦\d+⟧)?)?),? ${when}
  `,
  'u',
)
const off = '(?:cancell?ed|called off|scrapped|off|not happening|not taking place|no longer happening|dropped)'
const cancelled = [
  new RegExp(`^${thing}(?:(?:has|have|had|was|were|got|is|are|been|be|being) )+(?:now |been )?${off}(?![\\p{L}])`, 'u'),
  new RegExp(
    pattern`
      ^(?:they|someone|${mark})(?: have| has| had to)?${adverbs} (?:cancel(?:led|ed)?|called off|call off|scrapped
      |scrap|dropped out of|dropped|skipped|had to (?:cancel|skip|scrap)|backed out of) (?<thing>.+)$
    `,
    'u',
  ),
]

/** Returns whether the clause contains a time or a plan, and puts its contents into slots. */
export function readPlans(reading: Reading): boolean {
  return readCancelled(reading) || readMoved(reading) || readTimed(reading) || readIntentions(reading)
}

function readMoved(reading: Reading): boolean {
  const { planned } = reading.clause
  for (const pattern of moved) {
    const groups = pattern.exec(planned)?.groups
    const key = groups ? thingKey(reading, withoutTail(groups.thing ?? '')) : null
    if (!groups || key === null) continue
    const found = timesIn(groups.when ?? '')
    // A new date without a time also invalidates the old time.
    for (const part of ['day', 'time'] as const)
      reading.slot({
        slot: whenSlot(key, 'at', part),
        value: found[part] ?? '*',
        change: true,
        ...(found[part] === undefined ? { implied: true } : {}),
      })
    return found.day !== undefined || found.time !== undefined
  }
  return false
}

function readTimed(reading: Reading): boolean {
  const { stated, holds, change } = reading.clause
  if (holds !== 'yes') return false
  const has = havesEvent.exec(stated.replace(/^there(?:'s| is| are) /u, '⟦s⟧ have '))?.groups
  if (has) {
    const owner = isSpeaker(has.who ?? '') ? '' : `⟦${has.who}⟧'s `
    return putTimes(
      reading,
      thingKey(reading, owner + (has.thing ?? '')),
      'at',
      has.when ?? '',
      change,
      /^ an?$/u.test(has.one ?? ''),
    )
  }
  for (const [pattern, phase] of timed) {
    const groups = pattern.exec(stated)?.groups
    // "⟦0⟧ is at …" states a location; "⟦0⟧ is due in May" states a time.
    if (!groups || !(isThing(groups.thing ?? '') || (phase !== 'at' && /^⟦\d+⟧ $/u.test(groups.thing ?? '')))) continue
    if (putTimes(reading, thingKey(reading, groups.thing ?? ''), phase, groups.when ?? '', change)) return true
  }
  return false
}

/** "⟦0⟧ is 6" is not a time of ⟦0⟧; "⟦0⟧'s surgery" is a thing. */
function isThing(phrase: string): boolean {
  const text = phrase.trim()
  return (
    !/^⟦(?:\d+|s)⟧$/u.test(text) &&
    !/^(?:it|this|that|there|he|she|they|what|who)$/u.test(text) &&
    !/(?:^| )(?:birthday|anniversary)$/u.test(text)
  )
}

function putTimes(
  reading: Reading,
  key: string | null,
  phase: string,
  text: string,
  change: boolean,
  another = false,
): boolean {
  const { day, time } = timesIn(text)
  if (key === null || (day === undefined && time === undefined)) return false
  // "At 11 on Sundays" does not affect other days.
  if (time !== undefined && /days(?![\p{L}])/u.test(text)) {
    reading.slot({ slot: whenSlot(`${key} ${day ?? ''}`, phase, 'time'), value: time, change })
    return true
  }
  if (day !== undefined) reading.slot({ slot: whenSlot(key, phase, 'day'), value: day, change, another })
  if (time !== undefined) reading.slot({ slot: whenSlot(key, phase, 'time'), value: time, change, another })
  return true
}

const dayPattern = new RegExp(daySource, 'gu')
const clockPattern = new RegExp(clockSource, 'gu')

function timesIn(text: string): { day?: string; time?: string } {
  const time = [...text.matchAll(clockPattern)].map(([clock]) => clock.replace(/[ .]/gu, ''))
  const day = [...text.replace(clockPattern, ' ').matchAll(dayPattern)].map(([found]) =>
    found.replace(/^(?:in|on|the|this|every|each) /u, '').replace(/,/gu, ''),
  )
  return {
    ...(day.length > 0 ? { day: day.join(' ') } : {}),
    ...(time.length > 0 ? { time: time.join(' ') } : {}),
  }
}

const tailPattern = new RegExp(
  `,? (?:(?:on|at|in|for) ${when.replace('?<when>', '?:')}|tomorrow|today|tonight|next [\\p{L}]+|this [\\p{L}]+)(?: .*)?$`,
  'u',
)

/** "The party on Saturday" is the party. */
function withoutTail(phrase: string): string {
  return phrase.replace(tailPattern, '').trim()
}

function readCancelled(reading: Reading): boolean {
  const { planned } = reading.clause
  for (const pattern of cancelled) {
    const groups = pattern.exec(planned)?.groups
    if (!groups) continue
    const phrase = withoutTail((groups.thing ?? '').replace(/ (?:because|since|so|after|as|due) .*$|,.*$/u, ''))
    const key = thingKey(reading, phrase)
    if (key === null || (!isThing(phrase) && groups.who === undefined)) continue
    const who = groups.who ?? 's'
    reading.slot({ slot: holdsSlot(reading.keyOf(who), `plan ${placeOf(reading, phrase) ?? key}`), value: 'no' })
    const speaker = reading.keyOf('s')
    // "Tom cancelled our dinner" means the dinner with Tom.
    const others = isSpeaker(who) ? [] : [`${key} ${reading.keyOf(who)}`]
    const { key: head, detail } = thingParts(reading, phrase)
    reading.slot({ slot: holdsSlot(reading.keyOf(who), `have ${head}`), value: `no${detail}`, implied: true })
    for (const name of [key, ...others]) {
      for (const part of ['day', 'time'])
        reading.slot({ slot: whenSlot(name, 'at', part), value: '-', change: true, implied: true })
      reading.slot({ slot: holdsSlot(reading.keyOf(who), `plan ${name}`), value: 'no', implied: true })
      reading.slot({ slot: holdsSlot(speaker, `plan ${name}`), value: 'no', implied: true })
    }
    if (/(?:^| )(?:wedding|engagement)$/u.test(phrase)) {
      reading.slot({ slot: holdsSlot(reading.keyOf(who), 'plan get marri'), value: 'no', implied: true })
      reading.slot({ slot: attributeSlot(reading.keyOf(who), 'relationship status'), value: '!engaged', implied: true })
    }
    return true
  }
  return false
}

const journeys = 'trip|flight|holiday|vacation|visit|cruise|journey|weekend|drive|honeymoon|getaway'
const journey = new RegExp(
  `(?:${journeys})s? (?:back )?(?:to|in|from) (?<place>.+)$|^(?:⟦s⟧'s |the |our |an? )?(?<before>⟦\\d+⟧) (?:${journeys})$`,
  'u',
)

/** The destination of a trip: "my trip to ⟦0⟧", "the ⟦0⟧ trip". */
function placeOf(reading: Reading, phrase: string): string | null {
  const groups = journey.exec(phrase)?.groups
  const place = groups?.place ?? groups?.before
  return place === undefined ? null : `to ${phraseKey(reading, withoutTimes(place))}`
}

const future = new RegExp(
  pattern`
    (?:next|this|the coming) (?:week|weekend|month|year|spring|summer|autumn|fall|winter|monday|tuesday|wednesday
    |thursday|friday|saturday|sunday)|tomorrow|tonight|(?:on|in|at|for) ${daySource}|soon|one day|some day|after all
  `,
  'u',
)
const verb = '(?<verb>[\\p{L}]+)(?<rest>(?: .*)?)$'
const intends = new RegExp(
  pattern`
    ^${mark}${adverbs} (?:(?:am|is|are|was|were) (?:going|planning|hoping|intending|about) to|(?:am|is
    |are) (?:planning|thinking|dreaming) (?:on|of|about)|(?:will|plans?|wants?|hopes?|intends?|aims?|decided
    |have decided|has decided|agreed|would (?:like|love))(?: to)?) ${verb}
  `,
  'u',
)
const doing = new RegExp(`^${mark}${adverbs} (?:am|is|are)${adverbs} (?<verb>[\\p{L}]+ing)(?<rest>(?: .*)?)$`, 'u')
const signedUp = new RegExp(
  `^${mark}(?: have| has)?${adverbs} (?:signed up|registered|enrolled|applied) (?:for|to|in) (?<rest>.+)$`,
  'u',
)
const booksJourney = new RegExp(
  pattern`
    ^${mark}(?: have| has)?(?:${adverbs} (?:(?:am|is|are) (?:planning|taking|organi[sz]ing|saving up for|booking
    |looking forward to)|booked|planned|bought))(?: an?| the| ⟦s⟧'s)? (?<rest>(?:[\p{L}-]+ ){0,3}?(?:${journeys}
    |tickets?)(?: .*)?)$
  `,
  'u',
)
const refuses = [
  new RegExp(
    pattern`
      ^${mark}${adverbs} (?:(?:am|is|are) not (?:going|planning|hoping) to|(?:am|is|are) no longer (?:going|planning
      |hoping) to|(?:will|can) not|(?:have |has )?decided not to|(?:do|does) not (?:plan|want|intend|need|have) to
      |no longer (?:plan|plans|want|wants|hope|hopes|intend|intends) to|changed ⟦s⟧'s minds? about
      |(?:have |has )?(?:gave|given) up (?:on |the idea of |the plan to |⟦s⟧'s plan to )?
      |(?:have |has )?decided against) ?${verb}
    `,
    'u',
  ),
  new RegExp(`^${mark}${adverbs} (?:am|is|are) (?:not|no longer) (?<verb>[\\p{L}]+ing)(?<rest>(?: .*)?)$`, 'u'),
  new RegExp(`^${mark}(?: have| has)?${adverbs} (?:given|gave) up the idea of (?<rest>.+)$`, 'u'),
]

function readIntentions(reading: Reading): boolean {
  const { planned, holds } = reading.clause
  for (const pattern of refuses) {
    const groups = pattern.exec(planned)?.groups
    if (!groups) continue
    const key = intentionKey(reading, groups.verb ?? '', groups.rest ?? '')
    const who = reading.keyOf(groups.who ?? '')
    if (key === null || who === null) continue
    // "I'm not learning Dutch anymore" ends both a habit and a plan.
    reading.slot({ slot: holdsSlot(who, `plan ${key}`), value: 'no', implied: holds !== 'yes' })
    for (const part of ['day', 'time'])
      reading.slot({ slot: whenSlot(`plan ${key}`, 'at', part), value: '-', change: true, implied: true })
    return holds === 'yes'
  }
  if (holds !== 'yes') return false
  const groups =
    booksJourney.exec(planned)?.groups ??
    intends.exec(planned)?.groups ??
    signedUp.exec(planned)?.groups ??
    (future.test(planned) || /ing to ⟦\d+⟧/u.test(planned) ? doing.exec(planned)?.groups : undefined)
  if (!groups) return false
  const who = reading.keyOf(groups.who ?? '')
  if (who === null) return false
  const places = groups.verb && isTravel(groups.verb) ? [...(groups.rest ?? '').matchAll(/(?:^| )to (⟦\d+⟧)/gu)] : []
  const keys =
    places.length > 1
      ? places.map(([, place]) => `to ${phraseKey(reading, place ?? '')}`)
      : [intentionKey(reading, groups.verb ?? '', groups.rest ?? '')]
  for (const key of keys) if (key !== null) reading.slot({ slot: holdsSlot(who, `plan ${key}`), value: 'yes' })
  return keys.some((key) => key !== null)
}

const travels: ReadonlySet<string> = new Set(
  ['fly', 'go', 'travel', 'drive', 'head', 'visit', 'see', 'sail', 'attend'].map(factStem),
)

function isTravel(form: string): boolean {
  return travels.has(factStem(form))
}

/** "Fly to Rome", "go to Rome" and "a trip to Rome" are the same plan. */
function intentionKey(reading: Reading, form: string, rest: string): string | null {
  const object = withoutTimes(
    rest.replace(/ (?:after all|because|since|so that|when|if|but|anyway|with) ?.*$|,.*$/u, ''),
  )
  const place = placeOf(reading, object)
  if (place !== null) return place
  // "Meet Tom for lunch" is the same as a lunch with Tom.
  const meal = /^(.+?) for (?:an? |some )?(lunch|dinner|coffee|drinks|breakfast|brunch|tea)$/u.exec(object.trim())
  if (meal && /^(?:meet|see|join)/u.test(form)) return phraseKey(reading, `${meal[2]} ${meal[1]}`)
  const key = phraseKey(reading, object)
  if (form === '') return key === '' ? null : key
  if (isTravel(form) && key !== '') return `to ${key}`
  return `${factStem(form)} ${key}`.trim()
}
