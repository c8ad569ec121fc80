/**
 * A light English stemmer: steps 1 and 5 of M. F. Porter, "An algorithm for suffix stripping" (1980), that is plurals, -ed, -ing, -y and
 * a final -e. The steps in between, which strip -ation, -ness and the like, are omitted, because they merge words with different
 * meanings ("organ", "organization"). Departures for short words: -ies and -ied after one letter become -ie (ties, tie), -s stays after
 * u and i (bus, Paris), and at least three letters are left (using, use).
 */

const shortest = 4

/** Stems lower-case words of a to z. Anything else is returned unchanged. */
export function stem(word: string): string {
  if (word.length < shortest || !mayEndInSuffix(word) || !isPlain(word)) return word
  return withoutFinalE(withFinalI(withoutEdOrIng(withoutPlural(word))))
}

const suffixEndings = new Set([...'sdgyel'].map((letter) => letter.charCodeAt(0)))

function mayEndInSuffix(word: string): boolean {
  return suffixEndings.has(word.charCodeAt(word.length - 1))
}

function isPlain(word: string): boolean {
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
