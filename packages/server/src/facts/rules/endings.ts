/** Sentences whose verb ends something: leaving a job or a town, separating, selling, giving up, switching. */

import { pattern } from '../../core/pattern.js'
import { factStem } from '../../language/words/stem.js'
import { withoutTimes } from '../../language/words/words.js'
import { attributeSlot, holdsSlot, relatedSlot, relationSlot, saysSlot, someSlot, whenSlot } from '../slot.js'
import { phraseKey, type Reading } from './reading.js'
import { partnershipsEnded, thingParts } from './statement-slots.js'

const mark = '⟦(?<who>\\d+|s)⟧'
const adverbs =
  '(?: (?:have|has|had|just|recently|finally|already|officially|also|then|now|actually|even|completely|totally|basically))*'
const target = "(?:the )?⟦(?<target>\\d+)⟧(?!'s [\\p{L}])"
const start = '(?:^|(?<=(?:,| and) ))'

const leaves = new RegExp(
  pattern`
    ${start}${mark}${adverbs} (?:left|quit|resigned from|stepped down from|retired from|departed|was (?:fired
    |laid off|let go|dismissed|sacked) (?:from|by)|got (?:fired|laid off|let go|sacked) (?:from|by)|were (?:fired
    |laid off|let go) (?:from|by)|got fired from|handed in ⟦?\w*⟧?'?s? ?notice at|moved (?:out of|away from)
    |am done (?:at|with)|stopped working (?:at|for)|(?:gave|said) (?:up|goodbye to)) (?:(?:⟦(?:\d+|s)⟧'s|her|his
    |their|the|a) (?:[\p{L}-]+ )?(?:job|position|role|post) (?:at|with|in) )?${target}
  `,
  'gu',
)
const stepsDown = new RegExp(
  `${start}${mark}${adverbs} (?:stepped down|resigned|quit|retired|was fired) as (?:an? |the )?(?<role>(?:[\\p{L}-]+ ){0,4}?[\\p{L}-]+) (?:at|of|for) ${target}`,
  'gu',
)
const jobless = new RegExp(
  pattern`
    ^${mark}${adverbs} (?:(?:quit|left|lost|gave up|resigned from) (?:⟦(?:\d+|s)⟧'s|her|his
    |their) (?:[\p{L}-]+ )?(?:job|position)|(?:got|was|were|been) (?:laid off|fired|let go|sacked|made redundant)
    |retired|resigned)(?! (?:from|by|as|at))(?![\p{L}])
  `,
  'u',
)
const parted = [
  new RegExp(
    pattern`
      ^${mark} and ⟦(?<other>\d+|s)⟧(?: (?:have|has|are|got|is|were|both|just|recently|finally|officially|sadly
      |no longer))* (?:divorced|separated|separate|split(?: up)?|broke up|broken up|parted ways|parted|not together
      |together|a couple)(?![\p{L}])
    `,
    'u',
  ),
  new RegExp(
    `^${mark}${adverbs}(?: (?:am|is|are|got))? (?:divorced(?: from)?|broke up with|broken up with|split(?: up)? (?:with|from)|separated from|dumped|left|separate from) ⟦(?<other>\\d+|s)⟧`,
    'u',
  ),
  /^⟦(?<other>\d+)⟧ (?:is|was)(?: now)? ⟦(?<who>\d+|s)⟧'s (?:ex|former)(?:[- ](?:wife|husband|partner|girlfriend|boyfriend|fianc[ée]+))?(?![\p{L}])/u,
]
const partner = new RegExp(
  pattern`
    ^⟦(?<who>\d+|s)⟧(?: (?:have|has|am|is|are|been|got|just|recently|now|currently|officially))* (?<stage>dating
    |seeing|going out with|in a relationship with|with|engaged to) (?:an? (?:guy|man|woman|girl) (?:named
    |called) )?⟦(?<other>\d+|s)⟧(?!'s)
  `,
  'u',
)
const pair = new RegExp(
  pattern`
    ^⟦(?<who>\d+|s)⟧ and ⟦(?<other>\d+|s)⟧(?: (?:have|has|are|got|is|were|both|just|recently|finally|officially|now
    |happily|been))* (?<stage>dating|engaged|a couple|together|married|tied the knot|had ⟦s⟧'s wedding
    |had their wedding|wed)(?![\p{L}])
  `,
  'u',
)
const weds =
  /^⟦(?<who>\d+|s)⟧(?: (?:have|has|got|just|recently|finally|then))* (?<stage>engaged|married|remarried|tied the knot|wed)(?! to| ⟦)(?![\p{L}])/u
