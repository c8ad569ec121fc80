/**
 * A query without the words around its question: "Hey, can you tell me where the key is again?" asks "where the key is", and "what did I
 * say about Vera?" is a search for Vera. The "me" and "I" of such words are not what the question is about, and the reader was trained on
 * questions without them.
 */
import { nameKind } from '../../language/names/speaker-name.js'

/** No longer text is read: it describes something. */
const mostCharacters = 300
/** Words may surround other words: "ok, quick question: do you remember where …" */
const mostLayers = 4

const ask = 'who|whom|whose|what|when|where|which|why|how'
const auxiliary = 'is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should'
const asking = `(?:(?:in|at|on|for|to|from|with|since|about|by) )?(?:${ask})(?:['’](?:s|re|d|ll))?\\s`
const times =
  '(?:next|this|last|today|tomorrow|tonight|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tue|wed|thu|fri|sat|sun|january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|aug|sept?|oct|nov|dec|(?:the |at the )?weekend|the \\d|in|at|over|\\d)(?![\\p{L}])'

/** "Hello Fresh" is a name: a greeting ends with a comma, or a question follows. */
const greeting = new RegExp(
  `^(?:hi|hey|hello|ok|okay|um+|well|sorry|excuse me|please|so|and|but|(?:just )?(?:one|a)? ?(?:more |quick )?question)(?: there| again| assistant)?(?:[,:!….-]+\\s*|\\s+(?=(?:${ask}|${auxiliary}|tell|remind)(?:['’]s)?\\s))(?=\\S)`,
  'iu',
)
/** Before a question. */
const remembering =
  "(?:do|can|could|would|will) you (?:still |please |maybe |perhaps )*(?:remember|recall|know|(?:tell|remind) (?:me|us))|(?:please )?(?:tell|remind) (?:me|us)|let me know|(?:did i|have i) (?:ever )?(?:tell you|told you|mention(?:ed)?|said?|say)|i (?:forgot|forget|wonder|was wondering|(?:can['’]?t|cannot|don['’]?t) (?:remember|recall|know)|(?:need|want|would like) to know)|i['’]d like to know|any idea"
