/**
 * Tells rules that hold from now on ("write tests with vitest", "ask before deleting files") from requests for one thing ("translate this",
 * "write me a poem"). A rule has a manner or a condition, and speaks of things in general; a request points to a thing. English only.
 */
import { pattern } from '../../core/pattern.js'
import { isVerb } from '../words/words.js'
import { sentencesOf } from './sentences.js'

/** `maybe`: about things in general, but without a manner or a condition ("pin dependencies", "add comments"). */
export type Standing = 'surely' | 'maybe' | null

const longest = 300

export function standingRule(text: string): Standing {
  if (text.length > longest) return null
  const kinds = sentencesOf(text, longest).flatMap(({ start, end }) => clausesOf(text.slice(start, end)).map(kindOf))
  return kinds.find((kind) => kind === 'surely') ?? kinds.find((kind) => kind !== null) ?? null
}

function clausesOf(sentence: string): string[] {
  const said = sentence.replace(/[’]/gu, "'").toLowerCase()
  return said.split(/[,;:] | (?:and|but|then) | - /u).map((clause) => clause.trim())
}

const lead =
  /^(?:(?:please|pls|ok|okay|also|so|just|hey|hi|btw|and|but|kindly|only|always|never|make sure to|be sure to|remember to)[,:]? )+/u
const frequency = /(?<!\p{L})(?:always|never)(?!\p{L})/u
const closing = /[.!…\s]+$|,? (?:please|pls|thanks|thx|thank you)[.!\s]*$/u

