/** Whether two texts can say the same, judged by their words: a trained model overlooks negations, opposites and swapped roles. */

import { monthNames } from '../language/dates/month-names.js'
import { factStem } from '../language/words/stem.js'
import { isLight } from '../language/words/words.js'

const negation =
  /(?<![\p{L}])(?:no|not|never|none|nobody|nothing|without|neither|nor|hardly|cannot)(?![\p{L}])|n['’]t(?![\p{L}])/giu
/** From this share of common words on, other words that differ are different values. */
const mostShared = 0.5
/** So many words are a paraphrase rather than another value. */
const fewWords = 2

export function mayBeRepetition(fresh: string, old: string): boolean {
  if (countOf(fresh) !== countOf(old)) return false
  const [mine, theirs] = [wordsOf(fresh), wordsOf(old)]
  const [one, two] = [new Set(mine), new Set(theirs)]
  const added = [...one].filter((word) => !two.has(word))
  const missing = [...two].filter((word) => !one.has(word))
  const shared = one.size - added.length
  if (added.length === 0 && missing.length === 0) return mine.join(' ') === theirs.join(' ')
  const isClose = shared >= mostShared * Math.min(one.size, two.size)
  // "Open on Sundays" and "closed on Sundays": one word stands for another.
  return !(isClose && added.length > 0 && missing.length > 0 && Math.min(added.length, missing.length) <= fewWords)
}

/** Words after a number that is part of a name ("Box 3 holds"), unlike one that is an amount ("Budget 300 euros"). */
const afterNumberedName = new Set(
  'of is was has had will can holds contains stores needs belongs costs opens closes runs uses goes leaves arrives'.split(
    ' ',
  ),
)
const articles = new Set('the a our my your his her their'.split(' '))
const months = new Set(monthNames.map((name) => name.toLowerCase()))

/** "Box 3 holds …" and "Box 4 holds …" are about two things of one kind, so neither changes the other. */
export function areNumberedApart(fresh: string, old: string): boolean {
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

function countOf(text: string): number {
  return text.match(negation)?.length ?? 0
}

function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return words.filter((word) => !isLight(word)).map(factStem)
}
