/**
 * Greetings, thanks, applause and laughter, which nobody asks for later. A text is small talk if it consists only of
 * such phrases, apart from names of people who are addressed.
 */
import { pattern } from '../core/pattern.js'
import { nameKind } from '../language/names/speaker-name.js'
import { phrasesOfLanguages, phrasesWithoutSpaces } from '../language/words/small-talk-phrases.js'
import { withoutDates } from './embedding-text.js'

const phrases = [
  // Greetings and farewells.
  '(?:hi+|hey+|hello+|hiya|howdy|yo|greetings|welcome|good (?:morning|afternoon|evening|night|day)|morning|evening)(?: there| again| back| all| everyone| guys)?',
  '(?:bye+|bye bye|goodbye|see (?:you|ya|u)|cya|later|farewell|take care|cheers|ciao)(?: then| soon| later| around| tomorrow| again| next (?:time|week)| for now| everyone| all)*',
  '(?:talk|speak|chat|write|text) (?:to |with )?(?:you|ya|u)?(?: again)?(?: soon| later| tomorrow)',
  '(?:catch you|catch up)(?: soon| later)',
  pattern`
    (?:have|enjoy)(?: a| an| your| the)(?: very)?(?: great| good| nice| lovely| wonderful| fun| safe)?(?: day| night
    | evening| afternoon| morning| weekend| week| one| time| trip| rest of your day)(?: too| ahead)?
  `,
  '(?:you|u) too',
  'same (?:here|to you)',
  '(?:sleep well|sweet dreams|good luck|all the best|best wishes|kind regards|best regards|regards|sincerely|love)',
  '(?:nice|good|great|lovely|happy) to (?:meet|see|hear from|hear|chat with|talk to) (?:you|from you|that|it)(?: too| again)?',
  "(?:it(?: was|s| is|'s)|was) (?:so |really )?(?:nice|good|great|lovely) (?:to (?:meet|see|hear from|chat with|talk to)|talking to|chatting with|meeting|seeing) you(?: too| again)?",
  // How are you.
  "(?:so |and )?how(?: are|'re|re) (?:you|u|things|ya)(?: doing| going| today| this morning| these days| feeling)*",
  "how(?: is|'s|s) (?:it going|everything|life|your day(?: going)?|things)(?: today)?",
  "(?:i )?hope (?:you(?: are|'re|re) (?:doing |all |feeling )*(?:well|good|great|ok|okay|fine|better)|all is well|everything is (?:ok|okay|fine|well)|(?:this|that|it) helps|so too)(?: today| too)?",
  "(?:i )?hope you(?: have|'re having| are having| had)(?: a| an)(?: very)?(?: great| good| nice| lovely| wonderful| fun)(?: day| night| evening| afternoon| morning| weekend| week| one| time| trip)",
  'long time no (?:see|talk|speak)',
  "how(?: do you do|ve you been|'ve you been| have you been)(?: lately)?",
  "what(?: is|'s|s) (?:up|new|going on)(?: with you)?",
  pattern`
    (?:i(?: am|'m|m) )?(?:doing |pretty |very |really |all )*(?:good|well|fine|great|ok|okay|alright
    |not bad)(?: thank you| thanks)?(?: and)?(?: you| yourself| how about you| what about you| how are you)?
  `,
  '(?:and |how about |what about )(?:you|yourself|yours|u)',
  // Thanks.
  pattern`
    (?:many |so )?(?:thank you|thanks|thank u|thx|ty|tysm|thankyou|much appreciated|appreciate it|i appreciate (?:it
    |that))(?: so much| very much| a lot| a bunch| a million| again| too| for (?:asking|sharing|that|this|your help
    |the help|everything|listening|letting me know))*
  `,
  "(?:you(?: are|'re|re) )?(?:very |most |so )?welcome",
  "(?:no problem|no worries|not at all|my pleasure|anytime|any time|don't mention it|sure thing|happy to help|glad to help|glad i could help)",
  // Agreement and applause.
  '(?:that|this) (?:helps|works)(?: a lot| great| for me)?',
  "(?:keep (?:it up|going|up the (?:good|great|hard|amazing) work)|you(?: have|'ve)? got this|you rock|go for it|(?:i am |i'm |so |very |really )*proud of you)",
  '(?:np|yw|ttyl|brb|gtg|gm|gn|tx|tnx|cu|jk|ikr)',
  pattern`
    (?:ok+|okay|okey|k|kk|alright|all right|right|sure|fine|yes|yep|yeah+|yup|yea|no|nope|nah|indeed|exactly
    |absolutely|definitely|totally|of course|certainly|got it|gotcha|i see|understood|makes sense|sounds (?:good
    |great|fun|nice|lovely|awesome|amazing|like a plan)|deal|agreed|true|i agree|will do|fair enough|noted|perfect
    |done)
  `,
  pattern`
    (?:oh|ooh|ah|aah|aww*|wow+|whoa|woah|yay|hooray|hurray|nice|cool|great|awesome|amazing|wonderful|excellent
    |fantastic|brilliant|lovely|beautiful|super|sweet|neat|incredible|impressive|good|haha+|hehe+|hihi|lol|lmao|rofl
    |ha|heh|hmm+|mmm*|uh|um|er|well|man|gosh|omg|congrats|congratulations|well done|good job|great job|bravo
    |way to go|good for you|happy for you|so happy for you|i am so happy for you|i'm so happy for you|so|very|really
    |too|and)
  `,
  pattern`
    (?:that|this|it)(?: is|'s|s| was| sounds| looks)(?: so| really| very| pretty| just| absolutely)?(?: good| great
    | nice| cool| awesome| amazing| wonderful| fantastic| lovely| fun| interesting| funny| sweet| true| right| fine
    | ok| okay| hilarious| sad| awful| terrible| crazy)(?: to hear| news)?
  `,
  pattern`
    (?:so )?(?:sorry|my bad|oops|excuse me|pardon|please|no way|really|seriously|i know|i hope so|me too|same
    |me neither|good point|good question|great question|good idea|great idea|sorry to hear (?:that|it)
    |sorry about that|happy birthday|merry christmas|happy new year|happy holidays|bless you)
  `,
  // Reactions that answer nothing.
  pattern`
    (?:bruh|bro|sup|what's good|yikes|oof|ugh|meh|huh|eh|yum|yuck|ew|eww|gross|woohoo|woo|yass|slay|facts|wdym|idk
    |tgif|smh|oops|my goodness|oh my|my god|my gosh|boomer|queen|amigo|bot|wild|insane|crazy|typo|mind blown
    |hang in there|get well soon|feel better soon|i hope you feel better soon|sending hugs|i can't even|i can imagine
    |i can't imagine|no way|no worries at all|take your time|no rush|whenever you're ready|better late than never
    |chin up|long story|don't ask|be honest|just kidding|i had no idea|oh really|nailed it|you nailed it|carry on
    |do go on|any day now|true story|as is tradition|fair play|you know how it is|where were we|i will think about it
    |i'll think about it|thank you for trusting me|lmfao|omfg|wtf|rip|gg|welp|dang|damn|geez|jeez|sheesh|phew|ouch
    |duh|nvm|tbh|imo|fr|no cap|bet|dope|lit|epic|legend|iconic|big mood|mood|relatable|oh no|oh well|oh dear|oh boy
    |good grief|my word|bless|bless your heart|aw man|dammit|nice one|good one|good stuff|right on|amen|preach
    |hear hear|ta|xoxo|xx|hugs|roger|roger that|copy that|on it|you bet|no kidding|who knew|fair|fair point|valid
    |i feel you|i hear you|it is what it is|such is life|what a day|what a shame|what a relief|tell me about it
    |don't worry|don't worry about it|never mind|nevermind|forget it|no big deal|my apologies|apologies|pardon me
    |fingers crossed|good to know|i see what you mean|that explains it|that clears it up|that clears it up nicely
    |have fun|laters|until next time|till next time|over and out|happy weekend|merry xmas|lgtm|righto|for sure|m+hm+
    |cheerio|dear me|sleep tight|that's all|that is all|pal|who would have thought(?: it)?|exactly what i needed
    |that's reassuring)
  `,
  pattern`
    (?:that|this|it)(?: must have been| must be| sounds| is|'s| looks)(?: so| really| very| pretty| just
    | such a)?(?: hard| tough| rough| adorable| wild| insane| weird| gorgeous| cute| beautiful| exciting| perfect
    | impressive| scary)
  `,
  'happy (?:mon|tues|wednes|thurs|fri|satur|sun)day',
  "(?:not really|i guess so|i suppose so|i think so|not yet|why not|go on then|yes please|go ahead|ok will do|whatever|whatever you think is best|up to you|you choose|you decide|i don't mind)",
  // Other languages, besides those with a list of their own.
  '(?:안녕하세요|감사합니다)',
]
const vocative =
  "(?:dear|friend|friends|mate|man|buddy|bro|dude|guys|everyone|all|girl|sis|hun|honey|darling|sir|ma'am|team|my friend|my dear)"
