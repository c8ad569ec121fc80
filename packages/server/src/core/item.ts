/** Items: values that an application keeps under a namespace and a key, word for word. Nothing splits, merges or judges them. */
import type { Json } from './memory.js'

/** Where an item is. The project of the scope is part of the place too. */
export interface ItemPlace {
  /** Labels separated by dots, such as `users.42.settings`. */
  readonly namespace: string
  readonly key: string
}

export interface Item extends ItemPlace {
  readonly project: string | null
  readonly value: Json
  /** Grows with every change. The numbers of one item have gaps. */
  readonly version: number
  readonly trustScore: number
  readonly flagged: boolean
  readonly createdAt: number
  readonly updatedAt: number
  readonly expiresAt: number | null
}

/** A state of an item, from one moment to another. */
export interface ItemVersion {
  readonly version: number
  readonly value: Json
  readonly validFrom: number
  /** Null: it is the current one. */
  readonly validTo: number | null
}

/** The parts of a value that a search finds it by. Null: all of it. Empty: no search by words or meaning finds it. */
export type IndexedFields = readonly string[] | null

export const longestNamespace = 200
export const longestKey = 200
/** As JSON. The same length as that of a memory. */
export const longestValue = 50_000
export const deepestValue = 32
export const mostIndexedFields = 20

/** The problem of a namespace, worded to follow the name of its field. */
export function namespaceProblem(namespace: string): string | undefined {
  const problem = nameProblem(namespace, longestNamespace)
  if (problem !== undefined) return problem
  const labels = namespace.split('.')
  return labels.some((label) => label.trim() === '')
    ? 'must be labels separated by dots, without a blank one'
    : undefined
}

/** An index of PostgreSQL has room for about 2,700 bytes: user, project and both names. */
const mostBytes = 500

function nameProblem(name: string, most: number): string | undefined {
  if (name.length > most && [...name].length > most) return `must have at most ${most} characters`
  if (Buffer.byteLength(name) > mostBytes) return `must have at most ${mostBytes} bytes in UTF-8`
  return /\p{Cc}/u.test(name) ? 'must not have control characters' : undefined
}

/** Clients remove the path segments `.` and `..` from a URL, so no key can be called so. */
export function itemKeyProblem(key: string): string | undefined {
  const problem = nameProblem(key, longestKey)
  if (problem !== undefined) return problem
  if (key.trim() === '') return 'must not be blank'
  return key === '.' || key === '..' ? 'must not be . or ..' : undefined
}

/** The text that a search looks at: the texts and numbers of a value with the names of their fields. Empty: there is none. */
export function searchedText(value: Json, fields: IndexedFields): string {
  const parts = fields === null ? [value] : fields.flatMap((field) => valuesAt(value, stepsOf(field)))
  return parts.flatMap((part) => linesOf(part, '')).join('\n')
}

function linesOf(value: Json, name: string): string[] {
  if (value === null || value === '') return []
  if (isList(value)) return value.flatMap((item) => linesOf(item, name))
  if (typeof value === 'object') return Object.entries(value).flatMap(([key, inner]) => linesOf(inner, key))
  return [name === '' ? String(value) : `${name}: ${value}`]
}

/** `chapters[*].title` is `chapters`, `[*]`, `title`; `$` is all of it. */
function stepsOf(field: string): string[] {
  return field === '$' ? [] : field.split(/\.|(?=\[)/).filter((step) => step !== '')
}

function valuesAt(value: Json, steps: readonly string[]): Json[] {
  const [step, ...rest] = steps
  if (step === undefined) return [value]
  if (isList(value)) {
    const place = /^\[(\*|-?\d{1,6})\]$/.exec(step)?.[1]
    const chosen = place === '*' ? value : place === undefined ? [] : [value.at(Number(place))]
    return chosen.flatMap((item) => (item === undefined ? [] : valuesAt(item, rest)))
  }
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return []
  const inner = value[step]
  return inner === undefined ? [] : valuesAt(inner, rest)
}

/** `Array.isArray` does not narrow readonly arrays. */
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}
