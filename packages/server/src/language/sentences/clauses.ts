/**
 * A template cut into clauses, each turned into its positive form: "⟦0⟧ no longer works at ⟦1⟧" reads "⟦0⟧ works at
 * ⟦1⟧" and is `over`. This way one pattern finds a fact, its end and its denial. Questions, hearsay and suppositions
 * are cut off.
 */
import { pattern } from '../../core/pattern.js'
import { monthPattern } from '../dates/month-names.js'
import { isVerb } from '../words/words.js'

export interface Clause {
  /** The whole clause, for facts that a noun states whoever says it ("Tom thinks my sister Anna …"). */
  readonly whole: string
  /** The stated part in its positive form; may be empty. */
  readonly stated: string
  /** Like `stated`, but includes wishes, plans and denied parts. */
  readonly planned: string
  /** `over`: it was true and no longer is. `denied`: it is not true. */
  readonly holds: 'yes' | 'over' | 'denied'
  /** The text says that something is new, or that an earlier statement is wrong. */
  readonly change: boolean
  readonly since: string | null
  readonly until: string | null
  /** Hearsay or a supposition, at least from some position on. */
  readonly unsaid: boolean
}

const hearsay = pattern`
  thinks?|thought|believes?(?! in(?![\p{L}]))|believed|says?|said|saying|hears?|heard|claims?|claimed|tells?|told
  |guess(?:es)?|suppos(?:e|es|ing|edly)|assum(?:e|es|ed|ing)|rumou?rs?|apparently|allegedly|reportedly|reported
  |maybe|perhaps|possibly|probably|wonders?|wondering|doubts?|suspects?|suspected|insists?|insisted|convinced
  |swears?|mentions?|mentioned|refuses?|imagine|pretends?|dreams?|dreamed|dreamt|if|unless|whether|according to
  |asks?|asked|suggests?|would|might|could|should|(?<=(?:⟦(?:\d+|s)⟧|they|it|he|she|that) )may|wrote down|seems
  |supposed|not sure
`
const wishes = 'hopes?|hoping|wish(?:es)?|wants?|wanted|until'
const word = (list: string) => new RegExp(`(?<![\\p{L}])(?:${list})(?![\\p{L}])`, 'u')
const heardOrSupposed = word(hearsay)
const unsaidAtAll = word(`${hearsay}|${wishes}`)
/** The speaker's own "I told you", "I said goodbye" and "as I said" are not hearsay. */
const ownWords =
  /^(?:⟦s⟧ (?:think|thought|believe) )?⟦s⟧ (?:have )?(?:already |once )?(?:told|mentioned|said)(?: to)? (?:you|it|before|goodbye|hello|yes|no|that)(?: that)?(?: before)? ?/u
const changed = new RegExp(
  pattern`
    (?<![\p{L}])(?:now|actually|instead|sorry|correction|typo|oops|whoops|update|these days|nowadays|from now on
    |as of|again|changed|switched|swapped|became|become|new|since (?:the|we|⟦s⟧)|wrong|mixed|misread|corrected
    |any ?more|any longer|no longer|went up|went down|meanwhile|rather than|moved|renamed|remarried)(?![\p{L}])
    |, not |(?<![\p{L}])not ⟦?\d
  `,
  'u',
)

