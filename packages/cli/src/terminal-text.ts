/**
 * Text of others on its way to a screen. A memory may hold what a terminal obeys: sequences that move the cursor, change
 * the title or write to the clipboard, and marks that turn the order of letters around.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
const obeyed = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\p{Cs}/gu

function escaped(character: string): string {
  if (character === '\n') return '\\n'
  if (character === '\t') return '\\t'
  if (character === '\r') return '\\r'
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** On one line, with nothing in it that a terminal obeys. */
export function oneLine(text: string): string {
  return text.replace(obeyed, escaped)
}

/** The same, and its lines stay lines. */
export function severalLines(text: string): string {
  return text.split('\n').map(oneLine).join('\n')
}

/** JSON on one line: it means the same to a program, and nothing to a terminal. */
export function jsonLine(value: unknown): string {
  // Outside its strings JSON has none of these characters; inside them an escape is the same text.
  return JSON.stringify(value).replace(
    obeyed,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
