/**
 * Stems for scripts in which a word has many endings. The beginning of a word finds its other forms as well as a stemmer of the language does,
 * and needs no guess which language it is: Russian, Ukrainian and Bulgarian share one script. The lengths are those with which BM25 found most
 * passages of XQuAD.
 */
const cyrillicLength = 5
const greekLength = 6
const devanagariLength = 6
const arabicLength = 4

/** Takes a word in lower case. Words of other scripts, and those with digits, are returned as they are. */
export function scriptStem(word: string): string {
  const code = word.charCodeAt(0)
  // A code such as a number plate has no ending.
  if (code < 0x370 || code > 0x97f || /\d/.test(word)) return word
  if (code < 0x400) return word.slice(0, greekLength)
  if (code < 0x530) return word.slice(0, cyrillicLength)
  if (code >= 0x600 && code < 0x780) return arabicStem(word)
  return code >= 0x900 ? word.slice(0, devanagariLength) : word
}

/** Vowel marks and the stroke that only stretches a word. */
const arabicMarks = /[\u064b-\u065f\u0670\u0640]+/g
const arabicVariants = /[أإآٱىیةک]/g
const arabicForms: Readonly<Record<string, string>> = {
  أ: 'ا',
  إ: 'ا',
  آ: 'ا',
  ٱ: 'ا',
  ى: 'ي',
  ی: 'ي',
  ة: 'ه',
  ک: 'ك',
}
/** The article, alone and after a preposition. */
const arabicArticles = ['بال', 'كال', 'فال', 'لل', 'ال']

function arabicStem(word: string): string {
  let stem = word.replace(arabicMarks, '').replace(arabicVariants, (letter) => arabicForms[letter] ?? letter)
  // "And" is written as part of the next word.
  if (stem.length >= 4 && stem.startsWith('و')) stem = stem.slice(1)
  const article = arabicArticles.find((prefix) => stem.startsWith(prefix) && stem.length - prefix.length >= 2)
  const bare = article === undefined ? stem : stem.slice(article.length)
  // Marks alone are no word, but a token is never empty.
  return bare === '' ? word : bare.slice(0, arabicLength)
}
