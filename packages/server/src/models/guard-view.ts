/**
 * A text as a reader of instructions would see it: compatibility forms, accents, look-alike letters,
 * invisible characters, digits for letters and l e t t e r  s p a c i n g undone, lower case, white
 * space runs as one space or line break. Every character remembers where it came from.
 */
export interface View {
  readonly text: string
  /** `at[i]`: index in the original of the character that gave `text[i]`; one more entry for the end. */
  readonly at: Uint32Array
  /** What invisible tag characters spell; empty for nearly all texts. */
  readonly hidden: string
  readonly hiddenAt: number
}

// Letters of other scripts that look like Latin ones (lower case).
const lookAlikes = new Map<string, string>(
  Object.entries({
    а: 'a',
    е: 'e',
    о: 'o',
    р: 'p',
    с: 'c',
    у: 'y',
    х: 'x',
    і: 'i',
    ї: 'i',
    ј: 'j',
    ѕ: 's',
    һ: 'h',
    ԁ: 'd',
    ԛ: 'q',
    ԝ: 'w',
    ѵ: 'v',
    ӏ: 'l',
    в: 'b',
    к: 'k',
    м: 'm',
    н: 'h',
    т: 't',
    г: 'r',
    п: 'n',
    α: 'a',
    β: 'b',
    ε: 'e',
    η: 'n',
    ι: 'i',
    κ: 'k',
    ν: 'v',
    ο: 'o',
    ρ: 'p',
    τ: 't',
    υ: 'u',
    χ: 'x',
    ω: 'w',
    ı: 'i',
    ɑ: 'a',
    ɡ: 'g',
    ʟ: 'l',
    ɩ: 'i',
    օ: 'o',
    ո: 'n',
    ս: 'u',
    հ: 'h',
  }),
)
const digitLetters: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '9': 'g',
  $: 's',
  '€': 'e',
  '@': 'a',
  '!': 'i',
}
// Format characters, fillers and variation selectors: none of them leaves a trace on the page.
const invisible = /\p{Cf}|\u034f|[\u115f\u1160]|[\u17b4\u17b5]|[\u180b-\u180e]|\u2800|\u3164|[\ufe00-\ufe0f]|\uffa0/u
const marks = /(?:[\u0300-\u036f]|[\u20d0-\u20ff])+/gu
const plainAscii = /^[\x20-\x7e]*$/

export function viewOf(original: string): View {
  const builder = fold(original)
  const spaced = joinSpacedLetters(builder.text, builder.at)
  const text = unmaskWords(spaced.text)
  return { text, at: Uint32Array.from(spaced.at), hidden: builder.hidden, hiddenAt: builder.hiddenAt }
}

function fold(original: string): { text: string; at: number[]; hidden: string; hiddenAt: number } {
  const pieces: string[] = []
  const at: number[] = []
  let hidden = ''
  let hiddenAt = 0
  let afterFlag = false
  let pendingSpace = ''
  let pendingAt = 0
  for (let index = 0; index < original.length; ) {
    const code = original.codePointAt(index) ?? 0
    const size = code > 0xffff ? 2 : 1
    const start = index
    index += size
    if (code >= 0xe0020 && code <= 0xe007e) {
      // Tag characters are ASCII made invisible; after a black flag they are part of an emoji.
      if (!afterFlag) {
        if (!hidden) hiddenAt = start
        hidden += String.fromCharCode(code - 0xe0000)
      }
      continue
    }
    const character = original.slice(start, index)
    if (code > 0x7e && invisible.test(character)) continue
    afterFlag = code === 0x1f3f4
    const folded = code < 0x7f ? character.toLowerCase() : foldWide(character)
    if (folded === '') continue
    if (/^\s+$/u.test(folded)) {
      if (pendingSpace === '') pendingAt = start
      pendingSpace = pendingSpace === '\n' || /[\n\r\u2028\u2029]/.test(folded) ? '\n' : `${pendingSpace} `
      continue
    }
    if (pendingSpace !== '') {
      // Two spaces stay two until spaced letters are joined: they mark the words.
      const gap = pendingSpace === '\n' ? '\n' : pendingSpace.length > 1 ? '  ' : ' '
      for (const space of gap) {
        pieces.push(space)
        at.push(pendingAt)
      }
      pendingSpace = ''
    }
    for (let unit = 0; unit < folded.length; unit += 1) at.push(start)
    pieces.push(folded)
  }
  at.push(original.length)
  return { text: pieces.join(''), at, hidden, hiddenAt }
}

function foldWide(character: string): string {
  const simple = character.normalize('NFKD').replace(marks, '').toLowerCase()
  return simple
    .replace(/[‘’‛′`´]/gu, "'")
    .replace(/[“”„‟″]/gu, '"')
    .replace(/[‐‑‒–—―−]/gu, '-')
}

/** `i g n o r e` and `i.g.n.o.r.e` become `ignore`; needs five single letters in a row. */
function joinSpacedLetters(text: string, at: readonly number[]): { text: string; at: number[] } {
  const drop = new Set<number>()
  for (const run of text.matchAll(/(?<![\p{L}\p{N}])\p{L}(?:[ ._*|-]{1,2}\p{L}(?![\p{L}\p{N}])){4,}/gu)) {
    // A double space parted two words: it stays, and becomes one space below.
    for (const separator of run[0].matchAll(/(?<! ) (?! )|[._*|-]/g)) drop.add(run.index + separator.index)
  }
  let joined = ''
  const joinedAt: number[] = []
  let lastWasSpace = false
  for (let index = 0; index < text.length; index += 1) {
    const unit = text[index] ?? ''
    if (drop.has(index) || (unit === ' ' && lastWasSpace)) continue
    lastWasSpace = unit === ' '
    joined += unit
    joinedAt.push(at[index] ?? 0)
  }
  joinedAt.push(at[text.length] ?? 0)
  return { text: joined, at: joinedAt }
}

/** Words that mix scripts or hide letters behind digits are spelled out; lengths don't change. */
function unmaskWords(text: string): string {
  if (plainAscii.test(text) && !/[a-z][0134579$!@]|[0134579$@][a-z]/.test(text)) return text
  return text.replace(/[^\s"'()[\]{}<>,;:?#*]+/gu, (word) => {
    const latin = /[a-z]/.test(word)
    let result = word
    if (/[^\x20-\x7e]/.test(word)) {
      const letters = [...word].filter((letter) => /\p{L}/u.test(letter))
      const fakes = letters.filter((letter) => lookAlikes.has(letter))
      // A word of Cyrillic letters only is Cyrillic unless each of them could pass for a Latin one.
      if (fakes.length > 0 && (latin || fakes.length === letters.length)) {
        result = [...result].map((letter) => lookAlikes.get(letter) ?? letter).join('')
      }
    }
    const masks = result.match(/[0134579$€!@]/g)?.length ?? 0
    const letterCount = result.match(/[a-z]/g)?.length ?? 0
    if (masks === 0 || letterCount < 2 || letterCount < masks || /@[^@]*\.|\d{3}/.test(result)) return result
    return result.replace(/[0134579$€@]|!(?=\w)/g, (mask) => digitLetters[mask] ?? mask)
  })
}
