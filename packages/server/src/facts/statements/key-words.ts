/** The words that make a statement differ from others, as stems: "I really love my two dogs" → like, two, dog. */
import { indexStem } from '../../language/words/stem.js'

const light = new Set(
  `i im ive id ill me my mine myself we us our ours you your yours u ur he him his she her hers it its they them their this that these those there here a an the
some any one ones thing things someone something anything everything am is are was were be been being do does did doing done have has had having get gets got getting go
goes going went will would can could should shall may might must to of in on at for with by from as about into over up out off and or but so if than then when while
because since too also very really just pretty quite always usually often still now currently actually lot lots much many more most kind sort well oh yes yeah no ok
who which what how where why all both each every own like's let lets im'm been ever even only such same other another time times s t re ve ll d m`.split(
    /\s+/u,
  ),
)
const same: Readonly<Record<string, string>> = {
  love: 'like',
  loves: 'like',
  loved: 'like',
  loving: 'like',
  enjoy: 'like',
  enjoys: 'like',
  enjoyed: 'like',
  enjoying: 'like',
  adore: 'like',
  fond: 'like',
  fan: 'like',
  likes: 'like',
  liked: 'like',
  favourite: 'favorite',
  dislike: 'hate',
  hates: 'hate',
  hated: 'hate',
  dont: 'not',
  never: 'not',
  cannot: 'not',
  mum: 'mother',
  mom: 'mother',
  dad: 'father',
  kid: 'child',
  kids: 'child',
  children: 'child',
}

export function keyWords(text: string): Set<string> {
  const found = new Set<string>()
  const plain = text
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/(?:ca|wo|does|do|did|is|are|was|were|have|has|had|would|could|should)n't\b/gu, 'not')
  for (const word of plain.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []) {
    if (!light.has(word)) found.add(Object.hasOwn(same, word) ? (same[word] ?? word) : indexStem(word))
  }
  return found
}