const disposes = new RegExp(
  pattern`
    ^${mark}${adverbs} (?:sold|gave away|gave|given away|donated|got rid of|lost|returned|scrapped|traded in
    |threw away|threw out|replaced|crashed|totall?ed|rehomed) (?:⟦(?:\d+
    |s)⟧'s |the |his |her |their |our )(?<thing>.+?)(?: (?:with (?:an? |the )?(?<other>.+)|to .+|for (?:\d|[$€£]|free
    |an? ).*|on .+))?$
  `,
  'u',
)
const removed = new RegExp(
  `^${mark}${adverbs} (?:got|had) (?:⟦(?:\\d+|s)⟧'s |the )(?<thing>[\\p{L} -]{2,30}?) (?:removed|taken off|taken out|pulled)(?![\\p{L}])`,
  'u',
)
const givesUp = new RegExp(
  pattern`
    ^${mark}${adverbs} (?:gave up|given up|quit|(?:am|is|are) (?:done with|off|over|finished with|through with
    |cured of|recovered from)|cut out|swore off|stopped|dropped|recovered from|got over)(?: (?:on|the|⟦s⟧'s
    |all))? (?<thing>[\p{L}⟦][^,]*)$
  `,
  'u',
)
const leavesGroup = new RegExp(
  `^${mark}${adverbs} (?:left|quit|dropped out of|resigned from) (?:the|⟦s⟧'s|our|a) (?<thing>[\\p{L}-]+(?: [\\p{L}-]+){0,3})$`,
  'u',
)
const switches = new RegExp(
  pattern`
    ^${mark}${adverbs} (?:switched|moved|migrated|changed|converted
    |transferred)(?<what>(?: ⟦s⟧'s)? [\p{L} ]{1,30}?)? from (?:an? |the )?(?<old>⟦\d+⟧
    |[\p{L}-]+) to (?:an? |the )?(?<new>⟦\d+⟧|[\p{L}-]+(?: [\p{L}-]+)?)
  `,
  'u',
)
const transfers = new RegExp(`^${mark}${adverbs} (?:transferred|switched) to ${target}`, 'u')
const switchesSubject = new RegExp(
  `^${mark}${adverbs} (?:switched|changed) (?:⟦s⟧'s |her |his )?(?:major|studies|degree|course) to (?<new>[\\p{L} ]+)`,
  'u',
)
const becomes = new RegExp(
  pattern`
    ^${mark}${adverbs} (?:became|become|turned into|got promoted to|was promoted to|been promoted to|retrained as
    |(?:am|is) working as|works? as|started as|started working as|found work as)(?: an?| the
    | ⟦\d+⟧'s)? (?<role>(?:[\p{L}-]+ ){0,3}?[\p{L}-]+)(?=$|,| (?:now|at|for|in|since|these|and|with|of)(?![\p{L}]))
  `,
  'u',
)

/** Returns whether the clause was read. Runs before the patterns that find beginnings. */
export function readEndings(reading: Reading): boolean {
  return (
    readLeaving(reading) ||
    readParting(reading) ||
    readPartners(reading) ||
    readDisposal(reading) ||
    readSwitches(reading) ||
    readTrade(reading)
  )
}