function kindOf(clause: string): Standing {
  if (/\?\s*$/u.test(clause)) return null
  const said = clause.replace(closing, '').replace(closing, '')
  const [before = ''] = lead.exec(said) ?? []
  const [, verb = '', rest = ''] = /^([\p{L}'-]+)( .*)$/u.exec(said.slice(before.length)) ?? []
  if (rest === '' || pointing.test(rest)) return null
  if (verb === 'no') return 'maybe'
  if (style.test(verb + rest)) return 'surely'
  if (!isImperative(verb)) return null
  if (frequency.test(before) || condition.test(rest)) return 'surely'
  return general(verb, rest)
}

/** Verbs that are nouns too, or are used at work only. */
const workVerbs = new Set(
  `assert benchmark branch bump cache capitalise capitalize catch cite comment commit configure convert debug default define delete deploy
describe document draft escape export fetch flag format implement import indent inject inline link lint list localise localize log merge mock name nest
number omit optimise optimize order outline parse persist pin prefix prioritise prioritize quote rebase redact refactor render rephrase respond
restrict rewrite round sanitise sanitize schedule serialise serialize shorten simplify squash stage store structure summarise summarize tag test
throttle time timestamp trace truncate validate verify version limit default address assume mask ignore pad wrap group title`.split(
    /\s+/u,
  ),
)
/** In front of these no rule is meant: "have fun with it", "let me know". */
const wishes = new Set(
  `be enjoy get go guess hang have hope let like live look love mind need rest see seem sleep stay take thank think travel drive want wish wait
come can could would will shall should may might must do feel know mean start begin continue proceed try dream rock`.split(
    /\s+/u,
  ),
)

function isImperative(verb: string): boolean {
  if (wishes.has(verb)) return false
  return workVerbs.has(verb) || (isVerb(verb) && !/(?:[^s]s|ed)$/u.test(verb))
}

/** Something at hand, or of this moment. */
const pointing = new RegExp(
  pattern`
    (?<![\p{L}'])(?:this|that|these|those|it|its|it's|them|here|above|below|again|following|previous|latest|another
    |now|today|tonight|tomorrow|asap|(?:the|your|my) (?:last|first|next|other|second|third|rest|same)|(?:me|us) (?:a
    |an|the|some|one|two|three|more|how|what|why|where|who|about|in|with))(?![\p{L}'])
  `,
  'u',
)
const moment = '(?:morning|evening|everything|something|nothing|going|leaving)'
const condition = new RegExp(
  pattern`
    (?<!\p{L})(?:(?:before|after|prior to) (?:(?!${moment}(?!\p{L}))\p{L}+ing|(?:you|we) (?!(?:go|leave|sleep)(?!\p{L}))\p{L}+|any|anything|anyone
    |every|each|(?:a |an |the )?(?:merge|commit|push|release|deploy|deployment|change|review|edit)s?)
    |when (?:asked|possible|needed|necessary|required|appropriate|relevant|in doubt|unsure|you(?:'re| are) (?:unsure|not sure
    |in doubt)|(?!${moment}(?!\p{L}))\p{L}+ing)|whenever|unless|if (?:asked|possible|needed|necessary|unsure|unclear|in doubt
    |(?:you(?:'re| are)|something(?:'s| is)|anything(?:'s| is)) (?:unsure|not sure|in doubt|unclear))|by default|every time
    |each time|at all times|where possible|everywhere|always|never|from now on|going forward|in future)(?!\p{L})
  `,
  'u',
)

const places = / at the (?:end|top|bottom|beginning|start)(?!\p{L})/u
/** The thing asked for is one thing, or known to both. */
const single = new RegExp(
  pattern`
    (?<!\p{L})the(?!\p{L})|^(?: (?:up|down|out|off|on|over|about|at|for|to))? (?:a|an|some|one|two|three|my|our|his|her|their|me
    |us|him|all|both|more|something|how|what|why|when|where|who|if|whether)(?!\p{L})
  `,
  'u',
)
const manner = new RegExp(
  pattern`
    (?<!\p{L})(?:with|without|as|like|into|via|using|per|in(?! (?:touch|there|peace|line|time|mind|an? (?:bit|minute|second|sec|moment|while
    |hour))(?!\p{L}))) \p{L}|(?<!\p{L})(?:first|last|only)$|^ (?:short|simple|plain|small|concise|clear|formal|informal|idiomatic|readable|pure) \p{L}
    |(?<!\p{L})(?!(?:only|really|finally|actually|exactly|quickly|immediately|family|italy|july|reply|supply|apply|assembly)(?!\p{L}))\p{L}{3,}ly$
  `,
  'u',
)
/** Verbs of things that an assistant does at once: of them only a clear rule is one. */
const tasks = new Set(
  `translate summarize summarise explain elaborate describe define list compare show tell find search give check count say suggest recommend
draw plan book order buy rewrite rephrase shorten simplify expand help solve calculate convert fix sing play call remind proofread read make turn`.split(
    /\s+/u,
  ),
)
const clear = /(?<!\p{L})(?:only|without \p{L}+|first)$|(?<!\p{L})only \p{L}/u
const generalObject = /^ (?:everything|anything|things|stuff|concepts|terms)(?!\p{L})/u
const ownWords = /^ (?:\p{L}+ )*(?:answers|replies|responses|explanations)(?!\p{L})/u
const ownWork =
  /^(?:show|explain|cite|give|share|state|keep|limit|sign|test|document) your (?:reasoning|thinking|work|\p{L}{3,}s)(?!\p{L})/u
const preference = new Set(['use', 'avoid', 'prefer', 'limit', 'restrict', 'skip', 'omit', 'follow'])
/** How to answer: "be concise". */
const style =
  /^be (?:more |very |always |as )?(?:brief|concise|succinct|direct|blunt|polite|formal|informal|specific|precise|critical|thorough|explicit|strict|terse)(?!\p{L})/u

function general(verb: string, rest: string): Standing {
  const [placed, object] = [places.test(rest), rest.replace(places, '')]
  if (single.test(object)) return preference.has(verb) && !/^ (?:a|an) /u.test(object) ? 'maybe' : null
  if (placed || ownWork.test(verb + rest)) return 'surely'
  if (object.split(' ').length > 2 && ownWords.test(object)) return 'surely'
  if (tasks.has(verb))
    return clear.test(object) || (generalObject.test(object) && manner.test(object)) ? 'surely' : null
  if (verb === 'keep') return /^ (?:\p{L}+ )*\p{L}+s \p{L}+$/u.test(object) ? 'surely' : null
  return preference.has(verb) || manner.test(object) || clear.test(object) ? 'surely' : 'maybe'
}
