/**
 * People without a name ("my sister moved"), and which of several people with the same name is meant ("my sister
 * Anna").
 */
import { pattern } from '../../core/pattern.js'
import { kin } from '../../language/names/name-context.js'
import { isVerb } from '../../language/words/words.js'

const adjectives = pattern`
  ((?: (?:older|younger|little|big|twin|eldest|oldest|youngest|middle|only|best|good|close|old|dear|new|late|former
  |first|second|other|current|great|closest|childhood|direct|half|step|next-door)){0,3})
`
const relatives = `${kin}|parents|kids|children|grandparents|in-laws|siblings|step(?:sister|brother)|barber|trainer|student|client|tenant|nanny|babysitter|hairdresser`
const unnamedPattern = new RegExp(
  pattern`
    (?<!⟧ (?:is|are|am|was|were)(?: now| also| not| no longer| still| officially){0,2} )⟦(\d+
    |s)⟧'s${adjectives} (${relatives})(?![\p{L}-])(?! ⟦|, ⟦\d|'s name| (?:mr|mrs|ms|dr)\.? ⟦| and ⟦|,? (?:named
    |called|is|was|is now|is called|is named|who is called) ⟦)
  `,
  'gu',
)
/** A person has only one of these; a text that means another would say so. */
const only = new Set(
  `wife husband spouse mother father mom mum dad boss manager supervisor partner girlfriend boyfriend fiance fiancé
fiancée landlord therapist parents grandparents grandma grandpa granny mother-in-law father-in-law`.split(/\s+/u),
)

/** "Mom called": it is clear whose mother. */
const bareParent =
  /(?<!⟧'s |⟧'s [\p{L}-]{1,12} |(?:the|an?|his|her|their|your|this|that|as|step|and) )(?<![\p{L}-])(mom|mum|dad|grandma|grandpa|granny|mommy|daddy)(?![\p{L}-]| ⟦)/gu
const afterNoun = new RegExp(
  pattern`
    ^(?:and|or|in|on|at|from|with|who|whom|that|to|for|of|as|just|also|still|now|recently|really|never|always|no
    |not|finally|actually|often|usually|already|too|both|all|about|because|when|since|once|last|this|yesterday
    |today|these|doesn|isn|hasn|does|broke|goes)$
  `,
  'u',
)

/** Gives each person a separate mark: `markFor` receives the owner, the words, and whether there may be several. */
export function markUnnamed(
  template: string,
  markFor: (owner: string, words: string, only: boolean) => string | null,
): string {
  return template
    .replace(bareParent, "⟦s⟧'s $1")
    .replace(unnamedPattern, (whole, owner: string, before: string, noun: string, at: number, all: string) => {
      // "My dentist appointment" does not mention a dentist.
      const next = /^ ([\p{L}]+)/u.exec(all.slice(at + whole.length, at + whole.length + 24))?.[1]
      if (next !== undefined && !isVerb(next) && !afterNoun.test(next)) return whole
      const mark = markFor(owner, `${before} ${noun}`.trim(), only.has(noun) && before.trim().replace('new', '') === '')
      return mark === null ? whole : `⟦${mark}⟧`
    })
}

const pets = 'dog|cat|puppy|kitten|pet|horse|rabbit|parrot|hamster'
const titled = '(?: (?:mr|mrs|ms|dr|prof)\\.?)?'
const whoPatterns: readonly RegExp[] = [
  new RegExp(
    `⟦(?<owner>\\d+|s)⟧'s${adjectives.replace('(', '(?<before>')} (?<noun>${relatives}|${pets})${titled},? ⟦(?<mark>\\d+)⟧`,
    'gu',
  ),
  new RegExp(
    `⟦(?<mark>\\d+)⟧, ⟦(?<owner>\\d+|s)⟧'s${adjectives.replace('(', '(?<before>')} (?<noun>${relatives})(?![\\p{L}])`,
    'gu',
  ),
  /⟦(?<mark>\d+)⟧ (?<noun>from (?:the |⟦s⟧'s )?[\p{Ll}]+)(?: [\p{Ll}]+)?/gu,
  /(?<![\p{L}])(?<noun>uncle|aunt|auntie|grandpa|grandma|granny|cousin|coach) ⟦(?<mark>\d+)⟧/gu,
  /(?<![\p{L}])(?<noun>the other|another|a different) ⟦(?<mark>\d+)⟧/gu,
  /(?<![\p{L}])(?<noun>the) ⟦(?<mark>\d+)⟧ (?:⟦s⟧|who|that) /gu,
]

/**
 * The person meant by a name, where the text says it: the mark, and words that distinguish this person from namesakes.
 */
export function* namesakes(template: string): Generator<{ mark: string; owner: string | null; words: string }> {
  for (const pattern of whoPatterns) {
    for (const { groups } of template.matchAll(pattern)) {
      if (groups?.mark === undefined) continue
      yield { mark: groups.mark, owner: groups.owner ?? null, words: (groups.noun ?? '').replace("⟦s⟧'s ", '') }
    }
  }
}
