/**
 * Texts that state nothing worth remembering, besides small talk: questions about the world or about an earlier talk, requests to the
 * assistant, and the assistant's own filler. In doubt a text states something: a lost statement is worse than a stored question.
 * English, apart from requests about a text at hand.
 */
import { months } from '../core/partial-date.js'
import { pattern } from '../core/pattern.js'
import { givenNames } from '../language/names/given-names.js'
import { nameKind } from '../language/names/speaker-name.js'
import { noteEdits } from '../language/sentences/asked-to-note.js'
import { isForeignRequest, withoutExclamation } from '../language/sentences/foreign-request.js'
import { sentencesOf } from '../language/sentences/sentences.js'
import { standingRule } from '../language/sentences/standing-rule.js'
import { contentWords } from '../language/words/words.js'
import { isSmallTalk } from './small-talk.js'

/** Longer texts are rarely chatter. */
const mostCharacters = 600
const longestSentence = 300

function sentencesIn(text: string): string[] {
  return sentencesOf(text, mostCharacters)
    .filter(({ blank }) => !blank)
    .map(({ start, end }) => text.slice(start, end).trim())
}

/** For what a user says to an assistant. `names`: the speakers. */
export function statesNothing(text: string, names: readonly string[] = []): boolean {
  if (text.length > mostCharacters) return false
  const sentences = sentencesIn(text)
  return (
    sentences.length > 0 &&
    sentences.every((each) => isBare(each) || isSmallTalk(each, names) || isForeignChatter(each, names))
  )
}

function isForeignChatter(sentence: string, names: readonly string[]): boolean {
  if (isForeignRequest(sentence)) return true
  const rest = withoutExclamation(sentence)
  return rest !== null && (!/[\p{L}\p{N}]/u.test(rest) || isSmallTalk(rest, names))
}

function isBare(sentence: string): boolean {
  if (sentence.length > longestSentence || noteEdits(sentence).length > 0) return false
  const said = sentence.replace(/[’]/gu, "'").toLowerCase().replace(opening, '')
  if (standingRule(said) === 'surely') return false
  return (isRecall(said) || isQuestion(said) || isRequest(said)) && !tellsSomething(sentence, said)
}

const opening = new RegExp(
  pattern`
    ^(?:(?:hey|hi|hello|ok|okay|so|well|and|but|btw|also|oh|ah|wow|lol|haha|hmm+|um|anyway|alright|right|sorry
    |thanks|thank you|please|pls|just curious|out of curiosity|quick question|one more question|one more thing
    |another question|i was (?:just )?(?:wondering|thinking)|i(?:'ve| have) been (?:wondering|meaning to ask)
    |i wonder|not sure)[,!.:]* )+
  `,
  'u',
)

const questionMark = /[?？؟][^\p{L}\p{N}]*$/u
/** Openings that ask even without a question mark. */
const interrogative = new RegExp(
  pattern`
    ^(?:what(?:'s|s| is| are| was| were| does| do| did| would| should| can| could| time| kind| sort)|how(?:'s|s| is
    | are| do| does| did| can| could| would| should| much| many| long)|who(?:'s|s| is| was| won| are| wrote
    | invented)|where(?:'s|s| is| are| do| does| did| can)|when(?:'s|s| is| was| did| does| do)|why(?:'s|s| is| are
    | do| does| did| can't)|is (?:it|there|that|this)|are (?:there|you)|do (?:you|i|we)|does (?:it|that|this|anyone|anybody)
    |did you|can you|could you|should (?:i|we)|would you|will you|have you|any (?:tips|ideas|advice|thoughts|suggestions
    |recommendations|good|chance|update))(?![\p{L}'])
  `,
  'u',
)
/** Openings that ask with a question mark; those that are words of other languages too, only before an English word. */
const asks = new RegExp(
  pattern`
    ^(?:(?:what|how|who|whom|whose|where|when|why|which|do|does|did|can|could|would|should|shall|might|isn't|aren't
    |don't|doesn't|didn't|can't|couldn't|wouldn't|won't|shouldn't|any|anyone|anybody|anything|in (?:what|which)
    |at what|to what|for what|on what|by what|from what|of what)(?![\p{L}])|(?:is|are|am|was|were|will|may|must
    |have|has|had) (?:[\p{L}']+ ){0,4}(?:the|a|an|it|there|that|this|these|those|to|of|for|you|with|and|or|be|any
    |your)(?![\p{L}]))
  `,
  'u',
)
const fragmentWords = /(?<!\p{L})(?:or|best|good|better|the|really)(?!\p{L})/u
const fewWords = 4

