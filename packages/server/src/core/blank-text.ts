/** A text of nothing but white space and invisible characters is blank. */
export function isBlank(text: string): boolean {
  return !/[^\s\p{Cc}\p{Cf}\p{Z}]/u.test(text)
}