const parts = [...phrases, vocative].map((phrase) => new RegExp(`(?:${phrase})(?![\\p{L}\\p{N}'])`, 'uy'))
/** By first word: a text is compared with few of them. */
const foreign = byBeginning(phrasesOfLanguages, (phrase) => /^[\p{L}\p{N}]+/u.exec(phrase)?.[0] ?? '')
const unspaced = byBeginning(phrasesWithoutSpaces, (phrase) => phrase.slice(0, 1))
const separator = /[^\p{L}\p{N}]+/uy

const mostCharacters = 120
const pictures = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u200d|\ufe0f|[:;]-?[)(DPpO3]|<3|\^\^/gu

/** `names`: names of the speakers, who may be addressed by them. */
export function isSmallTalk(text: string, names: readonly string[] = []): boolean {
  // A flag may be an answer.
  if (text.length > mostCharacters || /\p{Regional_Indicator}/u.test(text)) return false
  const words = text.replace(pictures, ' ').trim()
  if (words === '') return text.trim() !== ''
  const said = shortened(withoutNames(withoutDates(words), names).replace(/[’]/gu, "'").toLowerCase())
  if (!/[\p{L}\p{N}]/u.test(said)) return /\p{L}/u.test(words) || !/\p{N}/u.test(words)
  return isMadeOfPhrases(said)
}

