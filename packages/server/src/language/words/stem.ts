/** The three stemmers: for the search index, for slots, and for checking a language model. Each is tuned to its comparison. */

const shortest = 4

/**
 * The stem of a word in the index: steps 1 and 5 of M. F. Porter, "An algorithm for suffix stripping" (1980), that is plurals, -ed,
 * -ing, -y and a final -e. The steps in between, which strip -ation, -ness and the like, are omitted, because they merge words with
 * different meanings ("organ", "organization"). Departures for short words: -ies and -ied after one letter become -ie (ties, tie), -s
 * stays after u and i (bus, Paris), and at least three letters are left (using, use). Only lower-case words of a to z are stemmed.
 */
export function indexStem(word: string): string {
  if (word.length < shortest || !mayEndInSuffix(word) || !isPlain(word)) return word
  return withoutFinalE(withFinalI(withoutEdOrIng(withoutPlural(word))))
}

const suffixEndings = new Set([...'sdgyel'].map((letter) => letter.charCodeAt(0)))

function mayEndInSuffix(word: string): boolean {
  return suffixEndings.has(word.charCodeAt(word.length - 1))
}

/** Whether the word consists of the letters a to z. */
export function isPlain(word: string): boolean {
  for (let index = 0; index < word.length; index++) {
    const code = word.charCodeAt(index)
    if (code < 97 || code > 122) return false
  }
  return true
}

function withoutPlural(word: string): string {
  if (word.endsWith('ies') || word.endsWith('ied')) return word.length > 4 ? word.slice(0, -2) : word.slice(0, -1)
  if (!word.endsWith('s')) return word
  if (word.endsWith('sses')) return word.slice(0, -2)
  const before = word.charAt(word.length - 2)
  return before === 's' || before === 'u' || before === 'i' ? word : word.slice(0, -1)
}

