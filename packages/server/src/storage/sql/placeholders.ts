import { ofAnyShape } from './statement.js'

/**
 * Numbers the placeholders of a statement: `?` becomes `?1`, `?2` or `$1`, `$2`, and `@user`, wherever it occurs, becomes the
 * last value (see `user-data.ts`). The cache is bounded by the number of statements in the code.
 */
export function numbering(sign: '?' | '$'): (sql: string) => string {
  const texts = new Map<string, string>()
  return (sql) => {
    let text = texts.get(sql)
    if (text === undefined) {
      let count = 0
      text = sql.replaceAll('?', () => `${sign}${++count}`).replaceAll('@user', () => `${sign}${count + 1}`)
      if (!sql.includes(ofAnyShape)) texts.set(sql, text)
    }
    return text
  }
}