/** "Heyyyy", "noooo" */
function shortened(text: string): string {
  return text.replace(/(\p{L})\1{2,}/gu, '$1')
}

/** Removes the names of addressed people and short forms of them: "Thanks, Melanie!", "Hey Mel". */
function withoutNames(text: string, names: readonly string[]): string {
  return text.replace(/\p{Lu}[\p{L}\p{M}’'-]*/gu, (word, at: number) => {
    const small = word.toLowerCase()
    if (names.some((name) => isCalled(name, small))) return ' '
    return /^\p{Lu}\p{Ll}+$/u.test(word) && !/^I['’]?/.test(word) && isAddressed(text.slice(0, at), word) ? ' ' : word
  })
}

/** `small` is in lower case. Comparing the first letters rules out most names, which is cheaper than splitting each one. */
function isCalled(name: string, small: string): boolean {
  const lower = name.toLowerCase()
  if (!lower.includes(small)) return false
  return lower
    .split(/\s+/u)
    .some((part) => part.length > 1 && (part === small || (small.length >= 3 && part.startsWith(small))))
}

const beforeName = /(?<!\p{L})(?:hi|hey|hello|thanks|thank you|bye|dear),? $/iu

/** "Thanks Melanie", "Wow, Anna". After another word, only a given name: "Yes, Berlin" may be an answer. */
function isAddressed(before: string, word: string): boolean {
  return beforeName.test(before) || (before.endsWith(', ') && nameKind(word) === 'person')
}

/** Whether a sequence of phrases covers the whole text. Each position is visited once, so the time is linear. */
function isMadeOfPhrases(text: string): boolean {
  const reached = new Set([afterSeparator(text, 0)])
  for (const place of reached) {
    if (place >= text.length) return true
    for (const part of parts) {
      part.lastIndex = place
      if (part.test(text)) reached.add(afterSeparator(text, part.lastIndex))
    }
    for (const phrase of foreignPhrasesAt(text, place)) reached.add(afterSeparator(text, place + phrase.length))
  }
  return false
}

function byBeginning(all: readonly string[], beginningOf: (phrase: string) => string): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const phrase of all) {
    const beginning = beginningOf(phrase)
    groups.set(beginning, [...(groups.get(beginning) ?? []), phrase])
  }
  return groups
}

const word = /[\p{L}\p{N}]+/uy

/** A word must end with the phrase, except in scripts without spaces. */
function foreignPhrasesAt(text: string, place: number): string[] {
  word.lastIndex = place
  const [first = ''] = word.exec(text) ?? []
  const isWhole = (phrase: string) =>
    !/^[\p{L}\p{N}]/u.test(text.slice(place + phrase.length, place + phrase.length + 2))
  return [
    ...(foreign.get(first) ?? []).filter((phrase) => text.startsWith(phrase, place) && isWhole(phrase)),
    ...(unspaced.get(first.slice(0, 1)) ?? []).filter((phrase) => text.startsWith(phrase, place)),
  ]
}

function afterSeparator(text: string, place: number): number {
  separator.lastIndex = place
  return separator.test(text) ? separator.lastIndex : place
}
