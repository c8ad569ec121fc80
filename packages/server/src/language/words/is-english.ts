import { commonNouns } from './common-nouns.js'
import { ordinaryWords } from './common-words.js'
import { isVerb } from './words.js'

const mostWords = 60
const leastShare = 0.4
/** Short forms of chats, which no other list has. */
const chat = new Set(
  `ok okay lol haha hahaha lmao omg wow yay yeah yep yup nope nah nah hey hi hello hiya bye thx ty thanks thank np pls
plz please ugh hmm oh ooh ah aww cool nice great good fine sure yes no true same wild bro dude mate ta cheers righto
sounds totally exactly literally honestly`.split(/\s+/u),
)

/** Whether a model that knows English alone can judge the text: enough of its words are common English ones. */
export function isEnglish(text: string, share = leastShare): boolean {
  const words =
    text
      .toLowerCase()
      .match(/[\p{L}][\p{L}'’]*/gu)
      ?.slice(0, mostWords) ?? []
  if (words.length === 0 || words.some((word) => /[^\p{Script=Latin}'’]/u.test(word))) return false
  const isKnown = (word: string) => {
    const plain = word.replace(/['’].*$/u, '')
    return ordinaryWords.has(plain) || chat.has(plain) || commonNouns.has(plain) || isVerb(plain)
  }
  return words.filter(isKnown).length >= share * words.length
}