export function clausesOf(sentence: string): Clause[] {
  const template = sentence
    .replace(/(?<=\p{L})n't(?!\p{L})/gu, ' not')
    .replace(/(?<!\p{L})ca not(?!\p{L})|(?<!\p{L})cannot(?!\p{L})/gu, 'can not')
    .replace(/(?<!\p{L})wo not(?!\p{L})/gu, 'will not')
    .replace(/(?<![.!?…])[.!?…]+["')]*\s*$/u, '')
    .replace(leadsIn, '')
    .replace(ownWords, '')
  const change = changed.test(template)
  const clauses: Clause[] = []
  let unsaidBefore = false
  for (const { text, fresh } of parts(template)) {
    // Everything after "said that" is hearsay too, until a "but" or a semicolon.
    if (fresh) unsaidBefore = false
    const whole = text.trim()
    if (whole === '') continue
    const at = unsaidBefore ? 0 : whole.search(unsaidAtAll)
    const plannedAt = unsaidBefore ? 0 : whole.search(heardOrSupposed)
    const trailing = /, (?:⟦s⟧ (?:hear|heard|think|guess|believe|suppose)|they say|apparently|supposedly|or so)/u.test(
      whole,
    )
    const stated = trailing ? '' : opened(at < 0 ? whole : whole.slice(0, at))
    const planned = trailing ? '' : opened(plannedAt < 0 ? whole : whole.slice(0, plannedAt))
    if (plannedAt >= 0) unsaidBefore = true
    const clause = { whole, planned, ...positive(stated), change, ...spanOf(whole), unsaid: at >= 0 || trailing }
    const contrast = /^(.*)⟦(\d+)⟧,? (?:and )?not ⟦(\d+)⟧$/u.exec(clause.stated)
    if (!contrast || clause.holds !== 'yes') clauses.push(clause)
    else {
      // "Her name is ⟦0⟧, not ⟦1⟧" says two things.
      const [, lead = '', one = '', other = ''] = contrast
      const said = { ...clause, whole: `${lead}⟦${one}⟧`, planned: `${lead}⟦${one}⟧`, stated: `${lead}⟦${one}⟧` }
      const denied = { ...clause, whole: `${lead}⟦${other}⟧`, planned: '', stated: `${lead}⟦${other}⟧` }
      clauses.push(said, { ...denied, holds: 'denied' })
    }
  }
  return clauses
}

const leadsIn = /^(?:guess what|just so you know|you know what|fun fact|as you know)[,:!.]+ ?/u

const separators =
  /; |: | [–—-] |,? but |,? so (?!that)|,? because (?!of)|,? and (?:so |then |also |now )?|, (?:and |so |which |who |where )?/gu
const subjectStart = new RegExp(
  pattern`
    ^(?:(?:now|then|also|today|that|finally|luckily|as of [\p{L}]+) ,?)?(?:⟦(?:\d+
    |s)⟧(?:'s(?: [\p{L}-]+){1,4}?)?(?: and ⟦(?:\d+|s)⟧)?|(?:the|an?|some|all|each)(?: [\p{L}-]+){1,4}?|it|this|that
    |they|he|she|there|someone|everyone)(?:'s)?(?: (?:now|also|still|just|really|recently|finally|currently|then
    |always|often|never|both))* ([\p{L}]+)
  `,
  'u',
)
const mostLookedAt = 90

function* parts(template: string): Generator<{ text: string; fresh: boolean }> {
  let start = 0
  let fresh = true
  for (const match of template.matchAll(separators)) {
    const end = match.index + match[0].length
    if (end <= start) continue
    const left = template.slice(start, match.index)
    const right = template.slice(end, end + mostLookedAt)
    const strong = /^(?:; |,? but | [–—-] )/u.test(match[0])
    if (!strong && !(startsClause(right) && hasVerb(left))) continue
    yield { text: left, fresh }
    start = end
    fresh = strong
  }
  yield { text: template.slice(start), fresh }
}

function startsClause(right: string): boolean {
  const verb = subjectStart.exec(right)?.[1]
  return verb !== undefined && isVerb(verb)
}

function hasVerb(left: string): boolean {
  return left.split(/[\s,]+/u).some((token) => isVerb(token))
}

const opener = new RegExp(
  pattern`
    ^(?:(?:so|well|and|but|oh|ok|okay|hey|hi|yeah|yes|no|actually|honestly|basically|anyway|also|btw|by the way
    |update|update on ⟦s⟧|quick (?:intro|update|note)|big news|good news|news|correction|typo|oops|whoops|sorry
    |guess what|fyi|just so you know|reminder(?: for ⟦s⟧)?|note to self|finally|luckily|unfortunately|sadly
    |honestly|turns out(?: that)?|it turns out(?: that)?|to be (?:honest|clear|precise)|for the record|in fact
    |of course|today|yesterday|now|currently|meanwhile|lately|recently|nowadays|these days|since (?:the
    |⟦s⟧'s) [\p{L}-]+|after [^,⟦]{1,30}|as of [\p{L} ]{1,20}?|last [\p{L}]+|on [\p{L}]+|in \d{4}
    |every morning(?: before work)?|at work|growing up)(?:[,:!.]+ ?| (?=⟦|the |our |there |it )))+
  `,
  'u',
)

/** The text without its introductory words. */
function opened(text: string): string {
  const trimmed = text.trim()
  const rest = trimmed.replace(opener, '').trim() || trimmed
  // "My sister Anna moved": Anna did.
  const [lead, words = ''] = /^⟦(?:\d+|s)⟧'s((?: [\p{L}-]+){1,4}),? (?=⟦\d+⟧(?!'s) (?!and ))/u.exec(rest) ?? []
  const link = / (?:to|of|from|in|at|for|with|on|by|about|than|as|and|or|is)(?= |$)/u
  return lead === undefined || hasVerb(words) || link.test(words) ? rest : rest.slice(lead.length)
}

/** The text without its negation, and the kind of negation. */
function positive(text: string): Pick<Clause, 'stated' | 'holds'> {
  const tail = / (?:any ?more|any longer)(?=$|[ ,.])/u
  const ended = tail.test(text)
  const body = text.replace(tail, '')
  let stated = body.replace(/ no longer(?= )/u, '')
  if (stated !== body) return { stated: agreeing(stated), holds: 'over' }
  stated = body.replace(
    / (?:(do|does|did)|(am|is|are|was|were|has|have)) not(?: really| particularly| much| even| currently| actually)?(?: (?!(?:only|just|sure|yet)(?![\p{L}]))([\p{L}⟦][^\s,.]*))(?=$|[ ,.])/u,
    (_, helper: string | undefined, verb: string | undefined, next: string) =>
      verb ? ` ${verb} ${next}` : ` ${helper === 'does' ? thirdPerson(next) : next}`,
  )
  if (stated !== body) return { stated, holds: ended ? 'over' : 'denied' }
  stated = body.replace(/(?<=⟧) never (?=\p{L})/u, ' ')
  if (stated !== body) return { stated, holds: 'denied' }
  stated = body.replace(/ can not (?!stand|bear)(?=\p{L})/u, ' can ')
  if (stated !== body) return { stated, holds: 'denied' }
  stated = body.replace(
    /(⟦(?:\d+|s)⟧)(?: have| has)?(?: just| finally| recently)? (?:stopped|quit|gave up(?: on)?|given up(?: on)?|ceased|finished|got tired of) (?=[\p{L}]+ing(?![\p{L}]))/u,
    (_, subject: string) => `${subject} ${subject === '⟦s⟧' ? 'am' : 'is'} `,
  )
  if (stated !== body) return { stated, holds: 'over' }
  stated = body.replace(
    /(⟦(\d+|s)⟧)( also)? used to ([\p{L}]+)/u,
    (_, subject: string, mark: string, also = '', verb: string) =>
      verb === 'be'
        ? `${subject} ${mark === 's' ? 'am' : 'is'}`
        : `${subject}${also} ${mark === 's' ? verb : thirdPerson(verb)}`,
  )
  if (stated !== body) return { stated, holds: 'over' }
  return { stated: past(body), ...heldOnce(body) }
}

const pastState =
  /(⟦(\d+|s)⟧(?: also| previously| briefly| once)?) (worked|lived|resided|dated|owned|managed|interned|freelanced)(?= (?:at|for|in|near|as|with|on|part|full|⟦|an? |the ))/u
const wasState =
  /(⟦(\d+|s)⟧) (?:was|were) (?=(?:an?|married to|working|living|based|employed|engaged to|dating|the [\p{L}]+ (?:of|at)) )/u
const perfect =
  /(⟦(\d+|s)⟧(?: also)?) (?:have|has) (worked|lived|resided|owned|managed|played|studied|taught|known|used)(?= )/u

function heldOnce(text: string): Pick<Clause, 'holds'> {
  return {
    holds:
      pastState.test(text) || wasState.test(text) || (perfect.test(text) && / until /u.test(text)) ? 'over' : 'yes',
  }
}

/** "Worked at" and "have worked at" become "work at", so patterns need only one form. */
function past(text: string): string {
  const base: Readonly<Record<string, string>> = {
    lived: 'live',
    resided: 'reside',
    dated: 'date',
    managed: 'manage',
    freelanced: 'freelance',
    studied: 'study',
    taught: 'teach',
    known: 'know',
    used: 'use',
  }
  const present = (_: string, subject: string, mark: string, verb: string) => {
    const bare = base[verb] ?? verb.slice(0, -2)
    return `${subject} ${mark === 's' ? bare : thirdPerson(bare)}`
  }
  return text
    .replace(
      /(⟦(\d+|s)⟧) (?:(?:have|has) )?(?:come|came|grown|grew|learned|learnt|started|begun|began) to (love|like|enjoy|hate|appreciate|prefer|dislike)(?= )/u,
      (_, subject: string, mark: string, verb: string) => `${subject} ${mark === 's' ? verb : thirdPerson(verb)}`,
    )
    .replace(perfect, present)
    .replace(pastState, present)
    .replace(wasState, (_, subject: string, mark: string) => `${subject} ${mark === 's' ? 'am' : 'is'} `)
}

/** "⟦0⟧ no longer works": the remaining verb agrees already; "⟦s⟧ am no longer a member" too. */
function agreeing(text: string): string {
  return text.replace(/\s+/gu, ' ')
}

function thirdPerson(verb: string): string {
  if (verb === 'have') return 'has'
  if (/(?:s|x|z|ch|sh|o)$/u.test(verb)) return `${verb}es`
  return /[^aeiou]y$/u.test(verb) ? `${verb.slice(0, -1)}ies` : `${verb}s`
}

const moment = pattern`
  ((?:early |late |mid-? ?)?(?:[\p{L}]+ )?(?:\d{1,2}(?:st|nd|rd|th)?,? )?(?:19|20)\d{2}|(?:last |next )?(?:${monthPattern}
  |spring|summer|autumn|fall|winter
  |week|month|year|monday|tuesday|wednesday|thursday|friday|saturday|sunday)(?: \d{1,2}(?:st|nd|rd|th)?)?)
`
const sincePattern = new RegExp(`(?<![\\p{L}])since ${moment}(?![\\p{L}\\p{N}])`, 'u')
const untilPattern = new RegExp(`(?<![\\p{L}])(?:until|till) ${moment}(?![\\p{L}\\p{N}])`, 'u')
const fromTo = new RegExp(
  `(?<![\\p{L}])(?:from|between) ${moment} (?:to|until|till|and) ${moment}(?![\\p{L}\\p{N}])`,
  'u',
)

function spanOf(text: string): Pick<Clause, 'since' | 'until'> {
  const both = fromTo.exec(text)
  if (both) return { since: both[1] ?? null, until: both[2] ?? null }
  return { since: sincePattern.exec(text)?.[1] ?? null, until: untilPattern.exec(text)?.[1] ?? null }
}