function withoutEdOrIng(word: string): string {
  if (word.endsWith('eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word
  const rest = word.endsWith('ed') ? word.slice(0, -2) : word.endsWith('ing') ? word.slice(0, -3) : ''
  if (rest === '' || !hasVowel(rest)) return word
  if (rest.endsWith('at') || rest.endsWith('bl') || rest.endsWith('iz')) return `${rest}e`
  if (endsInDoubleConsonant(rest)) return /[lsz]$/.test(rest) ? rest : rest.slice(0, -1)
  // This includes "us" from "using", which would be another word.
  return measure(rest) === 1 && (rest.length === 2 || endsLikeHop(rest)) ? `${rest}e` : rest
}

function withFinalI(word: string): string {
  const rest = word.slice(0, -1)
  return word.endsWith('y') && rest.length > 1 && !isVowel(rest, rest.length - 1) && hasVowel(rest) ? `${rest}i` : word
}

function withoutFinalE(word: string): string {
  if (word.endsWith('e') && word.length > 3) {
    const rest = word.slice(0, -1)
    const syllables = measure(rest)
    return syllables > 1 || (syllables === 1 && !endsLikeHop(rest)) ? rest : word
  }
  return word.endsWith('ll') && measure(word.slice(0, -1)) > 1 ? word.slice(0, -1) : word
}

function isVowel(word: string, index: number): boolean {
  const letter = word.charAt(index)
  if (letter === 'y') return index > 0 && !isVowel(word, index - 1)
  return letter === 'a' || letter === 'e' || letter === 'i' || letter === 'o' || letter === 'u'
}

function hasVowel(word: string): boolean {
  for (let index = 0; index < word.length; index++) if (isVowel(word, index)) return true
  return false
}

/** Porter's m: the number of vowels followed by a consonant. */
function measure(word: string): number {
  let count = 0
  let afterVowel = false
  for (let index = 0; index < word.length; index++) {
    const vowel = isVowel(word, index)
    if (afterVowel && !vowel) count += 1
    afterVowel = vowel
  }
  return count
}

function endsInDoubleConsonant(word: string): boolean {
  const last = word.length - 1
  return last > 0 && word.charAt(last) === word.charAt(last - 1) && !isVowel(word, last)
}

/** Porter's *o: consonant, vowel, consonant other than w, x or y, as in "hop" of "hoping". */
function endsLikeHop(word: string): boolean {
  const last = word.length - 1
  if (last < 2 || isVowel(word, last) || !isVowel(word, last - 1) || isVowel(word, last - 2)) return false
  return !/[wxy]$/.test(word)
}

const irregular: Readonly<Record<string, string>> = Object.fromEntries(
  `am be,is be,are be,was be,were be,been be,being be,has have,had have,does do,did do,done do,went go,gone go,goes go,
ran run,ate eat,eaten eat,drank drink,drunk drink,drove drive,driven drive,bought buy,sold sell,gave give,given give,
took take,taken take,got get,gotten get,made make,met meet,wrote write,written write,spent spend,slept sleep,
lent lend,taught teach,saw see,seen see,came come,became become,began begin,begun begin,broke break,broken break,
brought bring,built build,caught catch,chose choose,chosen choose,felt feel,fell fall,fallen fall,flew fly,flown fly,
forgot forget,found find,grew grow,grown grow,held hold,heard hear,kept keep,knew know,known know,left leave,
lost lose,meant mean,paid pay,rode ride,ridden ride,rang ring,said say,sang sing,sung sing,sat sit,sent send,
shot shoot,spoke speak,spoken speak,stood stand,swam swim,swum swim,swore swear,told tell,thought think,threw throw,
thrown throw,understood understand,woke wake,woken wake,wore wear,worn wear,won win,dealt deal,led lead,hurts hurt,
studies study,studied study,lying lie,dying die,tying tie,died die,lay lie`
    .split(',')
    .map((pair) => pair.trim().split(' ') as [string, string]),
)

/** True for a form that the rules for endings do not cover: "drove". */
export function isIrregularForm(word: string): boolean {
  return Object.hasOwn(irregular, word)
}

/**
 * The stem of a word in a slot. All forms of a verb, also irregular ones ("drove", "driven"), and singular and plural of a noun get the
 * same stem, because a slot compares statements word by word. The stem need not be a dictionary word.
 */
export function factStem(word: string): string {
  const known = Object.hasOwn(irregular, word) ? irregular[word] : undefined
  if (known !== undefined) return factStem(known)
  let base = word
  if (base.length > 4 && base.endsWith('ies')) base = `${base.slice(0, -3)}y`
  else if (/(?:ss|x|z|ch|sh)es$/u.test(base)) base = base.slice(0, -2)
  else if (base.length > 3 && base.endsWith('s') && !/(?:ss|us|is)$/u.test(base)) base = base.slice(0, -1)
  if (base.length > 5 && base.endsWith('ied')) base = `${base.slice(0, -3)}y`
  else if (base.length > 4 && base.endsWith('ing') && /[aeiouy]/u.test(base.slice(0, -3)))
    base = undoubled(base.slice(0, -3))
  else if (base.length > 4 && base.endsWith('ed') && /[aeiouy]/u.test(base.slice(0, -2)))
    base = undoubled(base.slice(0, -2))
  return base.length > 3 ? base.replace(/e$/u, '') : base
}

function undoubled(base: string): string {
  return /([bdgklmnprt])\1$/u.test(base) && !/(?:ll|ss)$/u.test(base) ? base.slice(0, -1) : base
}

/**
 * The stem of a word that a language model wrote or read. It is rough, and applied to both sides of a comparison. It expects a
 * lower-case word without a contraction.
 */
export function looseStem(word: string): string {
  if (word.length <= 3) return word
  return word
    .replace(/(?:ing|ed|es|s)$/u, '')
    .replace(/(.)\1$/u, '$1')
    .replace(/e$/u, '')
    .replace(/y$/u, 'i')
}
