/** What a contradiction is about, from its reason: `john works at: "acme" before, "globex" now.` becomes "John works at". */
export function titleOf(why: string): string {
  const [, about = why] = /^([^:"]{1,200}): ".*" before, ".*" now\.?$/s.exec(why) ?? []
  return about.charAt(0).toLocaleUpperCase('en') + about.slice(1)
}