const beforeQuestion = new RegExp(
  `^(?:${remembering})(?: again| please| once more)?,? (?:if |whether )?(?=${asking})`,
  'iu',
)
/** "Do you remember my shoe size?", "did I tell you that my locker is C118?" */
const beforeThing = new RegExp(
  `^(?:${remembering.replace('|let me know', '')})(?: again| that| if| whether)*,? (?=(?:my|our|the|i|we|he|she)\\s)`,
  'iu',
)
const beforeName = /^(?:[Dd]o|[Cc]an) you (?:still )?(?:remember|recall|know) (?=\p{Lu})/u
/** Before a topic. */
const leads = [
  '(?:(?:can|could|would|will) you (?:please )?)?(?:tell|remind) (?:me|us)(?: again| more| something| anything| everything)?',
  '(?:(?:can|could|would|will) you (?:please )?)?(?:find|show|get|give)(?: me| us)? (?:(?:my|the|all|any|every)(?: of my)? )?(?:notes?|memor(?:y|ies)|info(?:rmation)?|details|everything|anything|something)',
  '(?:do you |did you |can you |could you )?(?:still )?(?:remember|recall|know|have|find)(?: anything| something| everything| any notes| a note)',
  'what (?:did|do|have) i (?:ever )?(?:say|said|tell you|told you|mention(?:ed)?|noted?|written?|know)',
  'what (?:do|did|can|could) (?:you|we) (?:know|remember|have|recall|tell me|find)',
  "what(?:['’]?s| is) (?:the (?:deal|story|status|latest|news)|up|new|going on|happening)",
  '(?:did|have) i (?:ever )?(?:said?|say|tell you|told you|mention(?:ed)?)(?: anything| something)?',
  '(?:is|are) there (?:anything|something|any notes|any news)',
  '(?:any )?(?:news|updates?|info(?:rmation)?|details|anything|something|everything|(?:my )?notes?)',
  'was (?:weißt|weisst) du(?: noch)?|erzähle? mir(?: etwas| was| mehr)?|sag mir (?:etwas|was)|erinnere? mich',
  "parle-moi|dis-moi tout|que sais-tu|qu[’']est-ce que (?:tu sais|j[’']ai dit)|rappelle-moi",
  'háblame|cuéntame(?: algo)?|dime (?:algo|todo)|¿?qué (?:sabes|dije|te (?:dije|conté))|recuérdame',
  'parlami|dimmi (?:qualcosa|tutto)|(?:che )?cosa (?:sai|ho detto|ti ho (?:detto|raccontato))|raccontami',
  '(?:me )?fal[ae](?:-me)?|conta-me|o que (?:sabes?|você sabe|eu disse)',
  'vertel me(?: iets| meer| wat)?|wat weet je(?: nog)?|wat heb ik (?:je )?(?:gezegd|verteld)',
].join('|')
const joint = 'about|on|of|regarding|concerning|with|for|über|von|an|sur|de|sobre|acerca de|di|su|over|van'
const topic = new RegExp(
  `^(?:(?:${leads})(?: (?:that|it|this))?,? (?:about|(?:${joint})(?! ${times}))|(?:what|how) about) (?=\\S)`,
  'iu',
)
const lookUp = /^(?:look up|search for|(?:i['’]?m )?looking for|find(?= (?:my|our|the) )) (?=\S)/iu
const after =
  /[,\s]+(?:again|please|pls|plz|thanks|thank you|thx|btw|by the way|nochmal|noch mal|déjà|(?:ook )?alweer|otra vez)(?=[\s?!.…]*$)/iu
/** After a topic only. */
const afterTopic = /[,\s]+(?:info(?:rmation)?|details|notes?)$/iu
const closing = /[\s?!.…]+$/u
const person =
  /^(?:[Ww]ho(?:['’]?s| is| was)|[Ww]er (?:ist|war)|[Qq]ui est|[Cc][’']est qui|¿?[Qq]uién (?:es|era)|[Cc]hi (?:è|era)|[Ww]ie is|[Qq]uem (?:é|era)|[Кк]то так(?:ой|ая)) (?=\p{Lu}[\p{L}\p{M}'’.-]*(?: (?:de|van|von|der|da|di|la|le|\p{Lu}[\p{L}\p{M}'’.-]*)){0,3}[\s?!.…]*$)/u
const smallPerson = /^who(?:['’]?s| is| was) (\p{Ll}{3,20})[\s?!.…]*$/iu
/** Nothing to look for. */
const pronoun = /^(?:me|us|it|him|her|them|that|this|those|these|myself|you|mich|moi|mí|me|mim|mij)$/iu

/** The question or the topic alone; the text itself if nothing is around it. */
export function plainQuestion(text: string): string {
  const given = text.trim()
  if (given.length > mostCharacters || given.includes('\n')) return text
  const said = peeled(given)
  for (const lead of [topic, lookUp, person]) {
    const about = said.replace(lead, '')
    if (about === said) continue
    const named = about.replace(closing, '').replace(afterTopic, '')
    if (/[\p{L}\p{N}]/u.test(named) && !pronoun.test(named)) return named
  }
  const [, small = ''] = smallPerson.exec(said) ?? []
  if (nameKind(small.charAt(0).toUpperCase() + small.slice(1)) === 'person') return small
  return withoutNow(said)
}

function peeled(given: string): string {
  let said = given
  for (let layer = 0; layer < mostLayers; layer++) {
    const bare = [greeting, after, beforeQuestion, beforeThing, beforeName].reduce(
      (rest, around) => rest.replace(around, ''),
      said,
    )
    if (bare === said || !/[\p{L}\p{N}]/u.test(bare)) break
    said = bare
  }
  return said
}

const opensAsking = new RegExp(`^(?:(?:${auxiliary})(?:n['’]?t)?\\s|${asking})`, 'iu')
const now =
  /(?<!\b(?:until|till|before|to|by))\s(?:(?:right )?now|currently|at the moment|these days|nowadays)(?=[\s?!.…]*$)|\scurrently(?=\s)/gu
const still = /\s(?:still|any ?more|yet)(?=[\s?!.…]|$)/gu

/**
 * What holds now is what recall finds anyway, and the reader takes "now" and "still" for the question whether something has changed: "Am I
 * still on metformin?" asks whether I am.
 */
function withoutNow(said: string): string {
  if (!opensAsking.test(said) || /\bnot\b|n['’]t\b/iu.test(said)) return said
  return said
    .replace(now, '')
    .replace(still, '')
    .replace(/^have (i|we|you|they) got(?=\s(?:a|an|any|the|my|our|some|to|\d))/iu, 'do $1 have')
    .replace(/^has (he|she|it) got(?=\s(?:a|an|any|the|some|to|\d))/iu, 'does $1 have')
}