function readLeaving(reading: Reading): boolean {
  const { planned: text } = reading.clause
  let found = false
  for (const match of text.matchAll(leaves)) {
    const { who = '', target: place = '' } = match.groups ?? {}
    const [source, key] = [reading.keyOf(who), reading.keyOf(place)]
    if (source === null || key === null) continue
    const type = reading.typeOf(place)
    if (type === 'PERSON') continue
    const moves = / moved (?:out|away)/u.test(match[0])
    const fired = /fired|laid off|let go|resigned|sacked|dismissed|retired|notice|working/u.test(match[0])
    const isHome = moves || (type === 'LOCATION' && !fired)
    reading.relate(isHome ? 'LIVES_IN' : 'WORKS_AT', who, place, 'over')
    // An unknown name may also be a town.
    if (type === null && !isHome && !fired)
      reading.slot({ slot: relationSlot('LIVES_IN', source), value: `!${key}`, implied: true })
    found = true
  }
  for (const match of text.matchAll(stepsDown)) {
    reading.relate('WORKS_AT', match.groups?.who ?? '', match.groups?.target ?? '', 'over')
    found = true
  }
  const idle = jobless.exec(text)?.groups
  const who = idle ? reading.keyOf(idle.who ?? '') : null
  if (who !== null && !found) {
    reading.slot({ slot: relationSlot('WORKS_AT', who), value: '!*' })
    reading.slot({ slot: someSlot(who, 'work'), value: '-', change: true, implied: true })
    reading.slot({ slot: someSlot(who, 'occupation'), value: '-', change: true, implied: true })
    return true
  }
  const group = leavesGroup.exec(text)?.groups
  const member = group ? reading.keyOf(group.who ?? '') : null
  if (member !== null && group && !found) {
    const thing = phraseKey(reading, group.thing ?? '')
    reading.slot({ slot: saysSlot(member, `leave ${thing}`), value: 'yes' })
    for (const verb of ['play', 'sing', 'be member', 'be', 'attend', 'tak', 'do', 'work', 'be part'])
      reading.slot({ slot: holdsSlot(member, `${verb} ${thing}`), value: 'no', implied: true })
    reading.slot({ slot: holdsSlot(member, `plan ${thing}`), value: 'no', implied: true })
    return true
  }
  return found
}

function readParting(reading: Reading): boolean {
  const { stated, planned, holds } = reading.clause
  for (const pattern of parted) {
    // "Not together" and "no longer together" mean a separation; "together" does not.
    const text = holds === 'yes' ? planned : stated
    const match = pattern.exec(text)
    const { who = '', other = '' } = match?.groups ?? {}
    const together = /(?:^|\s)(?:together|a couple)$/u.test(match?.[0] ?? '') && !/not together/u.test(match?.[0] ?? '')
    if (!match || (together && holds === 'yes') || (!together && holds !== 'yes')) continue
    const [first, second] = [reading.keyOf(who), reading.keyOf(other)]
    if (first === null || second === null || !reading.isA(other, 'PERSON')) continue
    reading.relate('SPOUSE_OF', who, other, 'denied')
    if (!match[0].includes('divorced')) reading.relatePartners(who, other, null)
    for (const [one, two] of [
      [first, second],
      [second, first],
    ] as const) {
      reading.slot({ slot: relationSlot('PARTNER', one), value: `!${two}`, implied: one !== first })
      reading.slot({ slot: attributeSlot(one, 'relationship status'), value: 'parted', implied: true })
    }
    return true
  }
  return false
}

