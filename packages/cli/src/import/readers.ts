/** The formats that can be imported, each with its reader. To add one, write a `Reader` and list it here. */
import { chatGpt } from './chatgpt.js'
import { claude } from './claude.js'
import { gemini } from './gemini.js'
import { jsonLines } from './json-lines.js'
import { letta } from './letta.js'
import { markdown, plainText } from './markdown.js'
import { mem0 } from './mem0.js'
import { memories } from './memories.js'
import { mirror } from './mirror.js'
import { obsidian } from './obsidian.js'
import type { Reader } from './reader.js'
import { zep } from './zep.js'

/** In the order of detection: the first that recognises a text reads it. */
export const readers = {
  chatgpt: chatGpt,
  claude,
  gemini,
  letta,
  mem0,
  zep,
  mirror,
  memories,
  obsidian,
  markdown,
  text: plainText,
  jsonl: jsonLines,
} as const satisfies Readonly<Record<string, Reader>>

/** An archive of Keepsake goes directly into the store and has no reader. */
export type Format = keyof typeof readers | 'archive'

// Safe: these are exactly the keys.
const readable = Object.keys(readers) as (keyof typeof readers)[]
export const formats: readonly Format[] = ['archive', ...readable]

export function readerOf(format: Exclude<Format, 'archive'>): Reader {
  return readers[format]
}

/** The first format whose reader answers yes. */
export function formatThat(isOf: (reader: Reader) => boolean | undefined): Exclude<Format, 'archive'> | undefined {
  return readable.find((format) => isOf(readers[format]) === true)
}
