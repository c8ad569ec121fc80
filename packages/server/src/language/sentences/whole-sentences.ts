import { normalForm } from '../../core/normal-form.js'
import { sentencesOf } from './sentences.js'

const longestSentence = 1_000

/** Whether a memory repeats the other word for word, as one or more whole sentences among others of the same speaker. */
export function containsSentences(memory: string, other: string): boolean {
  if (memory.length <= other.length) return false
  const [speaker = ''] = /^[^:\n]{1,128}: /u.exec(other) ?? []
  if (!memory.startsWith(speaker)) return false
  const part = sentencesIn(other.slice(speaker.length))
  if (part.length === 0) return false
  const all = sentencesIn(memory.slice(speaker.length))
  if (all.length <= part.length) return false
  const wanted = part.map((sentence) => normalForm(sentence))
  const there = all.map((sentence) => normalForm(sentence))
  return there.some((_, at) => wanted.every((form, index) => there[at + index] === form))
}

function sentencesIn(text: string): string[] {
  return sentencesOf(text, longestSentence)
    .filter(({ blank }) => !blank)
    .map(({ start, end }) => text.slice(start, end))
}
