/** Whether two texts can say the same, judged by their words: a trained model overlooks negations, opposites and swapped roles. */
import { monthNames } from '../language/dates/month-names.js'
import { saysThatItChanged } from '../language/words/change-words.js'
import { factStem } from '../language/words/stem.js'
import { isLight } from '../language/words/words.js'

const negation =
  /(?<![\p{L}])(?:no|not|never|none|nobody|nothing|without|neither|nor|hardly|cannot)(?![\p{L}])|n['’]t(?![\p{L}])/giu
/** From this share of words in the same order on, a word that differs is a different value: "open", "closed". */
const mostAlike = 0.6
/** From here on, a negation in only one of them denies the other. */
const alikeButDenied = 0.4
const mostWords = 120

/** Two of a kind: whoever names the one does not speak of the other. */
const opposites = (
  'top/bottom upper/lower left/right front/back front/rear inside/outside upstairs/downstairs north/south east/west open/shut open/closed ' +
  'first/second first/last morning/evening breakfast/lunch breakfast/dinner lunch/dinner summer/winter mother/father mum/dad mom/dad ' +
  'brother/sister son/daughter husband/wife boy/girl uncle/aunt grandma/grandpa'
)
  .split(' ')
  .map((pair) => pair.split('/'))

/** "The cactus sulks too": what was said before is about something else. */
const ofOthers = ['another', 'also', 'too']

function areOpposed(mine: ReadonlySet<string>, theirs: ReadonlySet<string>): boolean {
  const isOnly = (words: ReadonlySet<string>, one = '', two = '') => words.has(one) && !words.has(two)
  return opposites.some(
    ([one, two]) =>
      (isOnly(mine, one, two) && isOnly(theirs, two, one)) || (isOnly(mine, two, one) && isOnly(theirs, one, two)),
  )
}

export function mayBeRepetition(fresh: string, old: string): boolean {
  const [mine, theirs] = [wordsOf(fresh), wordsOf(old)]
  const [ours, known] = [new Set(mine), new Set(theirs)]
  if (areOpposed(ours, known) || ofOthers.some((word) => ours.has(word) && !known.has(word))) return false
  const [one, two] = [heavy(mine), heavy(theirs)]
  const alike = longestCommon(mine, theirs) / Math.max(mine.length, theirs.length)
  if (countOf(fresh) !== countOf(old) && alike >= alikeButDenied) return false
  const isSame = one.length === two.length && [...one].sort().join(' ') === [...two].sort().join(' ')
  if (isSame) return one.join(' ') === two.join(' ') && peopleIn(mine) === peopleIn(theirs)
  const differ = one.some((word) => !two.includes(word)) && two.some((word) => !one.includes(word))
  return alike < mostAlike || !differ
}

/** "Her name" is not "my name". */
function peopleIn(words: readonly string[]): string {
  return words
    .filter((word) => /^(?:i|me|my|mine|we|us|our|you|your|he|him|his|she|her|they|them|their)$/u.test(word))
    .join(' ')
}

function countOf(text: string): number {
  return text.match(negation)?.length ?? 0
}

function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, mostWords)
}

function heavy(words: readonly string[]): string[] {
  return words.filter((word) => !isLight(word) && (word.length > 1 || /\p{N}/u.test(word))).map(factStem)
}

/** The length of the longest common subsequence. */
function longestCommon(one: readonly string[], two: readonly string[]): number {
  let above = new Array<number>(two.length + 1).fill(0)
  for (const word of one) {
    const row = [0]
    for (const [at, other] of two.entries())
      row.push(word === other ? (above[at] ?? 0) + 1 : Math.max(row[at] ?? 0, above[at + 1] ?? 0))
    above = row
  }
  return above.at(-1) ?? 0
}

/** Words after a number that is part of a name ("Box 3 holds"), unlike one that is an amount ("Budget 300 euros"). */
const afterNumberedName = new Set(
  'of is was has had will can holds contains stores needs belongs costs opens closes runs uses goes leaves arrives'.split(
    ' ',
  ),
)
const articles = new Set('the a our my your his her their'.split(' '))
const months = new Set(monthNames.map((name) => name.toLowerCase()))

const environments = ['prod production prd', 'staging stg', 'dev', 'qa'].map((words) => new Set(words.split(' ')))

/** "DB host prod" and "DB host staging": what holds in one environment changes nothing in another. */
function areInOtherEnvironments(fresh: string, old: string): boolean {
  // "The database moved to production."
  if (saysThatItChanged(fresh)) return false
  const [mine, theirs] = [fresh, old].map((text) => {
    const words = new Set(wordsOf(text))
    return environments.filter((names) => [...names].some((name) => words.has(name)))
  })
  return !!mine?.length && !!theirs?.length && !mine.some((names) => theirs.includes(names))
}

/** "Box 3 holds …" and "Box 4 holds …" are about two things of one kind, so neither changes the other. */
export function areNumberedApart(fresh: string, old: string): boolean {
  if (areInOtherEnvironments(fresh, old)) return true
  const [mine, theirs] = [numberedSubject(fresh), numberedSubject(old)]
  return mine !== null && theirs !== null && mine.kind === theirs.kind && mine.number !== theirs.number
}

function numberedSubject(text: string): { readonly kind: string; readonly number: number } | null {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const [kind = '', digits = '', next = ''] = words.slice(articles.has(words[0] ?? '') ? 1 : 0)
  const number = Number(digits)
  if (!Number.isInteger(number) || digits === '' || isLight(kind) || months.has(kind)) return null
  return afterNumberedName.has(next) ? { kind, number } : null
}