function readPartners(reading: Reading): boolean {
  const { stated, holds, change } = reading.clause
  const groups = (pair.exec(stated) ?? partner.exec(stated))?.groups
  if (groups) {
    const { who = '', other = '', stage = '' } = groups
    const [first, second] = [reading.keyOf(who), reading.keyOf(other)]
    if (first === null || second === null || !reading.isA(who, 'PERSON') || !reading.isA(other, 'PERSON')) return false
    // "I am with Anna" states a location; "with Anna for years" states a relationship.
    if (stage === 'with' && !/ for (?:[\p{L}\d]+ ){1,3}(?:years|months)/u.test(stated)) return false
    if (/married|knot|wed/u.test(stage)) {
      reading.relate('SPOUSE_OF', who, other, holds === 'yes' ? undefined : 'over')
      return true
    }
    const isEngaged = stage.startsWith('engaged')
    putPartner(reading, first, second, isEngaged ? 'engaged' : 'dating', change)
    reading.relatePartners(who, other, holds !== 'yes' ? null : isEngaged ? 'fiancé' : 'partner')
    return true
  }
  const wed = weds.exec(stated)?.groups
  const key = wed ? reading.keyOf(wed.who ?? '') : null
  if (wed && key !== null && holds === 'yes') {
    const value = wed.stage === 'engaged' ? 'engaged' : 'married'
    reading.slot({ slot: attributeSlot(key, 'relationship status'), value, change: true })
    return true
  }
  return false
}

/** Someone's partner, and the stage of the relationship. */
export function putPartner(reading: Reading, first: string, second: string, stage: string, change: boolean): void {
  const no = reading.clause.holds === 'yes' ? '' : '!'
  reading.slot({ slot: relationSlot('PARTNER', first), value: no === '' ? `${stage} ${second}` : `!${second}`, change })
  reading.slot({
    slot: relationSlot('PARTNER', second),
    value: no === '' ? `${stage} ${first}` : `!${first}`,
    implied: true,
  })
  if (no === '') {
    const status = stage === 'married' ? 'married' : stage === 'engaged' ? 'engaged' : 'in a relationship'
    reading.slot({ slot: attributeSlot(first, 'relationship status'), value: status, implied: true })
    reading.slot({ slot: attributeSlot(second, 'relationship status'), value: status, implied: true })
  } else for (const slot of partnershipsEnded(first)) reading.slot(slot)
}

function readDisposal(reading: Reading): boolean {
  const { planned, holds } = reading.clause
  if (holds !== 'yes') return false
  const groups = (removed.exec(planned) ?? disposes.exec(planned))?.groups
  if (groups) {
    const who = reading.keyOf(groups.who ?? '')
    const thing = withoutTimes(groups.thing ?? '')
    if (who === null || phraseKey(reading, thing) === '') return false
    putGone(reading, who, thing, ['own', 'drive', 'use', 'rent', 'wear', 'ride', 'run', 'manage'])
    const fresh =
      groups.other === undefined || /replaced/u.test(planned) === false ? '' : phraseKey(reading, groups.other)
    if (fresh !== '') reading.slot({ slot: holdsSlot(who, `have ${fresh}`), value: 'yes' })
    return true
  }
  const given = givesUp.exec(planned)?.groups
  if (!given || /(?:^| )(?:[\p{L}]+ing)(?: |$)/u.test((given.thing ?? '').split(' ')[0] ?? '')) return false
  const who = reading.keyOf(given.who ?? '')
  const thing = withoutTimes(given.thing ?? '')
  if (who === null || phraseKey(reading, thing) === '') return false
  putGone(reading, who, thing, [
    'eat',
    'drink',
    'take',
    'use',
    'do',
    'play',
    'smoke',
    'watch',
    'be take',
    'learn',
    'study',
    'have',
  ])
  if (/^(?:meat|red meat)$/u.test(thing))
    reading.slot({ slot: attributeSlot(who, 'diet'), value: '!meat', implied: true })
  return true
}

