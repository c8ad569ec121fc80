/**
 * Whether a memory has nearly all words of a question in Chinese or Japanese: "清风书院读书会的地点是什么？" and "清风书院读书会的地点是三楼。"
 * The reader knows few names in these scripts, and takes a memory of the same form about another name for the answer.
 */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
/** They ask, and no answer has them. */
const asking =
  /请问|什么时候|什么|多少|哪里|哪儿|哪个|哪一|怎么样|怎么|是谁|吗|呢|何時|いくつ|どこ|だれ|誰|いつ|なに|何|どの|どんな|でしょうか|ですか|ますか|でしたか/gu
const notSaid = /[^\p{L}\p{N}]+/gu
const leastShare = 0.75
/** Of fewer, two may agree by chance. */
const leastPairs = 5
const mostAsked = 60
const mostSaid = 600

export function nearlySays(asked: string, text: string): boolean {
  if (asked.length > mostAsked || !unspaced.test(asked)) return false
  const pairs = new Set(pairsOf(asked.replace(asking, ' ')))
  if (pairs.size < leastPairs) return false
  const said = new Set(pairsOf(text.slice(0, mostSaid)))
  return [...pairs].filter((pair) => said.has(pair)).length >= leastShare * pairs.size
}

/** Two characters that stand together. */
function pairsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(notSaid)
    .flatMap((run) => {
      const characters = [...run]
      return characters.slice(1).map((character, at) => `${characters[at]}${character}`)
    })
}
