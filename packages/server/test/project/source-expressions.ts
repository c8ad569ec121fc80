/**
 * Finds the regular expression literals of a source text, token by token. A parser would be another dependency, and the token
 * before a slash is enough to distinguish a division from an expression.
 */
export interface SourceExpression {
  readonly line: number
  readonly source: string
  readonly flags: string
}

/** A slash after one of these begins an expression; after anything else it divides. */
const beforeExpression =
  /(?:^|[([{,;=:!&|?+\-*%^~<>]|=>|\b(?:return|typeof|case|in|of|delete|void|throw|new|else|do|yield|await))$/

export function expressionLiterals(text: string): SourceExpression[] {
  const found: SourceExpression[] = []
  /** The brace depth at which the `${` of each open template literal began. */
  const templates: number[] = []
  let braces = 0
  let at = 0
  let before = ''

  function skipTemplate(): void {
    for (; at < text.length; at += 1) {
      if (text[at] === '\\') at += 1
      else if (text[at] === '`') break
      else if (text[at] === '$' && text[at + 1] === '{') {
        templates.push(braces)
        braces += 1
        at += 1
        before = '{'
        break
      }
    }
    at += 1
  }

  while (at < text.length) {
    const character = text[at] ?? ''
    const rest = text.slice(at, at + 2)
    if (rest === '//') at = endOf(text, '\n', at)
    else if (rest === '/*') at = endOf(text, '*/', at) + 1
    else if (character === "'" || character === '"') {
      at = closing(text, character, at)
      before = '"'
    } else if (character === '`') {
      at += 1
      before = '"'
      skipTemplate()
      continue
    } else if (character === '/' && beforeExpression.test(before)) {
      const end = closingSlash(text, at)
      const flags = /^[a-z]*/.exec(text.slice(end + 1, end + 12))?.[0] ?? ''
      found.push({ line: text.slice(0, at).split('\n').length, source: text.slice(at + 1, end), flags })
      at = end + flags.length
      before = '"'
    } else if (!/\s/.test(character)) {
      const word = /^[\w$]+/.exec(text.slice(at, at + 40))?.[0]
      before = word ?? (before.length === 1 ? before + character : character)
      if (word) at += word.length - 1
      if (character === '{') braces += 1
      if (character === '}') {
        braces -= 1
        if (templates.at(-1) === braces) {
          templates.pop()
          at += 1
          before = '"'
          skipTemplate()
          continue
        }
      }
    }
    at += 1
  }
  return found
}

function endOf(text: string, mark: string, from: number): number {
  const end = text.indexOf(mark, from)
  return end < 0 ? text.length : end
}

function closing(text: string, quote: string, from: number): number {
  let at = from + 1
  while (at < text.length && text[at] !== quote) at += text[at] === '\\' ? 2 : 1
  return at
}

/** A slash inside a character class is literal. */
function closingSlash(text: string, from: number): number {
  let inClass = false
  let at = from + 1
  for (; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '[') inClass = true
    else if (text[at] === ']') inClass = false
    else if (text[at] === '/' && !inClass) break
  }
  return at
}
