import { contentWords } from './words.js'

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu
const charactersPerWord = 2

/** Words that say something. In scripts without spaces, two characters count as a word. */
export function countWords(text: string): number {
  let characters = 0
  const spaced = text.toLowerCase().replace(unspaced, (run) => {
    characters += run.length
    return ' '
  })
  return contentWords(spaced).length + Math.ceil(characters / charactersPerWord)
}
