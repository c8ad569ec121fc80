/**
 * A query that asks several questions: "What does the chiropodist cost and when does my bus pass run out?" No single memory answers both,
 * and the vector of the whole lies between the two answers, so each question is asked by itself too.
 */

/** A longer text describes something; its questions need the rest of it. */
const mostCharacters = 300
const mostParts = 3
/** Fewer words ask for nothing by themselves: "what", "and when". */
const leastWords = 3

/** How questions are joined in a language. */
interface Language {
  readonly and: string
  /** Words that begin a question. */
  readonly ask: string
  /** May precede them. */
  readonly preposition: string
  /** Words that need the question before: "and what is it called?" */
  readonly leaning: string
}

const before = '(?<![\\p{L}\\p{N}])'
const after = '(?![\\p{L}\\p{N}])'
const auxiliary = 'is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should'

const languages: readonly Language[] = [
  {
    and: 'and(?: also)?|or|plus|also',
    // "… and have a dog" goes on with the question before; "… and do I have a dog" is a new one.
    ask: `who|whom|whose|what|when|where|which|why|how|(?:${auxiliary})(?= (?:i|you|we|my|our|the|there|anyone|somebody)${after})`,
    preposition: 'in|at|on|for|to|from|with|since|by|under|of',
    leaning: 'its?|they|them|theirs?|he|she|him|hers?|his|there|that|those|these|this|ones?|both|each|either|same',
  },
  {
    and: 'und(?: auch)?|oder',
    ask: 'wer|wen|wem|wessen|was|wann|wo|wohin|woher|welche[rnms]?|warum|wieso|wie|womit|worauf|wofür|wogegen',
    preposition: 'in|an|auf|bei|für|mit|seit|von|zu|um|ab|bis',
    leaning:
      'er|sie|ihn|ihm|ihnen|ihr(?:e[rnms]?)?|seine?[rnms]?|es|das|dort|davon|dabei|dafür|darin|damit|diese[rnms]?',
  },
  {
    and: 'et(?: aussi)?|ou',
    ask: "qui|qu['’]est-ce|quoi|quand|où|quel(?:le)?s?|pourquoi|comment|combien|est-ce",
    preposition: "à|de|d['’]|en|dans|chez|avec|pour|depuis|sur|par",
    leaning: 'elles?|ils?|leurs?|son|sa|ses|là|celle|celui|lui|eux|ça|cela',
  },
  {
    and: 'y(?: también)?',
    ask: '¿?(?:quién(?:es)?|qué|cuándo|dónde|adónde|cuál(?:es)?|cómo|cuánt[oa]s?)',
    preposition: '¿?(?:a|de|en|con|para|por|desde|hasta)',
    leaning: 'ella|él|ellos|ellas|allí|ahí|eso|esa|ese|sus?|lo|le|se',
  },
  {
    and: 'e(?: também)?',
    ask: 'quem|o que|quando|onde|qual|quais|como|quant[oa]s?|porquê',
    preposition: 'a|de|em|com|para|por|desde|até|no|na',
    leaning: 'el[ea]s?|seus?|suas?|lá|isso|aí|del[ea]s?|nel[ea]s?',
  },
  {
    and: 'e(?: anche)?',
    ask: "chi|cosa|che cosa|quando|dov['’]|dove|qual[ei]?|perché|com['’]|come|quant[oaie]",
    preposition: 'a|di|da|in|con|per|su',
    leaning: 'lui|lei|loro|suo|sua|suoi|sue|gli|quello|quella|lì',
  },
  {
    and: 'en(?: ook)?',
    ask: 'wie|wat|wanneer|waar|waarheen|welke?|waarom|hoe',
    preposition: 'in|op|bij|voor|met|van|naar|sinds|aan',
    leaning: 'hij|zij|ze|zijn|hem|haar|daar|hun|die|dat',
  },
  {
    and: 'и(?: ещё)?|а',
    ask: 'кто|кого|кому|кем|что|чего|чем|когда|где|куда|откуда|как(?:ой|ая|ое|ие|ого|ую|ом)?|почему|сколько|зачем',
    preposition: 'в|во|на|с|со|у|к|из|от|до|для|о|об|по',
    leaning: 'он|она|оно|они|его|её|их|там|это|него|неё|них|ней|нём|ему|им',
  },
]

const ways = languages.map(({ and, ask, preposition, leaning }) => ({
  /** Where the next question begins. */
  joint: new RegExp(`[,;]? (?:${and}) (?=(?:(?:${preposition}) )?(?:${ask})${after})`, 'iu'),
  asks: new RegExp(`${before}(?:${ask})${after}`, 'iu'),
  leans: new RegExp(`${before}(?:${leaning})${after}`, 'iu'),
}))
const leansUnspaced = /[它他她]|那[里儿]|それ|そこ|彼/u
const sentences = /(?<=[?？؟])(?![?？؟!！]) ?/u
const opensWithAnd = new RegExp(`^(¿?)(?:${languages.map(({ and }) => and).join('|')}),? `, 'iu')
/** A character of Chinese or Japanese counts as a word. */
export const word = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|[\p{L}\p{N}]+/gu
const asking = /[?？؟]/u
const opensAsking = new RegExp(`^(?:${auxiliary})${after}`, 'iu')

/** Whether a text has a word that asks, in any of these languages. */
export function asks(text: string): boolean {
  return ways.some((way) => way.asks.test(text))
}

/** Whether a question has words that need what was said before it, in the languages that it may be in. */
export function leans(question: string): boolean {
  return leansUnspaced.test(question) || ways.some((way) => way.asks.test(question) && way.leans.test(question))
}

/** The questions of a text that can be asked by themselves. None if the text asks only one. */
export function questionsIn(text: string): readonly string[] {
  const said = text.trim()
  if (said.length > mostCharacters || said.includes('\n')) return []
  const asked = said.split(sentences).filter((sentence) => asking.test(sentence))
  const joined = ways.filter(({ joint }) => asked.some((question) => joint.test(question)))
  const [way] = joined
  const divided = way ? asked.flatMap((question) => question.split(way.joint)) : asked
  const parts = divided.map((part) => part.trim().replace(opensWithAnd, '$1'))
  if (parts.length < 2 || parts.length > mostParts || parts.some(isShort)) return []
  const spoken = way ? joined : ways.filter(({ asks }) => parts.every((part) => asks.test(part)))
  const isAsked = (part: string) =>
    asking.test(part) || opensAsking.test(part) || spoken.some(({ asks }) => asks.test(part))
  const leans = (part: string) => leansUnspaced.test(part) || spoken.some((language) => language.leans.test(part))
  return parts.filter((part, place) => isAsked(part) && (place === 0 || !leans(part))).map(withMark)
}

function withMark(part: string): string {
  return asking.test(part) ? part : `${part}?`
}

/** Whether it has too few words to ask for something by itself. */
export function isShort(part: string): boolean {
  return (part.match(word)?.length ?? 0) < leastWords
}
