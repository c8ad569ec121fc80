import type { Contradiction } from '@keepsake/client'

type Told = Pick<Contradiction, 'old' | 'new' | 'reason'>

/** For reasons without common words, by rule. */
const byRule: Readonly<Record<string, string>> = {
  refined: 'The same, and more',
  repeated: 'The same in other words',
  chatter: 'States nothing',
}

/** A title shorter than this says nothing: "I …". */
const leastWords = 2

/** More would be no title. */
const mostWords = 12

/** What a contradiction is about: the words that both memories begin with, such as "Tom lives in". */
export function titleOf({ old, new: newer, reason }: Told): string {
  const [before, after] = [wordsOf(old.content), wordsOf(newer.content)]
  const differs = before.findIndex((word, index) => word.toLowerCase() !== after[index]?.toLowerCase())
  const common = differs < 0 ? [] : before.slice(0, Math.min(differs, mostWords))
  if (common.length >= leastWords) return asTitle(common.at(-1) === 'is' ? common.slice(0, -1) : common)
  return byRule[reason?.rule ?? ''] ?? asTitle(longestShared(before, after), 'Changed')
}

/** They say nothing about a topic. */
const fillers = new Set(
  'a an and are as at be been by for from has have he her his i in is it its me mr mrs ms my no not of on or our she so that the their they this to was we were who will with you your'.split(
    ' ',
  ),
)

const bare = (word: string) => word.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')

/** The longest words in a row that both have, such as "Tom Ashby". */
function longestShared(before: readonly string[], after: readonly string[]): string[] {
  const known = new Set(before.map(bare).filter((word) => word !== '' && !fillers.has(word)))
  let [best, run]: [string[], string[]] = [[], []]
  for (const word of after) {
    run = known.has(bare(word)) ? [...run, word.replace(/[^\p{L}\p{N}]+$/u, '')] : []
    if (run.join(' ').length > best.join(' ').length) best = run
  }
  return best
}

function asTitle(words: readonly string[], otherwise = ''): string {
  const text = words.join(' ')
  if (text === '') return otherwise
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

function wordsOf(content: string): string[] {
  return content.split(/\s+/).slice(0, 40)
}