/** They suggest or presuppose something: "How about Thai food?", "How come the rent went up?" */
const suggestion = /^(?:how about|what about|why not|how come|what if)(?!\p{L})/u
/** Something that an assistant is to do for the user, rather than to say. */
const errand = new RegExp(
  pattern`
    ^(?:please |pls )*(?:can|could|would|will) (?:you|u) (?:please |pls |maybe |just |also )*(?:book|order|schedule
    |remind|set|add|buy|cancel|call|send|email|text|reserve|move|change|update|remember|save|note|keep|delete
    |remove|forget|stop|use|switch|ask|pay|invite|address|treat)(?!\p{L})
  `,
  'u',
)

function isQuestion(said: string): boolean {
  if (suggestion.test(said) || errand.test(said)) return false
  if (interrogative.test(said) && !/[.!]\s*$/u.test(said)) return true
  // "Nothing in there gets committed, ok?" is a statement.
  return (
    questionMark.test(said.slice(-12)) &&
    (asks.test(said) || (said.split(' ').length <= fewWords && fragmentWords.test(said)))
  )
}

const recalling = new RegExp(
  pattern`
    (?<!\p{L})(?:(?:what|when|where|who|which|did|do|have|can
    |could)(?!\p{L})[^.!?]{0,120} (?:did )?i (?:already |ever |just |once |last )?(?:say|said|tell|told|mention
    |mentioned|ask|asked|write|wrote))(?!\p{L})
  `,
  'u',
)

/** "What did I say about the car?": nothing new, whatever it names. */
function isRecall(said: string): boolean {
  return recalling.test(said) && questionMark.test(said.slice(-12))
}

const asksKindly = new RegExp(
  pattern`
    ^(?:(?:please|pls|kindly|now|then|just|maybe)[, ]+)*(?:(?:can|could|would|will) (?:you
    |u) (?:please |pls |maybe |just |quickly |perhaps )*|i(?:'d| would) (?:like|love) (?:you )?to |i (?:need
    |want) you to |do me a favou?r and )?
  `,
  'u',
)
/** Things that an assistant does with a text or with general knowledge. The verbs are nouns too: "List price", "Draft is due". */
const task = new RegExp(
  pattern`
    ^(?:(?:translate|summari[sz]e|rewrite|rephrase|reword|paraphrase|shorten|simplify|explain|elaborate|expand
    |proofread|compare|describe|define|compose|generate|draft|list|suggest|recommend|brainstorm|calculate|solve
    |refactor|format)(?= (?:the|a|an|this|that|these|those|it|them|all|some|both|one|two|three|four|five|how|what
    |why|when|where|who|which|whether|in|into|as|like|with|for|on|about|your|please|again|more|like
    |briefly)(?!\p{L})| ?$|[,.!:]| \p{L}+s?[.! ]*$)|sum up|write (?:a|an|me|us|the|some|it|this|up|your|about|unit
    |tests)|continue|proceed|repeat (?:that|this|it|the)|retry|try (?:again|that|it)|redo|undo|make (?:it|this|them
    |these) (?:sound|look|a (?:bit|little)|more|less|much|\p{L}+er|simple|formal|informal|funny|brief|clear|bold
    |concise|professional|friendly)|turn (?:it|this|these|that|those|the) (?:\p{L}+ ){0,3}into|convert (?:it|this
    |that|the|these|\p{N})|fix (?:the (?:grammar|spelling|typos?|formatting|tone|text|paragraph|sentence)|this|it
    |that|these)|correct (?:the (?:grammar|spelling|text)|this|it|that)|sort (?:it|this|these|them)|give (?:me
    |us) (?:a|an|some|the|one|two|three|more|another|examples|ideas|tips)(?! (?:call|ring|lift|ride|hand|break))
    |tell (?:me|us)(?! (?:before|when|if|once))|show (?:me|us)|teach (?:me|us)|walk (?:me|us) through|help(?: me
    | us|$)|look at (?:the|this|that|these|it)|pick (?:a|an|one|any|some)|choose (?:a|an|one|any|some)
    |surprise (?:me|us)|hold on|wait$|go (?:on|ahead)$|go back(?:$| to the (?:earlier|previous|original|old|first
    |last))|stop (?:it|that|apologi[sz]ing)|forget it|ignore (?:that|this|it|what)|never ?mind|say (?:it|that)
    |read (?:it|this|that)|guess (?:what|who|how))(?!\p{L})
  `,
  'u',
)
const wishes = new RegExp(
  pattern`
    ^(?:(?:a bit |a little |much |even )?(?:shorter|longer|simpler|louder|warmer|softer|clearer|funnier|again
    |once more|more|less|next|another one|bullet points?|as (?:a )?(?:table|list|bullet points?)|in (?:a table
    |bullet points|one sentence|plain english|short)|more (?:formal|casual|detail|details|examples)|less formal
    |you (?:choose|decide|pick)|your (?:choice|call)|help|wait|one sec(?:ond)?|hang on))(?:[ ,]+(?:please|pls|plz
    |thanks|thx|lol))?[.!…]*$
  `,
  'u',
)

