/**
 * Streams the elements of a JSON array from a file of any size. Exports can be hundreds of megabytes, and only one conversation at
 * a time is held in memory. If the file is an object, the elements of its direct array members are returned with their key, and
 * everything else is skipped. This code only tracks strings and brackets; `JSON.parse` parses the elements.
 */
import { SourceError } from './item.js'

export interface JsonElement {
  /** The key of the array; null if the array is the whole file. */
  readonly key: string | null
  readonly value: unknown
}

/** More than any conversation has, and less than the maximum string length. */
const mostCharacters = 128 * 1024 * 1024

export async function* jsonElements(
  chunks: AsyncIterable<string> | Iterable<string>,
  most = mostCharacters,
): AsyncGenerator<JsonElement> {
  const splitter = new Splitter(most)
  for await (const chunk of chunks) yield* splitter.read(chunk)
  splitter.end()
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

class Splitter {
  readonly #most: number
  /** Number of open brackets at the current position. */
  #depth = 0
  #inString = false
  #escaped = false
  #root: 'none' | 'array' | 'object' | 'done' = 'none'
  /** The depth whose children are elements; 0 outside such an array. */
  #splitDepth = 0
  #key: string | null = null
  /** Directly inside the object: false before the colon (key), true after it (value). */
  #isValue = false
  /** The part of the element or key from earlier chunks. */
  #held: string[] = []
  #heldCharacters = 0
  /** Where the element or key starts in the current chunk; -1 if none has started. */
  #start = -1

  constructor(most: number) {
    this.#most = most
  }

  *read(chunk: string): Generator<JsonElement> {
    if (this.#start !== -1) this.#start = 0
    for (let at = 0; at < chunk.length; at += 1) {
      const code = chunk.charCodeAt(at)
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false
        else if (code === backslash) this.#escaped = true
        else if (code === quote) this.#inString = false
      } else if (!isSpace(code)) {
        const element = this.#structure(chunk, at, code)
        if (element !== undefined) yield element
      }
    }
    this.#hold(chunk, chunk.length)
  }

  end(): void {
    if (this.#root === 'none') throw new SourceError('it is empty')
    if (this.#root !== 'done') throw new SourceError('it ends in the middle: was the download cut off?')
  }

  /** Handles a character outside of strings that is not white space. */
  #structure(chunk: string, at: number, code: number): JsonElement | undefined {
    if (this.#root === 'none') return this.#open(code)
    if (this.#root === 'done') throw new SourceError('there is data after the end of the JSON')
    const isDirect = this.#depth === this.#splitDepth
    if (isDirect && (code === comma || code === closeArray)) return this.#closeElement(chunk, at, code)
    if (this.#root === 'object' && this.#depth === 1) {
      this.#member(chunk, at, code)
      return undefined
    }
    if (isDirect && this.#start === -1) this.#start = at
    this.#follow(code)
    return undefined
  }

  #open(code: number): undefined {
    if (code !== openArray && code !== openObject) throw new SourceError('it is not JSON')
    this.#root = code === openArray ? 'array' : 'object'
    this.#depth = 1
    this.#splitDepth = code === openArray ? 1 : 0
  }

  #closeElement(chunk: string, at: number, code: number): JsonElement | undefined {
    const text = this.#take(chunk, at)
    if (code === closeArray) {
      this.#depth -= 1
      this.#splitDepth = 0
      if (this.#depth === 0) this.#root = 'done'
    }
    return text === '' ? undefined : { key: this.#key, value: parsedJson(text) }
  }

  /** Handles a character directly inside the object. */
  #member(chunk: string, at: number, code: number): void {
    if (code === quote && !this.#isValue) this.#start = at
    if (code === colon && !this.#isValue) {
      this.#key = String(parsedJson(this.#take(chunk, at)))
      this.#isValue = true
    } else if (code === comma) this.#isValue = false
    else if (code === openArray && this.#isValue) {
      this.#depth = 2
      this.#splitDepth = 2
    } else this.#follow(code)
    if (this.#depth === 0) this.#root = 'done'
  }

  #follow(code: number): void {
    if (code === quote) this.#inString = true
    else if (code === openArray || code === openObject) this.#depth += 1
    else if (code === closeArray || code === closeObject) this.#depth -= 1
  }

  #hold(chunk: string, end: number): void {
    if (this.#start === -1) return
    this.#held.push(chunk.slice(this.#start, end))
    this.#heldCharacters += end - this.#start
    if (this.#heldCharacters > this.#most) throw new SourceError('one of its elements is too large')
  }

  #take(chunk: string, end: number): string {
    this.#hold(chunk, end)
    const text = this.#held.join('').trim()
    this.#held = []
    this.#heldCharacters = 0
    this.#start = -1
    return text
  }
}

/** @throws SourceError if the text is not valid JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    // JSON.parse throws a RangeError if the nesting is too deep.
    if (error instanceof SyntaxError || error instanceof RangeError) throw new SourceError('it contains invalid JSON')
    throw error
  }
}