function putGone(reading: Reading, who: string, phrase: string, verbs: readonly string[]): void {
  const { key, detail } = thingParts(reading, phrase)
  const thing = phraseKey(reading, phrase)
  reading.slot({ slot: holdsSlot(who, `have ${key}`), value: `no${detail}` })
  for (const verb of verbs) {
    reading.slot({ slot: holdsSlot(who, `${factStem(verb)} ${key}`), value: `no${detail}`, implied: true })
    reading.slot({ slot: someSlot(who, factStem(verb)), value: `!${thing}`, implied: true })
  }
  reading.slot({ slot: relatedSlot('USES', who, thing), value: 'no', implied: true })
  reading.slot({ slot: relatedSlot('OWNS', who, thing), value: 'no', implied: true })
  for (const part of ['day', 'time'])
    reading.slot({ slot: whenSlot(thing, 'at', part), value: '-', change: true, implied: true })
}

function readSwitches(reading: Reading): boolean {
  const { planned } = reading.clause
  const school = transfers.exec(planned)?.groups
  if (school && reading.isA(school.target ?? '', 'ORG') && /transferred/u.test(planned)) {
    reading.relate('STUDIES_AT', school.who ?? '', school.target ?? '', undefined, true)
    return true
  }
  const subject = switchesSubject.exec(planned)?.groups
  const student = subject ? reading.keyOf(subject.who ?? '') : null
  if (subject && student !== null) {
    const value = phraseKey(reading, withoutTimes(subject.new ?? ''))
    reading.slot({ slot: someSlot(student, factStem('study')), value, change: true })
    reading.slot({ slot: attributeSlot(student, 'major'), value, change: true, implied: true })
    return true
  }
  const groups = switches.exec(planned)?.groups
  const who = groups ? reading.keyOf(groups.who ?? '') : null
  if (!groups || who === null) return false
  const [old, fresh] = [markOf(groups.old), markOf(groups.new)]
  // From one town to another is a move, which other rules handle.
  if (old !== null && reading.isA(old, 'LOCATION')) return false
  if (old !== null) reading.relate('USES', groups.who ?? '', old, 'over')
  if (fresh !== null) reading.relate('USES', groups.who ?? '', fresh)
  const gone = phraseKey(reading, groups.old ?? '')
  for (const verb of ['use', 'drive', 'play', 'have', 'drink'])
    reading.slot({ slot: holdsSlot(who, `${factStem(verb)} ${gone}`), value: 'no', implied: true })
  if (fresh === null)
    reading.slot({ slot: holdsSlot(who, `use ${phraseKey(reading, groups.new ?? '')}`), value: 'yes' })
  return true
}

function markOf(text: string | undefined): string | null {
  return /^⟦(\d+)⟧$/u.exec(text ?? '')?.[1] ?? null
}

const getsJob = new RegExp(
  `^${mark}${adverbs} (?:got|found|landed|accepted|started|took)(?: an?| ⟦s⟧'s)?(?: new| great| better)? job(?! (?:interview|offer|as|at|with|in))(?![\\p{L}])`,
  'u',
)

/** Someone's occupation, without an employer. */
function readTrade(reading: Reading): boolean {
  const employed = getsJob.exec(reading.clause.planned)?.groups
  const employee = employed ? reading.keyOf(employed.who ?? '') : null
  if (employee !== null) reading.slot({ slot: relationSlot('WORKS_AT', employee), value: '*', implied: true })
  const { stated, planned, holds, change } = reading.clause
  const text = holds === 'yes' ? planned : stated
  const groups = becomes.exec(text)?.groups
  const who = groups ? reading.keyOf(groups.who ?? '') : null
  // If the text names the employer, the role belongs to that employment.
  if (!groups || who === null || / (?:at|for|with) (?:the )?⟦\d+⟧/u.test(text)) return false
  const turned = /became|become|promoted|retrained|turned|started|found/u.test(text)
  const value = phraseKey(reading, groups.role ?? '')
  if (value === '') return false
  reading.slot({
    slot: someSlot(who, 'occupation'),
    value: (holds === 'yes' ? '' : '!') + value,
    change: change || turned,
  })
  return true
}
