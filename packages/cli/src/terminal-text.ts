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

const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u

/** Right-to-left text between marks that keep it from moving its neighbours in the line. Others stay as they are. */
export function isolated(text: string): string {
  return rightToLeft.test(text) ? `\u2068${text}\u2069` : text
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
/** Characters that take two columns: Chinese, Japanese and Korean ones, full-width forms, and pictures. */
const wide =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f1e6}-\u{1f1ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Emoji}\ufe0f)/u
const invisible = /[\p{Cf}\p{Mn}\p{Me}]/gu

/** The number of columns that a terminal needs, without the colour codes of the painter. */
export function widthOf(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removes the painter's colour codes
  const shown = text.replace(/\u001b\[\d+m/g, '')
  if (/^[ -~]*$/u.test(shown)) return shown.length
  let width = 0
  for (const { segment } of graphemes.segment(shown))
    width += wide.test(segment) ? 2 : [...segment.replace(invisible, '')].length
  return width
}
