import { invalid } from '../../core/errors.js'
import { fieldPath } from './field-path.js'
import { textProblem } from './text-problem.js'

/** How the text of a parameter is read. Text that does not fit stays a string, and validation reports the type. */
export type ParameterType = 'string' | 'integer' | 'number' | 'boolean'

/**
 * Reads the parameters of a URL. Refuses input that other parsers drop or guess: repeated names, broken percent-encoding, bytes that
 * are not UTF-8. Values are converted to their declared type, more strictly than AJV does (which turns an empty text into 0 and null
 * into false).
 */
export function readQueryString(
  url: string,
  types: ReadonlyMap<string, ParameterType>,
): Record<string, string | number | boolean> {
  const start = url.indexOf('?')
  // No prototype: `__proto__` and `constructor` are unknown names like any other.
  const parameters: Record<string, string | number | boolean> = Object.create(null)
  if (start === -1) return parameters
  const end = url.indexOf('#', start)
  for (const pair of url.slice(start + 1, end === -1 ? undefined : end).split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals === -1 ? pair : pair.slice(0, equals), '')
    const value = decode(equals === -1 ? '' : pair.slice(equals + 1), name)
    if (name in parameters) throw invalid(fieldPath([name]), 'is given more than once')
    parameters[name] = typed(value, types.get(name))
  }
  return parameters
}

function decode(text: string, name: string): string {
  const path = name === '' ? '' : fieldPath([name])
  // A URL is ASCII. Node decodes raw bytes above it as Latin-1, which no client intends.
  if (!/^[\x21-\x7e]*$/.test(text)) throw invalid(path, 'the URL has characters that must be percent-encoded')
  let decoded: string
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '))
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    throw invalid(path, 'the URL has broken percent-encoding')
  }
  const problem = textProblem(decoded)
  if (problem) throw invalid(path, problem)
  return decoded
}

function typed(text: string, type: ParameterType | undefined): string | number | boolean {
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  if (type === 'integer' && /^-?[0-9]{1,15}$/.test(text)) return Number(text)
  if (type === 'number' && /^-?[0-9]{1,15}(?:\.[0-9]{1,15})?$/.test(text)) return Number(text)
  return text
}
