/**
 * Makes untrusted text safe to print. A memory may contain terminal control sequences that move the cursor, change the
 * title or write to the clipboard, and Unicode marks that reverse the order of letters.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this escapes
const obeyed = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\p{Cs}/gu

function escaped(character: string): string {
  if (character === '\n') return '\\n'
  if (character === '\t') return '\\t'
  if (character === '\r') return '\\r'
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Escapes control characters and line breaks. */
export function oneLine(text: string): string {
  return text.replace(obeyed, escaped)
}

/** Escapes control characters and keeps line breaks. */
export function severalLines(text: string): string {
  return text.split('\n').map(oneLine).join('\n')
}

/** JSON on one line with control characters escaped. It parses to the same value. */
export function jsonLine(value: unknown): string {
  // JSON has these characters only inside strings, where an escape means the same text.
  return JSON.stringify(value).replace(
    obeyed,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
