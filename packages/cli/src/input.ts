/** Reads standard input, files and option values. */
import { readFileSync } from 'node:fs'
import type { Filter } from '@keepsake/client'
import { type Input, type Io, UsageError } from './command.js'

/** More than any request may contain. */
const largestInputBytes = 16 * 1024 * 1024

/** Reads all of the input as valid UTF-8. */
export async function readAll(input: Input): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of input) {
    // A stream with an encoding yields strings, whatever its type says.
    const chunk = typeof piece === 'string' ? Buffer.from(piece) : piece
    bytes += chunk.length
    if (bytes > largestInputBytes) throw new UsageError('the input is too large: at most 16 MiB')
    pieces.push(chunk)
  }
  return asText(Buffer.concat(pieces), 'standard input')
}

function asText(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new UsageError(`${name} is not UTF-8 text`, { cause: error })
  }
}

/** `-` reads standard input. */
export async function readNamed(io: Io, name: string): Promise<string> {
  return name === '-' ? readAll(io.stdin) : asText(readFileSync(name), name)
}

/** The typed words, or the piped input if there are none. */
export async function textFrom(io: Io, words: readonly string[], what: string): Promise<string> {
  const isTyped = words.length > 0 && !(words.length === 1 && words[0] === '-')
  if (!isTyped && io.stdin.isTTY === true && words.length === 0) {
    throw new UsageError(`pass ${what} as an argument, or pipe it in`)
  }
  const text = (isTyped ? words.join(' ') : await readAll(io.stdin)).trim()
  if (text === '') throw new UsageError(`${what} is empty`)
  return text
}

/** One line of input; empty if the input ends. */
export async function readAnswer(input: Input): Promise<string> {
  let text = ''
  for await (const piece of input) {
    text += typeof piece === 'string' ? piece : Buffer.from(piece).toString('utf8')
    if (text.includes('\n')) break
  }
  return (text.split('\n', 1)[0] ?? '').trim()
}

export interface Bounds {
  readonly min: number
  readonly max: number
  readonly whole?: boolean
}

export function numberOption(name: string, text: string | undefined, { min, max, whole }: Bounds): number | undefined {
  if (text === undefined) return undefined
  const number = /^\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : Number.NaN
  if (number >= min && number <= max && (!whole || Number.isInteger(number))) return number
  throw new UsageError(`--${name} takes a ${whole ? 'whole ' : ''}number from ${min} to ${max}`)
}

/** Checks only the beginning of an ISO 8601 date; the service validates the rest. */
export function momentOption(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  if (/^\d{4}-\d{2}-\d{2}/.test(text)) return text
  throw new UsageError(`--${name} takes a date, such as 2026-05-01 or 2026-05-01T12:00:00Z`)
}

/** `--where`: a filter as JSON, which the service validates. */
export function whereOption(text: string | undefined): Filter | undefined {
  if (text === undefined) return undefined
  const usage = `--where takes a filter as JSON, such as '{"metadata.topic":"people"}'`
  let filter: unknown
  try {
    filter = JSON.parse(text)
  } catch (error) {
    throw new UsageError(usage, { cause: error })
  }
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) throw new UsageError(usage)
  // The service names fields and operators that it does not know.
  return filter as Filter
}

/** `key=text`, or `key:=json` for numbers, booleans and other JSON values. */
export function pairs(name: string, given: readonly string[] | undefined): Record<string, unknown> | undefined {
  if (given === undefined) return undefined
  return Object.fromEntries(given.map((pair) => pairOf(name, pair)))
}

function pairOf(name: string, pair: string): [string, unknown] {
  const at = pair.indexOf('=')
  const isJson = at > 1 && pair[at - 1] === ':'
  const key = pair.slice(0, isJson ? at - 1 : at)
  if (at < 1 || key === '') throw new UsageError(`--${name} takes key=text, or key:=json`)
  const text = pair.slice(at + 1)
  if (!isJson) return [key, text]
  try {
    return [key, JSON.parse(text)]
  } catch (error) {
    throw new UsageError(`--${name} ${key}:= takes JSON, such as 5, true or "text"`, { cause: error })
  }
}
