import { contentKey } from '../../core/memory.js'
import { sentencesOf } from './sentences.js'

const longestSentence = 1_000

/** Whether a memory repeats the other word for word, as one or more whole sentences among others of the same speaker. */
export function containsSentences(memory: string, other: string): boolean {
  if (memory.length <= other.length) return false
  const [speaker = ''] = /^[^:\n]{1,128}: /u.exec(other) ?? []
  if (!memory.startsWith(speaker)) return false
  const [all, part] = [memory, other].map((text) => sentenceKeys(text.slice(speaker.length)))
  if (!all || !part || part.length === 0 || all.length <= part.length) return false
  return all.some((_, at) => part.every((key, index) => all[at + index] === key))
}

function sentenceKeys(text: string): string[] {
  return sentencesOf(text, longestSentence)
    .filter(({ blank }) => !blank)
    .map(({ start, end }) => contentKey(text.slice(start, end)))
}
