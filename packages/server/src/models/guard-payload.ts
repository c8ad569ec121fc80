/**
 * Text hidden in base64, hex, escapes, rot13 or reversed letters. Ids, hashes and images decode to noise
 * and are passed over; a decoded text is handed back only if it reads like language or a command.
 */
export interface Payload {
  readonly start: number
  readonly end: number
  readonly text: string
}

const longestRunLength = 16_384
const base64Run = /(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{20,}(?:\r?\n[A-Za-z0-9+/_-]{4,})*={0,2}/g
const hexRun = /(?<![0-9A-Za-z])(?:0x)?[0-9a-f]{2}(?:(?:[ :,]|, |0x| 0x|, 0x)?[0-9a-f]{2}){11,}(?![0-9A-Za-z])/gi
const escapeRun = /(?:(?:\\x|%|\\u00|&#x)[0-9a-f]{2};?){8,}/gi
const binaryRun = /(?<![01])[01]{8}(?: ?[01]{8}){7,}(?![01])/g

export function decodedPayloads(text: string): Payload[] {
  return [
    ...decode(text, base64Run, (run) => {
      const compact = run.replace(/\s+/g, '')
      // Words without digits or mixed case are words (or a path), not base64.
      return /[a-z]/.test(compact) && /[A-Z0-9]/.test(compact) ? Buffer.from(compact, 'base64') : null
    }),
    ...decode(text, hexRun, (run) => Buffer.from(run.replace(/0x|[^0-9a-f]/gi, ''), 'hex')),
    ...decode(text, escapeRun, (run) => Buffer.from(run.replace(/\\u00|\\x|&#x|[^0-9a-f]/gi, ''), 'hex')),
    ...decode(text, binaryRun, (run) =>
      Buffer.from((run.replace(/ /g, '').match(/[01]{8}/g) ?? []).map((bits) => Number.parseInt(bits, 2))),
    ),
  ]
}

function decode(text: string, pattern: RegExp, bytesOf: (run: string) => Buffer | null): Payload[] {
  const payloads: Payload[] = []
  for (const match of text.matchAll(pattern)) {
    const bytes = bytesOf(match[0].slice(0, longestRunLength))
    const decoded = bytes === null ? null : readable(bytes)
    if (decoded !== null) payloads.push({ start: match.index, end: match.index + match[0].length, text: decoded })
  }
  return payloads
}

/** Null unless the bytes are UTF-8 text of words. */
function readable(bytes: Buffer): string | null {
  let text: string
  try {
    // A cut at `longestRunLength` may split a character: forgiven at the end only.
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.length > 12_000 ? bytes.subarray(0, 12_000) : bytes)
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
  const printable = text.match(/[\p{L}\p{N}\p{P}\p{Zs}\p{S}\n\r\t]/gu)?.length ?? 0
  const letters = text.match(/[\p{L}\s]/gu)?.length ?? 0
  if (printable < text.length * 0.95 || letters < text.length * 0.6) return null
  const words = text.match(/\p{L}{2,}/gu)?.length ?? 0
  return words >= 2 ? text : null
}

/** Commands that nobody encodes for a reader. */
const executable =
  /\b(?:curl|wget) (?:-\w+ )*['"]?https?:|\brm -rf\b|\bpowershell\b|\bos\.(?:system|popen)\b|\bsubprocess\.|\beval\(|\bexec\(|<script\b|\/bin\/(?:ba)?sh\b|\bbash -[ci]\b|\bchmod \+x\b|\bnc -e\b|\bbase64 (?:-d|--decode)\b|\bdocument\.cookie\b|\bdrop table\b/i

export function isExecutable(text: string): boolean {
  return executable.test(text)
}

const turned = (words: readonly string[], turn: (word: string) => string) =>
  new RegExp(words.map((word) => turn(word)).join('|'), 'g')
const rot13 = (word: string) =>
  word.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 97 + 13) % 26) + 97))
const reversed = (word: string) => [...word].reverse().join('')
const telling = ['instruction', 'ignore', 'disregard', 'previous', 'system prompt', 'prompt', 'password', 'reveal']
const disguises = [turned(telling, rot13), turned(telling, reversed)]

/** Where a lower-case text spells words of an attack by rot13 or backwards: two different ones are needed. */
export function disguisedWords(text: string): { readonly start: number; readonly end: number } | null {
  for (const pattern of disguises) {
    const matches = [...text.matchAll(pattern)]
    const first = matches[0]
    const last = matches.at(-1)
    if (first && last && new Set(matches.map((match) => match[0])).size >= 2) {
      return { start: first.index, end: last.index + last[0].length }
    }
  }
  return null
}
