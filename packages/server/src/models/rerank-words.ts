/** The informative words of an English text: lower case, without accents, lightly stemmed; numbers stay exact. */
export interface WordAt {
  readonly stem: string
  /** Counted over the informative words. */
  readonly position: number
}

const stopWords: ReadonlySet<string> = new Set(
  `a about after again all also am an and any are as at be because been before being but by can could did do does
  doing done for from had has have having he her hers him his how i if in into is it its just me more most my no nor
  not of off on once only or other our ours out over own same she should so some such than that the their theirs them
  then there these they this those through to too under until up us very was we were what when where which while who
  whom whose why will with would you your yours tell know remember say said`.split(/\s+/),
)

/** Longest first, so that "ies" is tried before "s". The rest must keep three letters. */
const endings: readonly (readonly [string, string])[] = [
  ['ingly', ''],
  ['edly', ''],
  ['ies', 'y'],
  ['ied', 'y'],
  ['ing', ''],
  ['est', ''],
  ['ed', ''],
  ['ly', ''],
  ['er', ''],
  ['es', ''],
  ['s', ''],
  ['e', ''],
  ['y', ''],
]

export function informativeWords(text: string): WordAt[] {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
  const words: WordAt[] = []
  // "3.50" and "2024-05-01" are one number each; "john's" is "john"; other scripts than Latin stay as they are.
  for (const [word] of plain.matchAll(/\p{N}+(?:[.,:/-]\p{N}+)*|[\p{L}\p{N}]+(?:['’]\p{L}+)?/gu)) {
    const bare = word.replace(/['’]\p{L}+$/u, '')
    if (!stopWords.has(bare)) words.push({ stem: stemOf(bare), position: words.length })
  }
  return words
}

function stemOf(word: string): string {
  if (!/^[a-z]+$/.test(word)) return word
  for (const [ending, replacement] of endings) {
    const rest = word.length - ending.length
    // "ss" is no plural, and without a vowel left it was no ending ("string").
    if (rest < 3 || !word.endsWith(ending) || word.endsWith('ss') || !/[aeiouy]/.test(word.slice(0, rest))) continue
    const stem = word.slice(0, rest) + replacement
    if (stem.length === 3) return stem
    // "running" and "runs": one consonant; "y" and a silent "e" go too, so that "study" meets "studies".
    return stem.replace(/([bdgmnprt])\1$/, '$1').replace(/[ey]$/, '')
  }
  return word
}
