/**
 * A JSON reader (RFC 8259) that refuses values which parsing would change. `JSON.parse` keeps the last of two equal keys, turns 1e400
 * into infinity, rounds long numbers and walks a million nested arrays. Here each of these is a 400 with the path of the field.
 * Recursive descent with a depth limit: one pass, linear in the length of the text.
 */
import { isUtf8 } from 'node:buffer'
import { invalid, type ServiceError } from '../../core/errors.js'
import type { Json } from '../../core/memory.js'
import { type FieldPath, fieldPath } from './field-path.js'
import { textProblem } from './text-problem.js'

export const maxJsonDepth = 32
/** More than any valid request has. A flood of small values takes far more time than its bytes suggest. */
export const maxJsonValues = 20_000

export function readStrictJson(bytes: Buffer): Json {
  if (!isUtf8(bytes)) throw invalid('', 'the body is not valid UTF-8')
  return new Reader(bytes.toString('utf8')).document()
}

const quote = 0x22
const backslash = 0x5c
const numberPattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
class Reader {
  private at = 0
  private values = 0
  private readonly path: FieldPath = []

  constructor(private readonly text: string) {}

  document(): Json {
    if (this.text.charCodeAt(0) === 0xfeff) throw invalid('', 'the body begins with a byte order mark')
    this.skipSpace()
    if (this.at === this.text.length) throw invalid('', 'the body is empty; a JSON object is expected')
    const value = this.value(0)
    this.skipSpace()
    if (this.at < this.text.length) throw this.malformed('nothing more after the value')
    return value
  }

  private value(depth: number): Json {
    this.values += 1
    if (this.values > maxJsonValues) throw invalid('', `the body has more than ${maxJsonValues} values`)
    switch (this.text[this.at]) {
      case '{':
        return this.object(depth + 1)
      case '[':
        return this.array(depth + 1)
      case '"':
        return this.string()
      case 't':
        return this.word('true', true)
      case 'f':
        return this.word('false', false)
      case 'n':
        return this.word('null', null)
      default:
        return this.number()
    }
  }

  private object(depth: number): Json {
    this.checkDepth(depth)
    const object: Record<string, Json> = {}
    this.at += 1
    this.skipSpace()
    if (this.take('}')) return object
    do {
      this.skipSpace()
      if (this.text.charCodeAt(this.at) !== quote) throw this.malformed('a key in double quotes')
      const key = this.string('a key of this object')
      this.path.push(key)
      // The only key that an assignment does not turn into an own property.
      if (key === '__proto__') throw this.refused('is not allowed as a key')
      if (Object.hasOwn(object, key)) throw this.refused('appears twice')
      this.skipSpace()
      if (!this.take(':')) throw this.malformed('a colon')
      this.skipSpace()
      object[key] = this.value(depth)
      this.path.pop()
      this.skipSpace()
    } while (this.take(','))
    if (!this.take('}')) throw this.malformed('a comma or }')
    return object
  }

  private array(depth: number): Json {
    this.checkDepth(depth)
    const array: Json[] = []
    this.at += 1
    this.skipSpace()
    if (this.take(']')) return array
    do {
      this.skipSpace()
      this.path.push(array.length)
      array.push(this.value(depth))
      this.path.pop()
      this.skipSpace()
    } while (this.take(','))
    if (!this.take(']')) throw this.malformed('a comma or ]')
    return array
  }

  private string(what?: string): string {
    const start = this.at
    let hasEscapes = false
    for (this.at += 1; ; this.at += 1) {
      const unit = this.text.charCodeAt(this.at)
      if (unit === quote) break
      if (!(unit >= 0x20)) throw this.malformed('the end of a string, without raw control characters')
      if (unit === backslash) {
        hasEscapes = true
        this.at += 1
      }
    }
    this.at += 1
    const value = hasEscapes ? this.unescaped(start) : this.text.slice(start + 1, this.at - 1)
    const problem = textProblem(value)
    if (problem) throw this.refused(what ? `${what} ${problem}` : problem)
    return value
  }

  /** `JSON.parse` reads a single string correctly, and is ten times as fast at escapes. */
  private unescaped(start: number): string {
    try {
      return String(JSON.parse(this.text.slice(start, this.at)))
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      this.at = start
      throw this.malformed('a string with valid escapes')
    }
  }

  private number(): number {
    numberPattern.lastIndex = this.at
    const literal = numberPattern.exec(this.text)?.[0]
    if (literal === undefined) throw this.malformed('a value')
    this.at += literal.length
    const value = Number(literal)
    if (!Number.isFinite(value)) throw this.refused('is too large a number')
    if (!keptExactly(literal, value)) throw this.refused('has more digits than a number can keep; send it as a string')
    return value
  }

  private word<T extends Json>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) throw this.malformed('a value')
    this.at += word.length
    return value
  }

  private skipSpace(): void {
    for (;;) {
      const unit = this.text.charCodeAt(this.at)
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return
      this.at += 1
    }
  }

  private take(character: string): boolean {
    if (this.text[this.at] !== character) return false
    this.at += 1
    return true
  }

  private checkDepth(depth: number): void {
    if (depth > maxJsonDepth) throw this.refused(`is nested more than ${maxJsonDepth} levels deep`)
  }

  private refused(problem: string): ServiceError {
    return invalid(fieldPath(this.path), problem)
  }

  private malformed(expected: string): ServiceError {
    const where = this.at >= this.text.length ? 'at its end' : `at character ${this.at + 1}`
    return invalid('', `the body is not valid JSON: expected ${expected} ${where}`)
  }
}

/** True if the number prints as the same decimal value again. Up to 15 digits always do. */
function keptExactly(literal: string, value: number): boolean {
  if (String(value) === literal || (literal.length <= 15 && !/[eE]/.test(literal))) return true
  const sent = decimalOf(literal)
  const kept = decimalOf(String(value))
  return sent.digits === kept.digits && sent.exponent === kept.exponent
}

/** The value as digits without outer zeros, times a power of ten. */
function decimalOf(literal: string): { digits: string; exponent: number } {
  const [mantissa = '', power = '0'] = literal.replace(/^-/, '').toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const all = whole + fraction
  let end = all.length
  while (end > 0 && all[end - 1] === '0') end -= 1
  let start = 0
  while (start < end && all[start] === '0') start += 1
  if (start === end) return { digits: '', exponent: 0 }
  const exponent = Number(power) - fraction.length + (all.length - end)
  return { digits: all.slice(start, end), exponent }
}
