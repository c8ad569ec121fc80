/**
 * `npm run bench:tagging`: accuracy of names and relations. Typed, exact spans; people, organisations and places only,
 * because the data sets agree on those. Three systems: rules alone, the model alone, and both as the service merges
 * them.
 */
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { foreignNames } from '../../packages/server/src/facts/tagging/foreign-names.js'
import { mergedNames } from '../../packages/server/src/facts/tagging/merge-names.js'
import { isForeign } from '../../packages/server/src/language/words/is-foreign.js'
import { openSpanReader } from '../../packages/server/src/models/tagger/span-reader.js'
import type { Reading } from '../../packages/server/src/models/tagger/tag-reading.js'
import type { RelationName } from '../../packages/server/src/models/tagger/tag-relation-head.js'
import { markdownTable } from '../table.js'
import { allRows } from './rows.js'

interface GoldEntity {
  readonly s?: number
  readonly e?: number
  readonly t?: string
}

interface Row {
  readonly text: string
  readonly entities: readonly GoldEntity[]
  readonly relations?: readonly { readonly h: number; readonly t: number; readonly type: string }[]
}

interface Span {
  readonly start: number
  readonly end: number
  readonly type: string
}

const mainTypes: ReadonlySet<string> = new Set(['PERSON', 'ORG', 'LOCATION'])
const sets = [
  'ner/conll2003.test',
  'ner/conll2003.dev',
  'ner/wnut17.test',
  'ner/wnut17.dev',
  'ner/wikineural_en.test',
  'ner/btc.dev',
  'ner/crossner_ai.test',
  're/conll04.test',
]
/** CoNLL04's relations connect these types; chosen on its development part. */
const relationTypes: Readonly<Partial<Record<RelationName, readonly [string, string]>>> = {
  Work_For: ['PERSON', 'ORG'],
  Live_In: ['PERSON', 'LOCATION'],
  OrgBased_In: ['ORG', 'LOCATION'],
  Located_In: ['LOCATION', 'LOCATION'],
  Kill: ['PERSON', 'PERSON'],
}

class Count {
  private right = 0
  private found = 0
  private gold = 0
  add(gold: ReadonlySet<string>, found: ReadonlySet<string>): void {
    this.gold += gold.size
    this.found += found.size
    for (const item of found) if (gold.has(item)) this.right += 1
  }
  figures() {
    const share = (whole: number) => (whole === 0 ? 0 : this.right / whole)
    const sum = this.found + this.gold
    return {
      precision: share(this.found),
      recall: share(this.gold),
      f1: sum === 0 ? 0 : (2 * this.right) / sum,
      gold: this.gold,
    }
  }
}

/** Positions in the data count characters; a string index counts an emoji twice. */
function inUnits(row: Row): Row {
  if (!/[\u{10000}-\u{10FFFF}]/u.test(row.text)) return row
  const at = [0]
  for (const character of row.text) at.push((at.at(-1) ?? 0) + character.length)
  const unit = (place: number | undefined) => (place === undefined ? undefined : at[place])
  return {
    ...row,
    entities: row.entities.map((entity) => ({ ...entity, s: unit(entity.s), e: unit(entity.e) }) as GoldEntity),
  }
}

const directory = process.env.KEEPSAKE_DATA || fileURLToPath(new URL('../../../shared/data', import.meta.url))
const { values: options } = parseArgs({
  options: {
    sets: { type: 'string', default: sets.join(',') },
    limit: { type: 'string', default: '100000' },
    model: { type: 'string' },
    json: { type: 'string' },
    threshold: { type: 'string', default: '0.5' },
    errors: { type: 'string' },
  },
})

