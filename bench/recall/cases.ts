/** The people of the recall suite. `cases/README.md` describes the fields. */
import { readFile } from 'node:fs/promises'
import type { Turn } from '../natural/cases.js'

export const categories = [
  'current',
  'mine',
  'theirs',
  'noise',
  'implicit',
  'words',
  'two',
  'time',
  'agent',
  'exact',
  'unanswerable',
] as const
export type Category = (typeof categories)[number]

export interface Person {
  readonly id: string
  readonly voice: string
  readonly turns: readonly Turn[]
  readonly questions: readonly Question[]
  readonly plans: readonly Plan[]
}

export interface Question {
  readonly ask: string
  readonly category: Category
  /** Everything that a complete answer needs; empty if the question has no answer. */
  readonly answers: readonly Evidence[]
  /** Turns that answer too, but are not needed. */
  readonly also: readonly number[]
  readonly outdated: readonly number[]
  /** Somebody else's fact, or one of another time. */
  readonly forbidden: readonly number[]
}

/** A turn, and the words that a memory of it must contain. */
export interface Evidence {
  readonly turn: number
  readonly quote?: string
}

export interface Plan {
  readonly ask: string
  readonly needs: readonly Required<Evidence>[]
}

export type Half = 'dev' | 'sealed'

/** The others were written by other people than the first, after it. The third has searches instead of questions. */
export type PeopleSet = 'first' | 'second' | 'searches'

export async function readPeople(half: Half, set: PeopleSet = 'first'): Promise<Person[]> {
  const name = `${set === 'first' ? '' : `${set}.`}${half}.jsonl`
  const lines = (await readFile(new URL(`cases/${name}`, import.meta.url), 'utf8')).split('\n')
  return lines.flatMap((line, index) => (line === '' ? [] : [parsed(line, `${name}, line ${index + 1}`)]))
}

/** The parser's own error would quote the line, which may be sealed. cases.test.ts checks the shape. */
function parsed(line: string, where: string): Person {
  try {
    return JSON.parse(line) as Person
  } catch {
    throw new Error(`${where}: not JSON`)
  }
}
