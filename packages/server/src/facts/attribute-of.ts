/**
 * Statements of the form "the attribute of a thing is" in Chinese and Japanese: "读书会的规模是五百人", "夏祭りの会場は公園". Two of them
 * about different things, or about attributes that have no character in common, do not change each other.
 */
const stated =
  /^(?<thing>[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{L}\p{N}ー]{2,24})[的の](?<attribute>[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]{1,10}?)(?:现在|目前|今は)?(?:是|为|叫|有|は)/u
/** "老婆" and "妻子" are one person: only longer names tell things apart. */
const leastName = 4
const mostCharacters = 80

export function areOfDifferentThings(fresh: string, old: string): boolean {
  const [mine, theirs] = [statedIn(fresh), statedIn(old)]
  if (!mine || !theirs) return false
  const isNamed = mine.thing.length >= leastName && theirs.thing.length >= leastName
  const isOther = !mine.thing.includes(theirs.thing) && !theirs.thing.includes(mine.thing)
  return (isNamed && isOther) || ![...mine.attribute].some((character) => theirs.attribute.includes(character))
}

function statedIn(text: string): { readonly thing: string; readonly attribute: string } | null {
  const { thing, attribute } = stated.exec(text.slice(0, mostCharacters))?.groups ?? {}
  return thing === undefined || attribute === undefined ? null : { thing, attribute }
}
