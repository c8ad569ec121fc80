/** Private keys in PEM, OpenSSH and PGP armour, whole or cut off. */
import type { Secret } from './secret.js'

const opening = /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/g
const closing = /-----END [A-Z0-9 ]{0,30}-----/y
/** Lines of a key whose end is missing. */
const lines = /(?:(?:\s|\\[nr]){0,8}[A-Za-z0-9+/=]{30,100}){1,400}(?:(?:\s|\\[nr]){1,8}[A-Za-z0-9+/]{1,99}={1,2})?/y
const longestKey = 20_000

export function findPrivateKeys(text: string): Secret[] {
  const found: Secret[] = []
  if (!text.includes('PRIVATE KEY')) return found
  // Looked up again only behind it, so that many openings take no more time than one.
  let nextClosing = text.indexOf('-----END')
  let from = 0
  for (const match of text.matchAll(opening)) {
    const start = match.index
    if (start < from) continue
    const bodyStart = start + match[0].length
    if (nextClosing !== -1 && nextClosing < bodyStart) nextClosing = text.indexOf('-----END', bodyStart)
    const end = endAt(closing, text, nextClosing, bodyStart) ?? endAt(lines, text, bodyStart, bodyStart)
    // Without a body it is a mention, as in a manual.
    if (end === undefined) continue
    found.push({ kind: 'private key', start, end })
    from = end
  }
  return found
}

function endAt(expression: RegExp, text: string, at: number, bodyStart: number): number | undefined {
  if (at < bodyStart || at - bodyStart > longestKey) return undefined
  expression.lastIndex = at
  return expression.test(text) ? expression.lastIndex : undefined
}
