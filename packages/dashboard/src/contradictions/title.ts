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

/** What a contradiction is about: the words that both memories begin with, such as "Tom lives in". */
export function titleOf({ old, new: newer, reason }: Told): string {
  const [before, after] = [wordsOf(old.content), wordsOf(newer.content)]
  const differs = before.findIndex((word, index) => word.toLowerCase() !== after[index]?.toLowerCase())
  const common = differs < 0 ? [] : before.slice(0, differs)
  if (common.length >= leastWords) return asTitle(common.at(-1) === 'is' ? common.slice(0, -1) : common)
  return byRule[reason?.rule ?? ''] ?? 'Changed'
}

function asTitle(words: readonly string[]): string {
  const text = words.join(' ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

function wordsOf(content: string): string[] {
  return content.split(/\s+/).slice(0, 12)
}
