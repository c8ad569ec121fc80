/**
 * Numbers the placeholders of a statement: `?` becomes `?1`, `?2` or `$1`, `$2`, and `@user`, wherever it stands, becomes the last value
 * (see `user-data.ts`). There are as many texts to remember as statements.
 */
export function numbering(sign: '?' | '$'): (sql: string) => string {
  const texts = new Map<string, string>()
  return (sql) => {
    let text = texts.get(sql)
    if (text === undefined) {
      let count = 0
      text = sql.replaceAll('?', () => `${sign}${++count}`).replaceAll('@user', () => `${sign}${count + 1}`)
      texts.set(sql, text)
    }
    return text
  }
}
