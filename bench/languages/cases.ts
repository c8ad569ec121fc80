/** The people of the language suite. `cases/README.md` describes the fields. */
import { readdir, readFile } from 'node:fs/promises'

export interface Name {
  /** As it stands in the text. */
  readonly name: string
  readonly type: 'person' | 'organization' | 'place'
  /** The form in a dictionary, if the text has another. */
  readonly base?: string
}

export interface Note {
  readonly id: string
  readonly text: string
  readonly names: readonly Name[]
}

export interface Change {
  readonly id: string
  readonly text: string
  /** The note that no longer holds. */
  readonly ends: string
}

export interface Question {
  readonly text: string
  /** A note or a change. */
  readonly answer: string
}

export interface Person {
  readonly id: string
  readonly notes: readonly Note[]
  readonly changes: readonly Change[]
  readonly questions: readonly Question[]
}

/** A question in another language than the note that answers it. */
export interface MixedQuestion {
  readonly language: string
  readonly person: string
  readonly question: string
  readonly question_language: string
  readonly answer: string
}

export interface LanguageCases {
  readonly language: string
  readonly people: readonly Person[]
}

export interface SuiteHalf {
  readonly languages: readonly LanguageCases[]
  readonly mixed: readonly MixedQuestion[]
}

export interface SmallTalk {
  readonly no_memory: readonly string[]
  readonly memory: readonly string[]
}

export interface GuardTexts {
  readonly attacks: readonly string[]
  readonly harmless: readonly string[]
}

export type Half = 'dev' | 'sealed'

const folder = new URL('cases/', import.meta.url)

/** The second set has fewer languages and no questions in another one. */
export async function readHalf(half: Half, set: 1 | 2 = 1): Promise<SuiteHalf> {
  const suffix = `.${half}.json`
  const isOfSet = (name: string) => name.endsWith(suffix) && name.endsWith(`.second${suffix}`) === (set === 2)
  const names = (await readdir(folder)).filter(isOfSet).sort()
  const languages: LanguageCases[] = []
  for (const name of names) {
    if (name !== `mixed${suffix}`) languages.push((await parsed(name)) as LanguageCases)
  }
  if (set === 2) return { languages, mixed: [] }
  const { pairs } = (await parsed(`mixed${suffix}`)) as { pairs: MixedQuestion[] }
  return { languages, mixed: pairs }
}

export async function readSmallTalk(): Promise<Record<string, SmallTalk>> {
  return (await parsed('small-talk.json')) as Record<string, SmallTalk>
}

export async function readGuardTexts(): Promise<Record<string, GuardTexts>> {
  return (await parsed('guard.json')) as Record<string, GuardTexts>
}

/** The parser's own error would quote the text, which may be sealed. cases.test.ts checks the shape. */
async function parsed(name: string): Promise<unknown> {
  const text = await readFile(new URL(name, folder), 'utf8')
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${name}: not JSON`)
  }
}