function isRequest(said: string): boolean {
  return wishes.test(said) || task.test(said.replace(asksKindly, ''))
}

/** First person that reveals nothing: "how do I …", "help me", "I mentioned". */
const harmlessFirst = new RegExp(
  pattern`
    (?<![\p{L}'])(?:(?:do|does|did|can|could|should|would|may|might|shall|must|will|am|have) (?:i|we)|(?:help|tell
    |give|show|teach|walk|write|make|send|explain to|read|ask|for|surprise|remind|get|find|let) (?:me|us)|(?:what
    |that|which|as|than) i (?:already |just |ever )?(?:said|say|told you|tell you|mentioned|wrote|asked)
    |i (?:already |just |ever )?(?:said|say|told you|tell you|mention|mentioned|wrote|asked)|i (?:guess|mean
    |suppose|wonder|swear|promise))(?![\p{L}'])
  `,
  'gu',
)
const firstPerson =
  /(?<![\p{L}'])(?:i|i'\p{L}+|im|ive|my|mine|me|myself|we|we'\p{L}+|our|ours|us|ourselves)(?![\p{L}'])/u
const someone = /(?<![\p{L}'])(?:he|she|his|her|him|they|their|them)(?![\p{L}])/u
/** March and May are also other words. */
const clearMonths = months.filter((name) => name !== 'march' && name !== 'may').join('|')

/** Reasons, conditions, wishes for the future, times: they state something even inside a question. */
const circumstance = new RegExp(
  pattern`
    (?<![\p{L}'])(?:because|since|given that|now that|but|except|without|always|never|from now on|every|each|daily
    |weekly|monthly|whenever|prefer|instead of|today|tonight|tomorrow|tmrw|yesterday|this (?:morning|afternoon
    |evening|week|weekend|month|year|summer|winter|spring|autumn|fall)|next (?:week|weekend|month|year|summer
    |winter|spring|autumn|fall|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|last (?:night|week|weekend
    |month|year|summer)|(?:on|by|until|till|this|next|last|every) (?:mon|tues|wednes|thurs|fri|satur|sun)days?
    |${clearMonths}|itinerary|trip|vacation|honeymoon
    |wedding|anniversary|birthday)(?![\p{L}])
  `,
  'u',
)

function tellsSomething(sentence: string, said: string): boolean {
  if (isRecall(said)) return false
  if (/[\p{N}@]|:\/\/|[=<>]/u.test(said) || (!questionMark.test(said.slice(-12)) && named.test(sentence))) return true
  if (firstPerson.test(said.replace(harmlessFirst, ' ')) || someone.test(said) || circumstance.test(said)) return true
  return namesPerson(sentence)
}

/** A capital letter inside: a request that names something. Not a language: "translate it into French". */
const named = /(?<!(?:^|[.!?…]|(?:in|to|into|from)) )(?<=\s)(?!I(?:['’\s,.!]|$))\p{Lu}/u

/** Not at the beginning, where every word is capitalised. */
function namesPerson(sentence: string): boolean {
  const words = sentence.match(/(?<=\s)\p{Lu}\p{Ll}+(?:['’]s)?/gu) ?? []
  return words.some((word) => {
    const name = word.replace(/['’]s$/u, '')
    // "Lily" is also a word, and a place may have somebody's name.
    return nameKind(name) === 'person' || (nameKind(name) === 'name' && givenNames.has(name.toLowerCase()))
  })
}

/**
 * For what an assistant says. Information that it gave may be asked for later; its questions, offers, apologies and repetitions of
 * the user's words (`before`) are filler.
 */
export function isFiller(text: string, before: string): boolean {
  if (text.length > mostCharacters) return false
  const sentences = sentencesIn(text)
  const known = new Set(contentWords(before.toLowerCase()))
  return (
    sentences.length > 0 &&
    sentences.every((each) => isSmallTalk(each) || isFollowUp(each) || isCourtesy(each) || isRepeated(each, known))
  )
}

function isFollowUp(sentence: string): boolean {
  return questionMark.test(sentence.slice(-12)) && !/\p{N}/u.test(sentence)
}

const courtesy = new RegExp(
  pattern`
    ^(?:(?:sure|of course|certainly|absolutely|got it|okay|ok|alright|great|perfect|wonderful|no problem|thanks
    |thank you|unfortunately|oh|ah|so|and|then|well|done|understood)[,!.]* )*(?:(?:please )?(?:let me know
    |feel free|don't hesitate|do not hesitate|just (?:let me know|say|ask|paste|tell me|share|point me|send)
    |tell me (?:more|which|what|a bit)|share (?:more|a bit))|i(?:'d| would) (?:be (?:happy|glad|delighted)|love) to
    |i(?:'m| am) (?:happy|glad|here|right here|always here|just an?|an? (?:ai|language model|assistant|bot)
    |so (?:glad|happy|sorry|excited)|sorry|afraid|excited)|i can (?:help|assist|also|suggest|try|tailor|show|walk
    |make)|i(?:'ll| will) (?:be|do my best|gladly|get|try|keep|take a look|let you know)|i hope|i(?:'ve
    | have) (?:updated|revised|rewritten|fixed|changed|added|removed|made|shortened|adjusted|corrected
    |noted (?:that|it|this)\.?$)|i (?:apologi[sz]e|understand (?:how|that|your|the|you)|see|get it
    |don't have (?:access|feelings|the ability|real-time)|cannot|can't|can not|do not have|appreciate|wish)
    |let me (?:try|see|check|think|look|help|explain|break)|let's (?:start|get started|take it|see|figure|dive
    |begin|go|work|do|try)|here (?:is|are|'s) (?:the|a|an|your|some|three|two|four|five
    |several) (?:[\p{L}-]+ )?(?:draft|version|options?|ideas?|revised|updated|summary|text|list|translation|example
    |examples|email|paragraph)|here you go|if (?:you(?:'d| would)? (?:like|want|need|have|ever|paste|share|tell
    |prefer)|anything|there(?:'s| is) anything|that|so)|to get started|that(?:'s| is| sounds| must be
    | makes) (?:a |an |such |so |really |very |quite |totally |perfectly |completely )*(?:great|good|lovely
    |wonderful|fantastic|exciting|understandable|tough|hard|fair|awesome|amazing|nice|interesting|sense
    |frustrating)|what (?:a|an) (?:great|good|lovely|wonderful|fantastic|exciting|nice|fun|interesting|thoughtful)
    |how (?:exciting|lovely|wonderful|nice|fun|interesting)|congratulations|congrats|enjoy|have (?:a|fun)|good luck
    |best of luck|take care|you(?:'re| are) (?:very |most |so |always )?welcome|you(?:'ve| have) got this
    |great (?:question|choice|idea|job|work)|good (?:question|choice|idea)|excellent (?:question|choice|idea)
    |thanks for (?:sharing|asking|letting|telling|your)|thank you for (?:sharing|asking|letting|telling|your)
    |my pleasure|my apologies|anytime|it depends|which one to choose depends|glad|happy to|sounds (?:great|good|fun
    |like a plan|lovely|wonderful)|hope (?:this|that|it|you)|whenever you(?:'re| are) ready|ready when you are
    |take your time|tell me|keep (?:it up|going|up)|don't worry|no worries|you(?:'ll| will) (?:do|be) (?:great
    |fine)|you should be proud|it(?:'s| is) (?:great|good|nice|lovely|wonderful|always (?:nice|good|great)) to
    |sorry (?:about|for|to hear)|as an ai|i(?:'ll| will| would|'d)? need|to help you|to give you|in the meantime
    |working on it|one moment|all (?:set|done)|below is|see below|welcome back|the (?:draft|file|document|text
    |email|list|table|changes|letter|summary|code) (?:is|are|has been|have been) (?:now )?(?:updated|ready|saved
    |done|finished|shortened|fixed|attached|below))(?![\p{L}])
  `,
  'iu',
)

/** Offers, apologies and praise. A number or a name may be information. */
function isCourtesy(sentence: string): boolean {
  if (sentence.length > longestSentence || /\p{N}|(?<=\s)(?!I(?:['’\s,.!]|$))\p{Lu}/u.test(sentence)) return false
  return courtesy.test(sentence.replace(/[’]/gu, "'"))
}

const toUser = /(?<!\p{L})(?:you|your|yours|you're|you've)(?!\p{L})/iu

/** A sentence to the user with no name or number, and few words, that the user's last turn does not have. */
function isRepeated(sentence: string, known: ReadonlySet<string>): boolean {
  if (!toUser.test(sentence)) return false
  const words = contentWords(sentence.toLowerCase())
  const news = words.filter((word) => !known.has(word))
  if (news.length > words.length / 2) return false
  const marks = (sentence.match(/(?<=\s)\p{Lu}[\p{L}\p{M}]+|\p{N}[\p{L}\p{N}.:]*/gu) ?? []).flatMap((mark) =>
    contentWords(mark.toLowerCase()),
  )
  return marks.every((mark) => known.has(mark))
}