const reader = await openSpanReader(options.model === undefined ? {} : { directory: options.model })
const report: Record<string, unknown>[] = []
const wrong: string[] = []
for (const name of options.sets.split(',')) {
  const rows = (await allRows<Row>(directory, name, ['text', 'entities'])).slice(0, Number(options.limit)).map(inUnits)
  const texts = rows.map(({ text }) => text)
  const readings: Reading[] = []
  const cpuBefore = process.cpuUsage()
  const began = performance.now()
  for (let first = 0; first < texts.length; first += 256)
    readings.push(...(await reader.read(texts.slice(first, first + 256))))
  const wall = performance.now() - began
  const { user, system } = process.cpuUsage(cpuBefore)
  const systems = { rules: new Map<string, Count>(), model: new Map<string, Count>(), both: new Map<string, Count>() }
  const relations = new Count()
  for (const [at, row] of rows.entries()) {
    const reading = readings[at] ?? { spans: [], relations: [] }
    const gold = goldSpans(row)
    score(systems.rules, gold, mergedNames(row.text, undefined))
    score(systems.model, gold, reading.spans)
    score(systems.both, gold, (isForeign(row.text) ? foreignNames : mergedNames)(row.text, reading.spans))
    if (options.errors !== undefined) noteErrors(name, row.text, gold, reading.spans)
    if (row.relations) relations.add(goldRelations(row), foundRelations(reading))
  }
  report.push({
    set: name,
    sentences: rows.length,
    cpuMs: (user + system) / 1000 / rows.length,
    wallMs: wall / rows.length,
    ...Object.fromEntries(Object.entries(systems).map(([system, counts]) => [system, figuresOf(counts)])),
    ...(rows.some((row) => row.relations) ? { relations: relations.figures() } : {}),
  })
}
await reader.close()
printReport()
if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify(report, null, 2)}\n`)
if (options.errors !== undefined) await writeFile(options.errors, wrong.join('\n'))

function goldSpans(row: Row): Span[] {
  return row.entities.flatMap(({ s, e, t }) =>
    s === undefined || e === undefined || t === undefined || !mainTypes.has(t) ? [] : [{ start: s, end: e, type: t }],
  )
}

function score(counts: Map<string, Count>, gold: readonly Span[], found: readonly Span[]): void {
  for (const type of ['all', ...mainTypes]) {
    const of = (spans: readonly Span[]) =>
      new Set(spans.filter((span) => mainTypes.has(span.type) && (type === 'all' || span.type === type)).map(keyOf))
    const count = counts.get(type) ?? new Count()
    counts.set(type, count)
    count.add(of(gold), of(found))
  }
}

function keyOf({ start, end, type }: Span): string {
  return `${start}-${end} ${type}`
}

function goldRelations(row: Row): Set<string> {
  return new Set(
    (row.relations ?? []).map(({ h, t, type }) => {
      const [head, tail] = [row.entities[h], row.entities[t]]
      return `${head?.s}-${head?.e} ${head?.t} ${type} ${tail?.s}-${tail?.e} ${tail?.t}`
    }),
  )
}

function foundRelations(reading: Reading): Set<string> {
  const found = new Set<string>()
  for (const { head, tail, name, score } of reading.relations) {
    const [from, to, types] = [reading.spans[head], reading.spans[tail], relationTypes[name]]
    if (!from || !to || !types || score < Number(options.threshold)) continue
    if (from.type === types[0] && to.type === types[1]) found.add(`${keyOf(from)} ${name} ${keyOf(to)}`)
  }
  return found
}

function figuresOf(counts: ReadonlyMap<string, Count>) {
  return Object.fromEntries([...counts].map(([type, count]) => [type, count.figures()]))
}

function noteErrors(set: string, text: string, gold: readonly Span[], found: readonly Span[]): void {
  const [want, got] = [new Set(gold.map(keyOf)), new Set(found.filter(({ type }) => mainTypes.has(type)).map(keyOf))]
  const show = (spans: readonly Span[]) =>
    spans.map(({ start, end, type }) => `${type[0]}:${text.slice(start, end)}`).join(' | ')
  const missed = gold.filter((span) => !got.has(keyOf(span)))
  const extra = found.filter((span) => mainTypes.has(span.type) && !want.has(keyOf(span)))
  if (missed.length + extra.length > 0) wrong.push(`${set}\t${text}\tmissed ${show(missed)}\textra ${show(extra)}`)
}

function printReport(): void {
  const percent = (value: number | undefined) => (100 * (value ?? 0)).toFixed(1)
  const lines = report.map((entry) => {
    const by = (system: string) => (entry[system] as ReturnType<typeof figuresOf> | undefined) ?? {}
    const both = by('both')
    return [
      String(entry.set),
      String(entry.sentences),
      percent(by('rules').all?.f1),
      percent(by('model').all?.f1),
      percent(both.all?.f1),
      `${percent(both.all?.precision)}/${percent(both.all?.recall)}`,
      ['PERSON', 'ORG', 'LOCATION'].map((type) => percent(both[type]?.f1)).join(' '),
      entry.relations ? percent((entry.relations as ReturnType<Count['figures']>).f1) : '',
      Number(entry.cpuMs).toFixed(1),
    ]
  })
  const head = ['set', 'sentences', 'rules', 'model', 'both', 'P/R', 'person org place', 'relations', 'CPU ms']
  process.stdout.write(`${markdownTable(head, lines)}\n`)
}
