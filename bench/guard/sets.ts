/** The data sets for the guard: labelled attacks and harmless prompts, real dialogues, and requests to an assistant. */
import { readFile } from 'node:fs/promises'
import { foldsOf } from '../../training/guard/folds.js'
import { chanceOf, type InjectionRow, injectionSets, mayLearn } from '../../training/guard/sources.js'
import { allRows, MissingData } from '../quality/rows.js'

export interface Case {
  readonly text: string
  /** Stored just before it. */
  readonly before?: string
  readonly attack: boolean
  /** The training fold that contained this text; null if the classifier was not trained on it. */
  readonly fold: number | null
}

export interface MeasuredSet {
  readonly name: string
  readonly cases: readonly Case[]
}

/** Near-duplicates are in the same fold, across all sets. */
export async function readInjectionSets(data: string): Promise<MeasuredSet[]> {
  const rows: (InjectionRow & { readonly set: string; readonly learn: boolean })[] = []
  for (const set of injectionSets) {
    for (const row of await allRows<InjectionRow>(`${data}/injection`, set, ['text', 'label', 'type'])) {
      rows.push({ ...row, set, learn: mayLearn(set, row) })
    }
  }
  const folds = foldsOf(rows)
  const cases = rows.map(({ set, type, text, label }, index) => ({
    set: set === 'benign_chat' ? `benign_${type.replaceAll('/', '_')}` : set,
    text,
    attack: label === 1,
    fold: folds[index] ?? null,
  }))
  return [...new Set(cases.map(({ set }) => set))].map((name) => ({
    name,
    cases: cases.filter(({ set }) => set === name),
  }))
}

/** Of files that were partly used for training, only the texts that were left out: those with the highest chance. */
const dialogues: readonly { name: string; file: string; texts: (row: Readonly<Record<string, unknown>>) => unknown }[] =
  [
    { name: 'MSC', file: 'msc/memories', texts: ({ text }) => text },
    { name: 'SGD', file: 'train/dialogues_sgd', texts: ({ turns }) => turns },
    { name: 'Taskmaster', file: 'train/dialogues_taskmaster', texts: ({ turns }) => turns },
    { name: 'Topical-Chat', file: 'train/dialogues_topicalchat', texts: ({ turns }) => turns },
    { name: 'CLINC150', file: 'train/intent_clinc150', texts: ({ a }) => a },
    { name: 'LoCoMo', file: 'locomo/memories', texts: ({ text }) => text },
    { name: 'REALTALK', file: 'realtalk/memories', texts: ({ text }) => text },
    { name: 'BEAM, users', file: 'beam/100K/memories', texts: ({ text, speaker }) => (speaker === 'user' ? text : '') },
  ]
const mostTexts = 2_500

/** @throws MissingData if a file does not exist. */
export async function readDialogues(data: string, onMissing: (name: string) => void): Promise<MeasuredSet[]> {
  const sets: MeasuredSet[] = []
  for (const { name, file, texts } of dialogues) {
    try {
      const [folder = '', base = ''] = [file.slice(0, file.lastIndexOf('/')), file.slice(file.lastIndexOf('/') + 1)]
      const rows = await allRows<Record<string, unknown>>(`${data}/${folder}`, base, [])
      const all = new Set(
        rows.flatMap(texts).filter((text): text is string => typeof text === 'string' && text.trim() !== ''),
      )
      const chosen = [...all].sort((left, right) => chanceOf(right) - chanceOf(left)).slice(0, mostTexts)
      sets.push({ name, cases: chosen.map((text) => ({ text, attack: false, fold: null })) })
    } catch (error) {
      if (!(error instanceof MissingData)) throw error
      onMissing(name)
    }
  }
  return sets
}

interface OwnRow {
  readonly attack: boolean
  readonly kind: string
  readonly texts: readonly string[]
}

/** Texts that we wrote, by kind; see own/README.md. They were not used for training. */
export async function readOwn(half: 'open' | 'sealed'): Promise<MeasuredSet[]> {
  const lines = (await readFile(new URL(`own/${half}.jsonl`, import.meta.url), 'utf8')).trim().split('\n')
  // The file is ours.
  const rows = lines.map((line) => JSON.parse(line) as OwnRow)
  const cases = rows.map(({ attack, kind, texts }) => {
    const [first = '', second] = texts
    return { kind, attack, fold: null, ...(second === undefined ? { text: first } : { text: second, before: first }) }
  })
  const isOf = (kind: string) => (one: (typeof cases)[number]) =>
    kind === 'all' ? one.attack : kind === 'all harmless' ? !one.attack : one.kind === kind
  return ['all', 'all harmless', ...new Set(cases.map(({ kind }) => kind))].map((kind) => ({
    name: `own ${half}, ${kind}`,
    cases: cases.filter(isOf(kind)),
  }))
}
