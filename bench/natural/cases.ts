/** The natural cases. `../understanding/cases/natural/README.md` describes their fields. */
import { readFile } from 'node:fs/promises'

export interface NaturalCase {
  readonly id: string
  readonly category: string
  readonly voice: string
  readonly turns: readonly Turn[]
  readonly questions: readonly Question[]
  readonly expect: {
    readonly stored: Readonly<Record<string, boolean>>
    readonly ended: readonly string[]
    readonly kept: readonly string[]
    readonly same: readonly (readonly number[])[]
  }
}

export interface Turn {
  readonly role: 'user' | 'assistant'
  readonly name?: string
  readonly content: string
  readonly at: string
}

export interface Question {
  readonly ask: string
  readonly right: readonly string[]
  readonly outdated: readonly string[]
  readonly wrong?: readonly string[]
}

export type Half = 'dev' | 'sealed'
export type CaseSet = 1 | 2 | 3

/** The second and third sets ask for more of what the first has few of: what stays true, small talk, repetitions and what only looks so. */
export async function readCases(half: Half, set: CaseSet = 1): Promise<NaturalCase[]> {
  const name = set === 1 ? `${half}.jsonl` : `${half}-${set}.jsonl`
  const file = new URL(`../understanding/cases/natural/${name}`, import.meta.url)
  const lines = (await readFile(file, 'utf8')).split('\n')
  return lines.flatMap((line, index) => (line === '' ? [] : [parsed(line, `${name}, line ${index + 1}`)]))
}

/** The parser's own error would quote the line, which may be sealed. natural-cases.test.ts checks the shape. */
function parsed(line: string, where: string): NaturalCase {
  try {
    return JSON.parse(line) as NaturalCase
  } catch {
    throw new Error(`${where}: not JSON`)
  }
}
