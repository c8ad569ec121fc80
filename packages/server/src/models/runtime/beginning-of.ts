/**
 * The beginning of a very long text: models read a few hundred tokens, and tokenizing takes time too. White space only
 * separates tokens; a page of it must not displace the words.
 */
export function beginningOf(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text
  const collapsed = text.replace(/\s+/gu, ' ').slice(0, maxCharacters)
  // Half of a surrogate pair would be a different character.
  return /[\uD800-\uDBFF]$/.test(collapsed) ? collapsed.slice(0, -1) : collapsed
}

/** Where each character is nearly a token. */
export const denseScript = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Hangul}]/u
