/**
 * Arabic writes its article, "and" and short prepositions together with the next word. A rare word with such a prefix
 * falls into pieces that mean nothing, so it is embedded without its prefix if that leaves fewer pieces. Vowel marks
 * and stretched letters are left out of every word. Stored text stays as it is.
 */

/** A run of letters of Arabic itself: words with Persian or Urdu letters stay as they are. */
const word = /(?<![\p{L}\p{M}])[\u0621-\u063a\u0641-\u064a]+(?![\p{L}\p{M}])/gu
const marks = /[\u0640\u064b-\u065f\u0670]/gu
/** "And the", "by the", "as the", "so the", "for the", "the", "and", "by", "for", "so", "as". */
const prefixes = ['وال', 'بال', 'كال', 'فال', 'لل', 'ال', 'و', 'ب', 'ل', 'ف', 'ك']
const shortestRest = 3
/** Longer runs are no words. */
const longestWord = 30
/** A word of fewer pieces is known well enough. */
const fewestPieces = 3

/** `isPiece`: whether the vocabulary has it; `##` marks the piece of a word that is not its beginning. */
export function arabicReader(isPiece: (piece: string) => boolean): (text: string) => string {
  const shortened = (whole: string): string => {
    if (whole.length > longestWord) return whole
    let [best, count] = [whole, pieceCount(whole, isPiece)]
    if (count < fewestPieces) return whole
    for (const prefix of prefixes) {
      if (!whole.startsWith(prefix) || whole.length - prefix.length < shortestRest) continue
      const rest = whole.slice(prefix.length)
      const fewer = pieceCount(rest, isPiece)
      if (fewer < count) [best, count] = [rest, fewer]
    }
    return best
  }
  return (text) => (/\p{Script=Arabic}/u.test(text) ? text.replace(marks, '').replace(word, shortened) : text)
}

/** Greedy word pieces; infinite for a word with an unknown letter. */
function pieceCount(whole: string, isPiece: (piece: string) => boolean): number {
  let count = 0
  for (let start = 0; start < whole.length; count++) {
    let end = whole.length
    while (end > start && !isPiece((start > 0 ? '##' : '') + whole.slice(start, end))) end -= 1
    if (end === start) return Number.POSITIVE_INFINITY
    start = end
  }
  return count
}
